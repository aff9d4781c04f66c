#include "store/fsck/rules/portable_names.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "store/base/ascii.h"
#include "store/object/tree_entry.h"

namespace assay {
namespace {

// Source: "Naming Files, Paths, and Namespaces" of the Windows documentation.
bool is_device_name(std::string_view name) {
  std::string_view stem = name.substr(0, name.find('.'));
  while (stem.ends_with(' ')) stem.remove_suffix(1);
  const std::string word = lowered(stem);
  static constexpr std::string_view kWords[] = {"con", "prn", "aux", "nul", "conin$", "conout$"};
  if (std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords)) return true;
  const bool port = word.starts_with("com") || word.starts_with("lpt");
  if (!port) return false;
  const std::string_view number = std::string_view(word).substr(3);
  // The digits 1 to 9 and, in UTF-8, the raised 1, 2 and 3.
  return (number.size() == 1 && number[0] >= '1' && number[0] <= '9') || number == "\xc2\xb9" ||
         number == "\xc2\xb2" || number == "\xc2\xb3";
}

bool is_portable(std::string_view name) {
  if (name.ends_with('.') || name.ends_with(' ') || is_device_name(name)) return false;
  return std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 ||
           std::string_view("<>:\"|?*\\").find(c) != std::string_view::npos;
  });
}

// What no byte of a name that is no UTF-8 can be taken for.
constexpr char32_t kBeyondUnicode = 0x110000;

}  // namespace

std::u32string folded_name(std::string_view name) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(name.data());
  const auto size = static_cast<utf8proc_ssize_t>(name.size());
  constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
  std::vector<utf8proc_int32_t> points(name.size() + 16);
  auto count = ::utf8proc_decompose(bytes, size, points.data(),
                                    static_cast<utf8proc_ssize_t>(points.size()), kOptions);
  if (count > static_cast<utf8proc_ssize_t>(points.size())) {
    points.resize(static_cast<std::size_t>(count));
    count = ::utf8proc_decompose(bytes, size, points.data(), count, kOptions);
  }
  std::u32string key;
  if (count < 0) {
    for (const char c : name) key += kBeyondUnicode + static_cast<unsigned char>(c);
    return key;
  }
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    key += static_cast<char32_t>(::utf8proc_toupper(points[static_cast<std::size_t>(i)]));
  }
  return key;
}

void check_portable_names(ByteView body, HashKind kind, RuleReporter& reporter) {
  std::size_t bad = 0;
  std::string_view first_bad;
  std::size_t collisions = 0;
  std::pair<std::string_view, std::string_view> first_collision;
  std::unordered_map<std::u32string, std::string_view> names;
  TreeEntry entry;
  for (; parse_tree_entry(body, kind, entry); body = body.subspan(entry.size)) {
    if (!is_portable(entry.name) && bad++ == 0) first_bad = entry.name;
    const auto [found, added] = names.emplace(folded_name(entry.name), entry.name);
    // Equal names are what duplicateEntries is about.
    if (!added && found->second != entry.name && collisions++ == 0) {
      first_collision = {found->second, entry.name};
    }
  }
  const auto and_more = [](std::size_t count) {
    return count > 1 ? fmt::format(" (and {} more)", count - 1) : std::string();
  };
  if (bad > 0) {
    reporter.report(MessageId::kNameNotPortable,
                    fmt::format("'{}' is no name for Windows{}", first_bad, and_more(bad)));
  }
  if (collisions > 0) {
    reporter.report(
        MessageId::kNamesCollide,
        fmt::format("'{}' and '{}' are one name where case or composition do not count{}",
                    first_collision.first, first_collision.second, and_more(collisions)));
  }
}

}  // namespace assay
