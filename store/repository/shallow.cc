#include "store/repository/shallow.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

Result<std::vector<ObjectId>> parse_shallow(ByteView bytes, HashKind kind) {
  std::vector<ObjectId> ids;
  std::string_view rest = as_text(bytes);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const auto offset = static_cast<std::uint64_t>(rest.data() - as_text(bytes).data());
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    // As git, which looks only at the start of the line.
    const auto id = ObjectId::from_hex(line.substr(0, id_hex_size(kind)), kind);
    if (!id) {
      return fault(MessageId::kConfigBad, fmt::format("bad shallow line: {}", line.substr(0, 1023)),
                   offset);
    }
    ids.push_back(*id);
  }
  return ids;
}

}  // namespace assay
