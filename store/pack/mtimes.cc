#include "store/pack/mtimes.h"

#include <fmt/format.h>

namespace assay {
namespace {

constexpr std::uint32_t kSignature = 0x4d544d45;  // "MTME"
constexpr std::uint32_t kVersion = 1;

}  // namespace

Result<MtimesFile> MtimesFile::parse(ByteView bytes, HashKind kind, std::uint32_t count,
                                     std::string_view path) {
  const auto bad = [&](std::string_view what) {
    return fault(MessageId::kMtimesBad, fmt::format("mtimes file {} {}", path, what));
  };
  if (bytes.size() < kHeaderSize) return bad("is too small");
  const std::uint32_t version = read_be32(bytes.data() + 4);
  const std::uint32_t hash_id = read_be32(bytes.data() + 8);
  if (read_be32(bytes.data()) != kSignature) return bad("has unknown signature");
  if (version != kVersion) return bad(fmt::format("has unsupported version {}", version));
  // git takes either hash; only that of the repository gives the file its size.
  const std::uint32_t expected = kind == HashKind::kSha1 ? 1 : 2;
  if (hash_id != expected) return bad(fmt::format("has unsupported hash id {}", hash_id));
  if (bytes.size() != kHeaderSize + std::uint64_t{count} * 4 + 2 * id_size(kind)) {
    return bad("is corrupt");
  }
  MtimesFile file;
  file.bytes_ = bytes;
  file.kind_ = kind;
  return file;
}

}  // namespace assay
