#include "tools/bench/rivals.h"

#include <cstring>

#include "tools/bench/shared_library.h"
#include "tools/bench/turns.h"

#if defined(ASSAY_RIVAL_OPENSSL_3)
#include <openssl/crypto.h>
#include <openssl/evp.h>
#endif
#if defined(ASSAY_RIVAL_GCRYPT)
#include <gcrypt.h>
#endif
#if defined(ASSAY_RIVAL_NETTLE)
#include <nettle/sha1.h>
#include <nettle/version.h>
#endif

namespace assay::tools {
namespace {

[[maybe_unused]] void add_unknown(Rivals& rivals, const char* name, const char* package) {
  rivals.absent.emplace_back(name, std::string("not known to this build (") + package + ")");
}

[[maybe_unused]] void add_absent(Rivals& rivals, const char* name, const char* file,
                                 const SharedLibrary& library) {
  rivals.absent.emplace_back(name, library.is_open()
                                       ? std::string(file) + " has no " + library.missing()
                                       : std::string("cannot open ") + file);
}

#if defined(ASSAY_RIVAL_OPENSSL_3)
struct OpensslFunctions {
  decltype(&EVP_MD_fetch) fetch;
  decltype(&EVP_MD_free) free;
  decltype(&EVP_MD_CTX_new) context_new;
  decltype(&EVP_MD_CTX_free) context_free;
  decltype(&EVP_DigestInit_ex2) init;
  decltype(&EVP_DigestUpdate) update;
  decltype(&EVP_DigestFinal_ex) final;
};

// OpenSSL at its best: the algorithm fetched once, one context used again and again.
class Openssl final : public Implementation {
 public:
  explicit Openssl(const OpensslFunctions& functions)
      : Implementation("openssl_evp", false, false, true),
        functions_(functions),
        algorithm_(functions.fetch(nullptr, "SHA1", nullptr)),
        context_(functions.context_new()) {}
  Openssl(const Openssl&) = delete;
  Openssl& operator=(const Openssl&) = delete;
  ~Openssl() override {
    functions_.context_free(context_);
    functions_.free(algorithm_);
  }

  bool is_usable() const { return algorithm_ != nullptr && context_ != nullptr; }

  void hash(std::span<const Message> messages, std::span<sha1::Digest> digests) override {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      functions_.init(context_, algorithm_, nullptr);
      functions_.update(context_, messages[i].data(), messages[i].size());
      functions_.final(context_, digests[i].data(), nullptr);
      touch_memory(&digests[i]);
    }
  }

  sha1::Digest hash_stream(Message piece, std::uint64_t pieces) override {
    functions_.init(context_, algorithm_, nullptr);
    for (; pieces > 0; --pieces) functions_.update(context_, piece.data(), piece.size());
    sha1::Digest digest;
    functions_.final(context_, digest.data(), nullptr);
    return digest;
  }

 private:
  OpensslFunctions functions_;
  EVP_MD* algorithm_;
  EVP_MD_CTX* context_;
};
#endif

void add_openssl(Rivals& rivals) {
#if defined(ASSAY_RIVAL_OPENSSL_3)
  constexpr const char* kFile = "libcrypto.so.3";
  SharedLibrary library(kFile);
  if (!library.is_open()) return add_absent(rivals, "openssl_evp", kFile, library);
  const auto version = ASSAY_SYMBOL(library, OpenSSL_version);
  const OpensslFunctions functions{
      ASSAY_SYMBOL(library, EVP_MD_fetch),       ASSAY_SYMBOL(library, EVP_MD_free),
      ASSAY_SYMBOL(library, EVP_MD_CTX_new),     ASSAY_SYMBOL(library, EVP_MD_CTX_free),
      ASSAY_SYMBOL(library, EVP_DigestInit_ex2), ASSAY_SYMBOL(library, EVP_DigestUpdate),
      ASSAY_SYMBOL(library, EVP_DigestFinal_ex)};
  if (library.missing() != nullptr) return add_absent(rivals, "openssl_evp", kFile, library);
  auto openssl = std::make_unique<Openssl>(functions);
  if (!openssl->is_usable()) {
    rivals.absent.emplace_back("openssl_evp", "it offers no SHA-1");
    return;
  }
  rivals.versions.emplace_back("openssl_evp", version(OPENSSL_VERSION));
  rivals.implementations.push_back(std::move(openssl));
#else
  add_unknown(rivals, "openssl_evp", "libssl-dev 3");
#endif
}

#if defined(ASSAY_RIVAL_GCRYPT)
struct GcryptFunctions {
  decltype(&gcry_md_open) open;
  decltype(&gcry_md_close) close;
  decltype(&gcry_md_write) write;
  decltype(&gcry_md_read) read;
  decltype(&gcry_md_reset) reset;
};

class Gcrypt final : public Implementation {
 public:
  explicit Gcrypt(const GcryptFunctions& functions)
      : Implementation("libgcrypt", false, false, true), functions_(functions) {
    if (functions.open(&handle_, GCRY_MD_SHA1, 0) != 0) handle_ = nullptr;
  }
  Gcrypt(const Gcrypt&) = delete;
  Gcrypt& operator=(const Gcrypt&) = delete;
  ~Gcrypt() override { functions_.close(handle_); }

  bool is_usable() const { return handle_ != nullptr; }

  void hash(std::span<const Message> messages, std::span<sha1::Digest> digests) override {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      functions_.reset(handle_);
      functions_.write(handle_, messages[i].data(), messages[i].size());
      std::memcpy(digests[i].data(), functions_.read(handle_, GCRY_MD_SHA1), digests[i].size());
      touch_memory(&digests[i]);
    }
  }

  sha1::Digest hash_stream(Message piece, std::uint64_t pieces) override {
    functions_.reset(handle_);
    for (; pieces > 0; --pieces) functions_.write(handle_, piece.data(), piece.size());
    sha1::Digest digest;
    std::memcpy(digest.data(), functions_.read(handle_, GCRY_MD_SHA1), digest.size());
    return digest;
  }

 private:
  GcryptFunctions functions_;
  gcry_md_hd_t handle_ = nullptr;
};
#endif

void add_gcrypt(Rivals& rivals) {
#if defined(ASSAY_RIVAL_GCRYPT)
  constexpr const char* kFile = "libgcrypt.so.20";
  SharedLibrary library(kFile);
  if (!library.is_open()) return add_absent(rivals, "libgcrypt", kFile, library);
  const auto version = ASSAY_SYMBOL(library, gcry_check_version);
  const auto control = ASSAY_SYMBOL(library, gcry_control);
  const GcryptFunctions functions{
      ASSAY_SYMBOL(library, gcry_md_open), ASSAY_SYMBOL(library, gcry_md_close),
      ASSAY_SYMBOL(library, gcry_md_write), ASSAY_SYMBOL(library, gcry_md_read),
      ASSAY_SYMBOL(library, gcry_md_reset)};
  if (library.missing() != nullptr) return add_absent(rivals, "libgcrypt", kFile, library);
  const char* text = version(nullptr);  // this and the next call initialise the library
  control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  auto gcrypt = std::make_unique<Gcrypt>(functions);
  if (!gcrypt->is_usable()) {
    rivals.absent.emplace_back("libgcrypt", "it offers no SHA-1");
    return;
  }
  rivals.versions.emplace_back("libgcrypt", std::string("libgcrypt ") + text);
  rivals.implementations.push_back(std::move(gcrypt));
#else
  add_unknown(rivals, "libgcrypt", "libgcrypt20-dev");
#endif
}

#if defined(ASSAY_RIVAL_NETTLE)
struct NettleFunctions {
  decltype(&nettle_sha1_init) init;
  decltype(&nettle_sha1_update) update;
  decltype(&nettle_sha1_digest) digest;
};

class Nettle final : public Implementation {
 public:
  explicit Nettle(const NettleFunctions& functions)
      : Implementation("nettle", false, false, true), functions_(functions) {
    functions_.init(&context_);
  }

  void hash(std::span<const Message> messages, std::span<sha1::Digest> digests) override {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      functions_.update(&context_, messages[i].size(), messages[i].data());
      functions_.digest(&context_, digests[i].size(), digests[i].data());  // begins anew, too
      touch_memory(&digests[i]);
    }
  }

  sha1::Digest hash_stream(Message piece, std::uint64_t pieces) override {
    for (; pieces > 0; --pieces) functions_.update(&context_, piece.size(), piece.data());
    sha1::Digest digest;
    functions_.digest(&context_, digest.size(), digest.data());
    return digest;
  }

 private:
  NettleFunctions functions_;
  sha1_ctx context_;
};
#endif

void add_nettle(Rivals& rivals) {
#if defined(ASSAY_RIVAL_NETTLE)
  constexpr const char* kFile = "libnettle.so.8";
  SharedLibrary library(kFile);
  if (!library.is_open()) return add_absent(rivals, "nettle", kFile, library);
  const auto major = ASSAY_SYMBOL(library, nettle_version_major);
  const auto minor = ASSAY_SYMBOL(library, nettle_version_minor);
  const NettleFunctions functions{ASSAY_SYMBOL(library, nettle_sha1_init),
                                  ASSAY_SYMBOL(library, nettle_sha1_update),
                                  ASSAY_SYMBOL(library, nettle_sha1_digest)};
  if (library.missing() != nullptr) return add_absent(rivals, "nettle", kFile, library);
  rivals.versions.emplace_back("nettle",
                               "nettle " + std::to_string(major()) + "." + std::to_string(minor()));
  rivals.implementations.push_back(std::make_unique<Nettle>(functions));
#else
  add_unknown(rivals, "nettle", "nettle-dev");
#endif
}

}  // namespace

Rivals find_rivals() {
  Rivals rivals;
  add_openssl(rivals);
  add_gcrypt(rivals);
  add_nettle(rivals);
  return rivals;
}

}  // namespace assay::tools
