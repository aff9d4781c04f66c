#include "store/repository/grafts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "store/base/ascii.h"

namespace assay {
namespace {

constexpr std::size_t kMaxProblems = 1000;

// Ids with one blank between; nothing if it is anything else.
std::optional<std::vector<ObjectId>> parse_ids(std::string_view line, HashKind kind) {
  std::vector<ObjectId> ids;
  const std::size_t size = id_hex_size(kind);
  for (;;) {
    const auto id = ObjectId::from_hex(line.substr(0, size), kind);
    if (!id) return std::nullopt;
    ids.push_back(*id);
    line.remove_prefix(size);
    if (line.empty()) return ids;
    if (!is_blank(line.front())) return std::nullopt;
    line.remove_prefix(1);
  }
}

}  // namespace

Grafts parse_grafts(ByteView bytes, HashKind kind) {
  Grafts grafts;
  const auto problem = [&](std::string_view what, std::string_view line, std::size_t offset) {
    if (grafts.problems.size() >= kMaxProblems) return;
    grafts.problems.emplace_back(MessageId::kGraftBad, fmt::format("{} graft data: {}", what, line),
                                 offset);
  };
  const std::string_view text = as_text(bytes);
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    const std::size_t offset = begin;
    begin = end + 1;
    line = without_trailing_blanks(line);
    if (line.empty() || line.front() == '#') continue;
    auto ids = parse_ids(line, kind);
    if (!ids) {
      problem("bad", line, offset);
      continue;
    }
    const ObjectId commit = ids->front();
    ids->erase(ids->begin());
    // The first line about a commit is the one that counts.
    if (!grafts.parents.emplace(commit, std::move(*ids)).second) problem("duplicate", line, offset);
  }
  return grafts;
}

}  // namespace assay
