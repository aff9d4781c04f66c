// TreeEntry: one entry of a tree object, "MODE NAME\0ID", and the quick tests of a walk over trees.
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

struct NameScan {
  std::size_t size;
  bool unusual_byte;
};

// Length of the name that a NUL ends, and whether it holds a byte that needs the exact check.
// Requires: a NUL before `end`; 16 bytes readable behind that NUL or none beyond `end` are read.
inline NameScan scan_name(const std::uint8_t* name, const std::uint8_t* end) {
  std::size_t i = 0;
  bool unusual = false;
#if defined(__SSE2__)
  const __m128i nul = _mm_setzero_si128();
  const __m128i slash = _mm_set1_epi8('/');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i tilde = _mm_set1_epi8('~');
  while (static_cast<std::size_t>(end - name) >= i + 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(name + i));
    const __m128i odd =
        _mm_or_si128(_mm_cmpeq_epi8(block, slash),
                     _mm_or_si128(_mm_cmpeq_epi8(block, backslash), _mm_cmpeq_epi8(block, tilde)));
    const auto odd_bits = static_cast<std::uint32_t>(_mm_movemask_epi8(odd));
    const auto nul_bits = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(block, nul)));
    if (nul_bits != 0) {
      // Bits below the first NUL.
      const std::uint32_t within = nul_bits ^ (nul_bits - 1);
      return {i + static_cast<std::size_t>(std::countr_zero(nul_bits)),
              unusual || (odd_bits & within) != 0};
    }
    unusual |= odd_bits != 0;
    i += 16;
  }
#else
  static_cast<void>(end);
#endif
  for (; name[i] != 0; ++i) unusual |= name[i] == '/' || name[i] == '\\' || name[i] == '~';
  return {i, unusual};
}

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
inline bool parse_tree_entry(ByteView rest, HashKind kind, TreeEntry& entry) {
  namespace detail = tree_entry_detail;
  const std::size_t id = id_size(kind);
  const std::uint8_t* const start = rest.data();
  if (rest.size() < id + 3 || start[rest.size() - id - 1] != 0) return false;

  // From here on there is a NUL before the last id, so that no scan leaves the tree.
  std::size_t mode_size = 6;
  entry.unusual = 0;
  const std::uint64_t head = detail::load_be64(start);
  const std::uint64_t head7 = head & detail::text_mask(7);
  if (head7 == detail::packed_text("100644 ")) {
    entry.mode = 0100644;
  } else if ((head & detail::text_mask(6)) == detail::packed_text("40000 ")) {
    entry.mode = 0040000;
    mode_size = 5;
  } else if (head7 == detail::packed_text("100755 ")) {
    entry.mode = 0100755;
  } else if (head7 == detail::packed_text("120000 ")) {
    entry.mode = 0120000;
  } else if (head7 == detail::packed_text("160000 ")) {
    entry.mode = 0160000;
  } else {
    const detail::ModeParse mode = detail::parse_mode_text(start);
    if (mode.text_size == 0) return false;
    entry.mode = mode.mode;
    mode_size = mode.text_size;
    entry.unusual = kUnusualMode;
  }
  const std::uint8_t* const name = start + mode_size + 1;
  const detail::NameScan scan = detail::scan_name(name, start + rest.size());
  if (scan.size == 0) return false;
  if (scan.unusual_byte) entry.unusual |= kUnusualByte;
  entry.mode_text = {reinterpret_cast<const char*>(start), mode_size};
  entry.name = {reinterpret_cast<const char*>(name), scan.size};
  entry.id = name + scan.size + 1;
  entry.size = mode_size + scan.size + 2 + id;
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

// How two neighbours stand to each other, as bits that may be or-ed over all pairs of a tree.
//
// Duplicates need not be neighbours: "x", "x.1", "x/" is in order, pair by pair, for a directory
// sorts as if it ended in '/'. Such a duplicate has a pair that opens (file "x", then "x.1") and
// later one that closes ("x.1", then directory "x").
enum PairOrder : std::uint32_t {
  kPairWrong = 1U << 0,   // same name or not ascending
  kPairOpens = 1U << 1,   // a file, then its name and a byte below '/'
  kPairCloses = 1U << 2,  // an entry, then a directory of which it is the name and a byte below '/'
};

// Returns: 0 for most pairs of a sound tree. Over all pairs of a tree, a tree that is not in order
// or holds a name twice has kPairWrong, or both kPairOpens and kPairCloses. Requires: both entries
// come from parse_tree_entry().
inline std::uint32_t pair_order(const TreeEntry& prev, const TreeEntry& next) {
  namespace detail = tree_entry_detail;
  const char* const a = prev.name.data();
  const char* const b = next.name.data();
  const std::size_t shared =
      prev.name.size() < next.name.size() ? prev.name.size() : next.name.size();
  // A NUL and an id follow each name, so eight bytes may be read at each byte of it.
  for (std::size_t i = 0; i < shared; i += 8) {
    const std::uint64_t x = detail::load_be64(a + i);
    const std::uint64_t y = detail::load_be64(b + i);
    if (x != y) {
      const auto differs = i + static_cast<std::size_t>(std::countl_zero(x ^ y)) / 8;
      if (differs < shared) return x < y ? 0U : static_cast<std::uint32_t>(kPairWrong);
      break;
    }
  }
  // One name is the start of the other. The NUL that ends it counts as '/' for a directory.
  auto after_prev = static_cast<std::uint8_t>(a[shared]);
  auto after_next = static_cast<std::uint8_t>(b[shared]);
  if (after_prev == 0 && after_next == 0) return kPairWrong;
  if (after_prev == 0 && is_directory_mode(prev.mode)) after_prev = '/';
  if (after_next == 0 && is_directory_mode(next.mode)) after_next = '/';
  if (after_prev >= after_next) return kPairWrong;
  if (after_prev == 0 && after_next < '/') return kPairOpens;
  if (after_next == '/' && b[shared] == 0) return kPairCloses;
  return 0;
}

// Returns: true when the pair alone tells nothing certain: the tree then needs the exact check.
// False for all pairs of a tree: it is in order and no name occurs twice.
inline bool may_be_duplicate_or_unsorted(const TreeEntry& prev, const TreeEntry& next) {
  return pair_order(prev, next) != 0;
}

// git's order of entries: names as bytes, a directory as if its name ended in '/'.
// Returns: < 0, 0 or > 0; 0 only for equal names of the same kind.
inline int compare_tree_entries(const TreeEntry& a, const TreeEntry& b) {
  const std::size_t shared = a.name.size() < b.name.size() ? a.name.size() : b.name.size();
  const int order = std::memcmp(a.name.data(), b.name.data(), shared);
  if (order != 0) return order;
  const auto after = [shared](const TreeEntry& entry) -> int {
    if (entry.name.size() > shared) return static_cast<std::uint8_t>(entry.name[shared]);
    return is_directory_mode(entry.mode) ? '/' : 0;
  };
  return after(a) - after(b);
}

// Watches the order of all entries of one tree, duplicates that are not neighbours included.
class TreeOrder {
 public:
  // Returns: true when the tree needs the exact check. Requires: the entries of one tree, in turn,
  // from parse_tree_entry(); the tree stays where it is.
  bool add(const TreeEntry& next) {
    bool unusual = false;
    if (has_previous_) {
      const std::uint32_t order = pair_order(previous_, next);
      if (order != 0) [[unlikely]]
        unusual = settle(order, next);
    }
    previous_ = next;
    has_previous_ = true;
    return unusual;
  }

 private:
  bool settle(std::uint32_t order, const TreeEntry& next) {
    if (order == kPairOpens) {
      if (open_count_ == open_.size()) return true;
      open_[open_count_++] = previous_.name;
      return false;
    }
    if (order != kPairCloses) return true;
    for (std::size_t i = 0; i < open_count_; ++i) {
      if (open_[i] == next.name) return true;
    }
    return false;
  }

  TreeEntry previous_;
  bool has_previous_ = false;
  std::size_t open_count_ = 0;
  std::array<std::string_view, 16> open_;  // files whose name some later directory might repeat
};

}  // namespace assay
