#include "store/object/commit.h"

#include <limits>
#include <string>

#include "store/base/ascii.h"

namespace assay {
namespace {

// The number that C's strtoumax() finds in digits with an optional minus sign.
std::uint64_t leading_number(std::string_view text) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') break;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (kMax - digit) / 10) return kMax;
    value = value * 10 + digit;
  }
  return negative ? 0 - value : value;
}

// The time of the committer line that follows the author line. git looks behind the last '>' of the
// line and takes what number it finds there; everything unexpected is time 0.
std::uint64_t commit_time(std::string_view rest) {
  if (rest.size() <= 6 || !rest.starts_with("author")) return 0;
  const std::size_t author_end = rest.find('\n');
  if (author_end == std::string_view::npos) return 0;
  rest.remove_prefix(author_end + 1);
  if (rest.size() <= 9 || !rest.starts_with("committer")) return 0;
  const std::size_t line_end = rest.find('\n');
  if (line_end == std::string_view::npos) return 0;
  const std::string_view line = rest.substr(0, line_end);
  const std::size_t email_end = line.rfind('>');
  if (email_end == std::string_view::npos) return 0;
  std::string_view date = line.substr(email_end + 1);
  while (!date.empty() && is_blank(date[0])) date.remove_prefix(1);
  return leading_number(date);
}

}  // namespace

Result<Commit> parse_commit(ByteView body, const ObjectId& self) {
  const HashKind kind = self.kind();
  const std::size_t hex_size = id_hex_size(kind);
  std::string_view rest = as_text(body);
  const auto bad = [&](std::string_view words) {
    return fault(MessageId::kObjectNotParsed, std::string(words) + self.hex(),
                 body.size() - rest.size());
  };

  // "tree HEX\n" and at least one byte more.
  const std::size_t tree_line_size = 5 + hex_size + 1;
  if (rest.size() <= tree_line_size || !rest.starts_with("tree ") ||
      rest[tree_line_size - 1] != '\n') {
    return bad("bogus commit object ");
  }
  const auto tree = ObjectId::from_hex(rest.substr(5, hex_size), kind);
  if (!tree) return bad("bad tree pointer in commit ");
  Commit commit;
  commit.tree = *tree;
  rest.remove_prefix(tree_line_size);

  const std::size_t parent_line_size = 7 + hex_size + 1;
  // git takes a shorter rest for the end of the parents, and a line without a byte behind it for
  // a bad one.
  while (rest.size() >= parent_line_size && rest.starts_with("parent ")) {
    const auto parent = ObjectId::from_hex(rest.substr(7, hex_size), kind);
    if (rest.size() == parent_line_size || !parent || rest[parent_line_size - 1] != '\n') {
      return bad("bad parents in commit ");
    }
    commit.parents.push_back(*parent);
    rest.remove_prefix(parent_line_size);
  }
  commit.commit_time = commit_time(rest);
  return commit;
}

}  // namespace assay
