#include "store/refs/ref_file.h"

#include <algorithm>

#include "store/base/ascii.h"

namespace assay {

Result<RefFile> parse_ref_file(ByteView bytes, HashKind kind) {
  const auto bad = [](const char* why) { return fault(MessageId::kRefUnreadable, why); };
  if (bytes.empty()) return bad("file is empty");
  // git reads the file as a C string: it ends at the first NUL.
  const std::string_view text = as_text(bytes).substr(0, as_text(bytes).find('\0'));
  RefFile file;
  if (text.starts_with("ref:")) {
    const auto begin = std::min(text.find_first_not_of(kBlanks, 4), text.size());
    file.is_symref = true;
    file.raw_target = text.substr(begin);
    file.target = without_trailing_blanks(file.raw_target);
    return file;
  }
  const std::size_t size = id_hex_size(kind);
  const auto id = ObjectId::from_hex(text.substr(0, size), kind);
  if (!id) {
    const bool all_zero =
        std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
    if (all_zero) return bad("file holds NUL bytes only");
    return bad("content is neither an object id nor a symbolic ref");
  }
  file.id = *id;
  file.trailing = text.substr(size);
  if (!file.trailing.empty() && kBlanks.find(file.trailing.front()) == std::string_view::npos) {
    return bad("content is neither an object id nor a symbolic ref");
  }
  return file;
}

}  // namespace assay
