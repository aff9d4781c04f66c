// TreeEntry: one entry of a tree object, "MODE NAME\0ID", and the quick test of a walk over trees.
//
// Big repositories have a hundred million entries, nearly all of them harmless. Everything here is
// inline and answers in a few cycles "certainly harmless" or "look closer"; the exact rules with
// their messages are store/fsck/rules/tree_rules.h.
//
// Source of the format: git's tree-walk.c. All functions are pure; views borrow from the tree.
#pragma once

#include <array>
#include <bit>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "store/base/object_id.h"

namespace assay {

// What parse_tree_entry() noticed on the way, as bits of TreeEntry::unusual.
enum UnusualEntry : std::uint8_t {
  kUnusualMode = 1U << 0,  // not one of the five canonical mode texts
  kUnusualByte = 1U << 1,  // the name holds '/', '\\' or '~'
};

struct TreeEntry {
  std::uint32_t mode = 0;      // 16 bits, as git keeps it: higher bits of the text are lost
  std::string_view mode_text;  // octal digits, at least one
  std::string_view name;       // not empty, no NUL
  const std::uint8_t* id = nullptr;
  std::size_t size = 0;  // bytes of the whole entry
  std::uint8_t unusual = 0;
};

enum class TreeObjectKind : std::uint8_t { kTree, kBlob, kGitlink };

constexpr std::uint32_t kModeTypeMask = 0170000;
constexpr std::uint32_t kModeDirectory = 0040000;
constexpr std::uint32_t kModeRegular = 0100000;
constexpr std::uint32_t kModeSymlink = 0120000;
constexpr std::uint32_t kModeGitlink = 0160000;

// What git looks up for the entry. Regular files and symlinks are blobs; whatever is neither one of
// them nor a directory is taken for a gitlink, whose target is in another repository.
constexpr TreeObjectKind entry_kind(std::uint32_t mode) {
  const std::uint32_t type = mode & kModeTypeMask;
  if (type == kModeRegular || type == kModeSymlink) return TreeObjectKind::kBlob;
  return type == kModeDirectory ? TreeObjectKind::kTree : TreeObjectKind::kGitlink;
}

constexpr bool is_directory_mode(std::uint32_t mode) {
  return (mode & kModeTypeMask) == kModeDirectory;
}

// Why an entry is malformed, in git's words and in git's order of looking.
enum class TreeEntryProblem : std::uint8_t { kNone, kTooShort, kMalformedMode, kEmptyName };

constexpr std::string_view tree_entry_words(TreeEntryProblem problem) {
  switch (problem) {
    case TreeEntryProblem::kTooShort:
      return "too-short tree object";
    case TreeEntryProblem::kMalformedMode:
      return "malformed mode in tree entry";
    case TreeEntryProblem::kEmptyName:
      return "empty filename in tree entry";
    case TreeEntryProblem::kNone:
      break;
  }
  return "";
}

namespace tree_entry_detail {

// Eight bytes in memory order, the first one most significant.
inline std::uint64_t load_be64(const void* p) {
  std::uint64_t value;
  std::memcpy(&value, p, sizeof value);
  if constexpr (std::endian::native == std::endian::little) value = __builtin_bswap64(value);
  return value;
}

constexpr std::uint64_t packed_text(std::string_view text) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    value = (value << 8) | (i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0U);
  }
  return value;
}

constexpr std::uint64_t text_mask(std::size_t size) { return ~std::uint64_t{0} << (64 - 8 * size); }

struct ModeParse {
  std::uint32_t mode = 0;
  std::size_t text_size = 0;  // 0: malformed
};

// Any number of octal digits up to a blank. A NUL stops it, so it stays within an entry that ends
// with a NUL and an id.
inline ModeParse parse_mode_text(const std::uint8_t* text) {
  ModeParse parse;
  std::size_t i = 0;
  for (; text[i] != ' '; ++i) {
    if (text[i] < '0' || text[i] > '7') return {};
    parse.mode = (parse.mode << 3) + (text[i] - '0');
  }
  parse.text_size = i;
  parse.mode &= 0xffff;
  return parse;
}

struct NulScan {
  std::size_t position;
  bool unusual_byte;
};

// The first NUL at or behind `text`, and whether a byte before it needs the exact check of names.
// Requires: a NUL before `end`. Nothing at or behind `end` is read.
inline NulScan find_nul_bytewise(const std::uint8_t* text, std::size_t i, bool unusual) {
  for (; text[i] != 0; ++i) unusual |= text[i] == '/' || text[i] == '\\' || text[i] == '~';
  return {i, unusual};
}

#if defined(__SSE2__)
struct BlockBits {
  std::uint32_t nul;
  std::uint32_t unusual;
};

inline BlockBits scan_block(const std::uint8_t* text) {
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
  const __m128i slash = _mm_cmpeq_epi8(block, _mm_set1_epi8('/'));
  const __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
  const __m128i tilde = _mm_cmpeq_epi8(block, _mm_set1_epi8('~'));
  const __m128i unusual = _mm_or_si128(_mm_or_si128(slash, backslash), tilde);
  return {static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_setzero_si128()))),
          static_cast<std::uint32_t>(_mm_movemask_epi8(unusual))};
}

[[gnu::always_inline]] inline NulScan find_nul(const std::uint8_t* text, const std::uint8_t* end) {
  const auto size = static_cast<std::size_t>(end - text);
  std::size_t i = 0;
  bool unusual = false;
  // 48 bytes hold nearly every entry up to its NUL, so this goes straight on: where the next entry
  // begins is known after one load, and no branch depends on the length of a name.
  if (size >= 48) [[likely]] {
    const BlockBits a = scan_block(text);
    const BlockBits b = scan_block(text + 16);
    const BlockBits c = scan_block(text + 32);
    const std::uint64_t nul = a.nul | (b.nul << 16) | (std::uint64_t{c.nul} << 32);
    const std::uint64_t odd = a.unusual | (b.unusual << 16) | (std::uint64_t{c.unusual} << 32);
    if (nul != 0) [[likely]] {
      // nul ^ (nul - 1): the bits up to the first NUL.
      return {static_cast<std::size_t>(std::countr_zero(nul)), (odd & (nul ^ (nul - 1))) != 0};
    }
    unusual = odd != 0;
    i = 48;
  }
  for (; size >= i + 16; i += 16) {
    const BlockBits block = scan_block(text + i);
    if (block.nul != 0) {
      return {i + static_cast<std::size_t>(std::countr_zero(block.nul)),
              unusual || (block.unusual & (block.nul ^ (block.nul - 1))) != 0};
    }
    unusual |= block.unusual != 0;
  }
  return find_nul_bytewise(text, i, unusual);
}
#else
inline NulScan find_nul(const std::uint8_t* text, const std::uint8_t* /*end*/) {
  return find_nul_bytewise(text, 0, false);
}
#endif

// The five modes that git writes, found without a branch: `text` are the bytes of the mode and the
// blank behind it, `mask` covers them.
struct CanonicalMode {
  std::uint64_t text = 0;
  std::uint64_t mask = 0;  // 0 with text 1: nothing matches
  std::uint32_t mode = 0;
  std::uint32_t text_size = 0;
};

// The second and the fourth digit tell the five apart: 06, 07, 20, 60, 0 and 0.
constexpr std::size_t canonical_slot(std::uint64_t head) {
  return static_cast<std::size_t>((2 * (head >> 48) + (head >> 32)) & 15);
}

constexpr std::array<CanonicalMode, 16> make_canonical_modes() {
  std::array<CanonicalMode, 16> modes{};
  for (CanonicalMode& none : modes) none.text = 1;
  const auto put = [&modes](std::string_view text, std::uint32_t mode) {
    const std::uint64_t head = packed_text(text);
    modes[canonical_slot(head)] = {head, text_mask(text.size()), mode,
                                   static_cast<std::uint32_t>(text.size() - 1)};
  };
  put("100644 ", 0100644);
  put("100755 ", 0100755);
  put("120000 ", 0120000);
  put("160000 ", 0160000);
  put("40000 ", 0040000);
  return modes;
}

inline constexpr std::array<CanonicalMode, 16> kCanonicalModes = make_canonical_modes();

}  // namespace tree_entry_detail

// Returns: what keeps git from reading an entry at the start of `rest`.
inline TreeEntryProblem tree_entry_problem(ByteView rest, HashKind kind) {
  const std::size_t id = id_size(kind);
  if (rest.size() < id + 3 || rest[rest.size() - id - 1] != 0) return TreeEntryProblem::kTooShort;
  const auto mode = tree_entry_detail::parse_mode_text(rest.data());
  if (mode.text_size == 0) return TreeEntryProblem::kMalformedMode;
  if (rest[mode.text_size + 1] == 0) return TreeEntryProblem::kEmptyName;
  return TreeEntryProblem::kNone;
}

// Parses the entry at the start of `rest`, which must reach to the end of the tree: as in git, the
// last entry is looked at too. Advance by entry.size.
// Returns: false when git cannot read an entry there; tree_entry_problem() says why.
[[gnu::always_inline]] inline bool parse_tree_entry(ByteView rest, HashKind kind,
                                                    TreeEntry& entry) {
  namespace detail = tree_entry_detail;
  const std::size_t id = id_size(kind);
  const std::uint8_t* const start = rest.data();
  if (rest.size() < id + 3 || start[rest.size() - id - 1] != 0) return false;

  // From here on there is a NUL before the last id, so that no scan leaves the tree. The first NUL
  // ends the name, whatever the mode; a mode has no byte that is unusual in a name.
  const detail::NulScan nul = detail::find_nul(start, start + rest.size());
  const std::uint64_t head = detail::load_be64(start);
  const detail::CanonicalMode& canonical = detail::kCanonicalModes[detail::canonical_slot(head)];
  std::size_t mode_size = canonical.text_size;
  entry.mode = canonical.mode;
  entry.unusual = nul.unusual_byte ? kUnusualByte : 0;
  if ((head & canonical.mask) != canonical.text) [[unlikely]] {
    const detail::ModeParse mode = detail::parse_mode_text(start);
    if (mode.text_size == 0) return false;
    entry.mode = mode.mode;
    mode_size = mode.text_size;
    entry.unusual |= kUnusualMode;
  }
  if (nul.position == mode_size + 1) return false;
  entry.mode_text = {reinterpret_cast<const char*>(start), mode_size};
  entry.name = {reinterpret_cast<const char*>(start) + mode_size + 1, nul.position - mode_size - 1};
  entry.id = start + nul.position + 1;
  entry.size = nul.position + 1 + id;
  return true;
}

// Reasons to look closer at an entry.
enum QuickProblem : std::uint32_t {
  kQuickName = 1U << 0,  // may be an alias of .git or its companions, or holds a slash
  kQuickMode = 1U << 1,
  kQuickNullId = 1U << 2,
  kQuickLongName = 1U << 3,
};

// Returns: 0 for an entry that by itself raises no message at any severity; else QuickProblem bits.
// Requires: the entry comes from parse_tree_entry(). `max_name_size`: Policy::max_pathname_size().
inline std::uint32_t quick_problems(const TreeEntry& entry, std::size_t max_name_size = 4096) {
  // An alias on HFS+ begins with '.' or a code point that HFS+ ignores (first byte E2 or EF); one
  // on NTFS begins with '.' or holds '~' or a backslash. Behind '.' comes nothing, '.', 'g', 'm',
  // or an ignored code point; most names with a dot (".cirrus.yml") are settled by that.
  std::uint32_t problems = (entry.unusual & kUnusualByte) != 0 ? kQuickName : 0U;
  if (entry.unusual & kUnusualMode) problems |= kQuickMode;
  const auto* const name = reinterpret_cast<const std::uint8_t*>(entry.name.data());
  if (name[0] == '.') {
    switch (name[1]) {
      case 0:
      case '.':
      case 'g':
      case 'G':
      case 'm':
      case 'M':
      case 0xe2:
      case 0xef:
        problems |= kQuickName;
        break;
      default:
        break;
    }
  } else if (name[0] == 0xe2 || name[0] == 0xef) {
    problems |= kQuickName;
  }
  // A null id has a null start; the exact check looks at all of it.
  std::uint64_t id_start;
  std::memcpy(&id_start, entry.id, sizeof id_start);
  if (id_start == 0) problems |= kQuickNullId;
  if (entry.name.size() > max_name_size) problems |= kQuickLongName;
  return problems;
}

}  // namespace assay
