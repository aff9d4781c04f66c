#include "tools/bench/rc4_rivals.h"

#include <memory>

#include "tools/bench/shared_library.h"

#if defined(ASSAY_RIVAL_OPENSSL_3)
#define OPENSSL_SUPPRESS_DEPRECATED  // RC4 is, and rightly; it is only timed here
#include <openssl/rc4.h>
#endif
#if defined(ASSAY_RIVAL_NETTLE)
#include <nettle/arcfour.h>
#endif

namespace assay::tools {
namespace {

#if defined(ASSAY_RIVAL_OPENSSL_3) && !defined(OPENSSL_NO_RC4)
void add_openssl(std::vector<Rc4Rival>& rivals, std::span<const std::uint8_t> key) {
  SharedLibrary library("libcrypto.so.3");
  if (!library.is_open()) return;
  const auto set_key = ASSAY_SYMBOL(library, RC4_set_key);
  const auto crypt = ASSAY_SYMBOL(library, RC4);
  if (library.missing() != nullptr) return;
  auto state = std::make_shared<RC4_KEY>();
  set_key(state.get(), static_cast<int>(key.size()), key.data());
  rivals.push_back({"openssl", [state, crypt](std::uint8_t* buffer, std::size_t size) {
                      crypt(state.get(), size, buffer, buffer);
                    }});
}
#endif

#if defined(ASSAY_RIVAL_NETTLE)
void add_nettle(std::vector<Rc4Rival>& rivals, std::span<const std::uint8_t> key) {
  SharedLibrary library("libnettle.so.8");
  if (!library.is_open()) return;
  const auto set_key = ASSAY_SYMBOL(library, nettle_arcfour_set_key);
  const auto crypt = ASSAY_SYMBOL(library, nettle_arcfour_crypt);
  if (library.missing() != nullptr) return;
  auto state = std::make_shared<arcfour_ctx>();
  set_key(state.get(), key.size(), key.data());
  rivals.push_back({"nettle", [state, crypt](std::uint8_t* buffer, std::size_t size) {
                      crypt(state.get(), size, buffer, buffer);
                    }});
}
#endif

}  // namespace

std::vector<Rc4Rival> find_rc4_rivals([[maybe_unused]] std::span<const std::uint8_t> key) {
  std::vector<Rc4Rival> rivals;
#if defined(ASSAY_RIVAL_OPENSSL_3) && !defined(OPENSSL_NO_RC4)
  add_openssl(rivals, key);
#endif
#if defined(ASSAY_RIVAL_NETTLE)
  add_nettle(rivals, key);
#endif
  return rivals;
}

}  // namespace assay::tools
