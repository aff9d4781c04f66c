#include "store/fsck/rules/portable_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "store/object/tree_entry.h"

namespace assay {
namespace {

std::string lower_ascii(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return result;
}

// Source: "Naming Files, Paths, and Namespaces" of the Windows documentation.
bool is_device_name(std::string_view name) {
  std::string_view stem = name.substr(0, name.find('.'));
  while (stem.ends_with(' ')) stem.remove_suffix(1);
  const std::string word = lower_ascii(stem);
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

// Takes one code point off the front of the text. What is no UTF-8 counts byte by byte, above all
// code points.
char32_t take_code_point(std::string_view& text) {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  char32_t value = first;
  bool good = first < 0x80 || (first >= 0xc2 && first <= 0xf4 && text.size() >= size);
  if (good && size > 1) {
    value = first & (0x7fU >> size);
    for (std::size_t i = 1; i < size; ++i) {
      good = good && (byte(i) & 0xc0) == 0x80;
      value = value << 6 | (byte(i) & 0x3f);
    }
  }
  if (!good) {
    text.remove_prefix(1);
    return 0x110000 + first;
  }
  text.remove_prefix(size);
  return value;
}

char32_t lower(char32_t c) {
  if (c >= 'A' && c <= 'Z') return c + 32;
  if (c >= 0xc0 && c <= 0xde && c != 0xd7) return c + 32;
  // Pairs, the capital first: even in most of Latin Extended-A, odd in two parts of it.
  if ((c >= 0x100 && c <= 0x137 && c != 0x130 && c != 0x131) || (c >= 0x14a && c <= 0x177))
    return c | 1;
  if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e)) return (c & 1) != 0 ? c + 1 : c;
  if (c == 0x178) return 0xff;
  if (c >= 0x391 && c <= 0x3a9 && c != 0x3a2) return c + 32;
  if (c >= 0x410 && c <= 0x42f) return c + 32;
  if (c >= 0x400 && c <= 0x40f) return c + 80;
  return c;
}

// Returns: the letter without its accent and the accent, which is 0 for none. Small letters only.
std::pair<char32_t, char32_t> decomposed(char32_t c) {
  // U+00E0 to U+00FF; '_': not composed.
  static constexpr std::string_view kLetters = "aaaaaa_ceeeeiiii_nooooo__uuuuy_y";
  // grave 0, acute 1, circumflex 2, tilde 3, diaeresis 8, ring A, cedilla C
  static constexpr std::string_view kAccents =
      "01238A_C012801280301238__0128"
      "1_8";
  if (c < 0xe0 || c > 0xff || kLetters[c - 0xe0] == '_') return {c, 0};
  const char accent = kAccents[c - 0xe0];
  const char32_t mark = accent == 'C' ? 0x327 : accent == 'A' ? 0x30a : 0x300 + (accent - '0');
  return {static_cast<char32_t>(kLetters[c - 0xe0]), mark};
}

}  // namespace

std::string folded_name(std::string_view name) {
  std::string key;
  const auto add = [&key](char32_t c) {
    for (int shift = 16; shift >= 0; shift -= 8) key += static_cast<char>(c >> shift & 0xff);
  };
  while (!name.empty()) {
    const auto [letter, accent] = decomposed(lower(take_code_point(name)));
    add(letter);
    if (accent != 0) add(accent);
  }
  return key;
}

void check_portable_names(ByteView body, HashKind kind, RuleReporter& reporter) {
  std::size_t bad = 0;
  std::string_view first_bad;
  std::size_t collisions = 0;
  std::pair<std::string_view, std::string_view> first_collision;
  std::unordered_map<std::string, std::string_view> names;
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
