#include "store/fsck/dotgit_name.h"

#include <array>
#include <cstddef>

#include "store/base/ascii.h"

namespace assay {
namespace {

struct Companion {
  DotgitName bit;
  std::string_view name;        // without the dot, lower case
  std::string_view short_name;  // first six bytes of the 8.3 name that NTFS makes when "~1" to "~4"
                                // of the plain kind are taken: two letters and a hash of the name
};

constexpr std::array<Companion, 4> kCompanions = {{
    {kNameGitmodules, "gitmodules", "gi7eba"},
    {kNameGitattributes, "gitattributes", "gi7d29"},
    {kNameGitignore, "gitignore", "gi250a"},
    {kNameMailmap, "mailmap", "maba30"},
}};

constexpr char byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? text[i] : '\0';
}

// True when the text begins with the prefix (lower case), whatever the case of the text.
bool begins_with(std::string_view text, std::string_view prefix) {
  if (text.size() < prefix.size()) return false;
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    if (lowered(text[i]) != prefix[i]) return false;
  }
  return true;
}

constexpr std::uint32_t kMalformed = ~0U;

std::uint32_t continuation(std::string_view text, std::size_t i) {
  const auto byte = static_cast<std::uint8_t>(byte_at(text, i));
  return (byte & 0xc0) == 0x80 ? byte & 0x3fU : kMalformed;
}

// Takes one code point from the front of the text. Strict: overlong forms, surrogates, U+FFFE,
// U+FFFF and whatever is above U+10FFFF are malformed.
std::uint32_t take_code_point(std::string_view& text) {
  const auto lead = static_cast<std::uint8_t>(text[0]);
  std::size_t size = 0;
  std::uint32_t point = 0;
  std::uint32_t least = 0;
  if (lead < 0x80) {
    text.remove_prefix(1);
    return lead;
  }
  if ((lead & 0xe0) == 0xc0) {
    size = 2;
    point = lead & 0x1fU;
    least = 0x80;
  } else if ((lead & 0xf0) == 0xe0) {
    size = 3;
    point = lead & 0x0fU;
    least = 0x800;
  } else if ((lead & 0xf8) == 0xf0) {
    size = 4;
    point = lead & 0x07U;
    least = 0x10000;
  } else {
    return kMalformed;
  }
  for (std::size_t i = 1; i < size; ++i) {
    const std::uint32_t bits = continuation(text, i);
    if (bits == kMalformed) return kMalformed;
    point = (point << 6) | bits;
  }
  if (point < least || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff) ||
      point == 0xfffe || point == 0xffff) {
    return kMalformed;
  }
  text.remove_prefix(size);
  return point;
}

// Code points that HFS+ skips when it compares names.
constexpr bool hfs_ignores(std::uint32_t point) {
  return (point >= 0x200c && point <= 0x200f) || (point >= 0x202a && point <= 0x202e) ||
         (point >= 0x206a && point <= 0x206f) || point == 0xfeff;
}

bool ntfs_is_dotgit(std::string_view name) {
  std::size_t i = 0;
  if (begins_with(name, ".git")) {
    i = 4;
  } else if (begins_with(name, "git~1")) {
    i = 5;
  } else {
    return false;
  }
  for (; i < name.size(); ++i) {
    if (name[i] == '/' || name[i] == '\\' || name[i] == ':') return true;
    if (name[i] != '.' && name[i] != ' ') return false;
  }
  return true;
}

// True when nothing follows that NTFS would keep: blanks and dots up to the end or a stream.
bool ntfs_name_ends(std::string_view rest) {
  for (const char c : rest) {
    if (c == ':') return true;
    if (c != ' ' && c != '.') return false;
  }
  return true;
}

// An 8.3 name of the second kind: the start of the short name, "~", a number without leading zero;
// eight bytes in all, so the more digits, the fewer letters.
bool is_hashed_short_name(std::string_view name, std::string_view short_name) {
  if (name.size() < 8) return false;
  std::size_t i = 0;
  while (i < 6 && name[i] != '~') {
    if (lowered(name[i]) != short_name[i]) return false;
    ++i;
  }
  if (name[i] != '~') return false;
  ++i;
  if (name[i] < '1' || name[i] > '9') return false;
  for (++i; i < 8; ++i) {
    if (name[i] < '0' || name[i] > '9') return false;
  }
  return ntfs_name_ends(name.substr(8));
}

bool ntfs_is_companion(std::string_view name, const Companion& companion) {
  if (name[0] == '.' && begins_with(name.substr(1), companion.name)) {
    return ntfs_name_ends(name.substr(1 + companion.name.size()));
  }
  if (begins_with(name, companion.name.substr(0, 6)) && byte_at(name, 6) == '~' &&
      byte_at(name, 7) >= '1' && byte_at(name, 7) <= '4') {
    return ntfs_name_ends(name.substr(8));
  }
  return is_hashed_short_name(name, companion.short_name);
}

}  // namespace

std::uint32_t hfs_names(std::string_view name) {
  // The longest name of interest is ".gitattributes"; one byte more tells a longer one.
  std::array<char, 16> folded{};
  std::size_t size = 0;
  while (!name.empty() && size < folded.size()) {
    const std::uint32_t point = take_code_point(name);
    // git takes malformed bytes for the end of the name.
    if (point == kMalformed || point == '/') break;
    if (hfs_ignores(point)) continue;
    if (point > 127) return 0;
    folded[size++] = lowered(static_cast<char>(point));
  }
  const std::string_view seen(folded.data(), size);
  if (!seen.starts_with('.')) return 0;
  if (seen == ".git") return kNameDotgit;
  for (const Companion& companion : kCompanions) {
    if (seen.substr(1) == companion.name) return companion.bit;
  }
  return 0;
}

std::uint32_t ntfs_names(std::string_view name) {
  if (name.empty()) return 0;
  std::uint32_t names = ntfs_is_dotgit(name) ? kNameDotgit : 0U;
  for (const Companion& companion : kCompanions) {
    if (ntfs_is_companion(name, companion)) names |= companion.bit;
  }
  return names;
}

std::uint32_t dotgit_names(std::string_view name) {
  std::uint32_t names = hfs_names(name) | ntfs_names(name);
  for (std::size_t i = name.find('\\'); i != std::string_view::npos; i = name.find('\\', i + 1)) {
    names |= ntfs_names(name.substr(i + 1)) & (kNameDotgit | kNameGitmodules);
  }
  return names;
}

}  // namespace assay
