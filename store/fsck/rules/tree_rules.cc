#include "store/fsck/rules/tree_rules.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "store/fsck/dotgit_name.h"

namespace assay {
namespace {

bool is_symlink_mode(std::uint32_t mode) { return (mode & kModeTypeMask) == kModeSymlink; }

bool is_good_mode(std::uint32_t mode, bool strict) {
  switch (mode) {
    case 0100644:
    case 0100755:
    case kModeSymlink:
    case kModeDirectory:
    case kModeGitlink:
      return true;
    case 0100664:  // written by early versions of git
      return !strict;
    default:
      return false;
  }
}

bool is_null(const std::uint8_t* id, HashKind kind) {
  return std::all_of(id, id + id_size(kind), [](std::uint8_t byte) { return byte == 0; });
}

constexpr bool sorts_below_slash(std::uint8_t c) { return c > 0 && c < '/'; }

// What was found in any entry of one tree: each is reported once, at the end.
struct TreeFlags {
  bool null_id = false;
  bool full_path = false;
  bool dot = false;
  bool dotdot = false;
  bool dotgit = false;
  bool zero_padded = false;
  bool bad_mode = false;
  bool duplicate = false;
  bool unsorted = false;
  bool large_name = false;
};

class TreeCheck {
 public:
  TreeCheck(HashKind kind, RuleReporter& reporter, SpecialBlobs& special)
      : kind_(kind), reporter_(reporter), special_(special) {}

  void run(ByteView rest);

 private:
  void look_at(const TreeEntry& entry);
  void look_at_special(const TreeEntry& entry);
  void look_at_order(const TreeEntry& next);
  bool repeats_an_earlier_file(std::string_view directory);
  void report_bad_tree(ByteView rest);
  void report_flags();

  HashKind kind_;
  RuleReporter& reporter_;
  SpecialBlobs& special_;
  TreeFlags flags_;
  std::optional<TreeEntry> previous_;
  // Files whose name some later directory might repeat, each the start of the next one.
  std::vector<std::string_view> open_files_;
};

void TreeCheck::run(ByteView rest) {
  TreeEntry entry;
  if (!rest.empty() && !parse_tree_entry(rest, kind_, entry)) {
    report_bad_tree(rest);
    return;
  }
  while (!rest.empty()) {
    look_at(entry);
    const TreeEntry current = entry;
    rest = rest.subspan(current.size);
    // As in git, the mode and the place of an entry count only when the next one can be read.
    if (!rest.empty() && !parse_tree_entry(rest, kind_, entry)) {
      report_bad_tree(rest);
      break;
    }
    flags_.bad_mode |= !is_good_mode(current.mode, reporter_.policy().strict());
    if (previous_) look_at_order(current);
    previous_ = current;
  }
  report_flags();
}

void TreeCheck::look_at(const TreeEntry& entry) {
  flags_.null_id |= is_null(entry.id, kind_);
  flags_.full_path |= entry.name.find('/') != std::string_view::npos;
  flags_.dot |= entry.name == ".";
  flags_.dotdot |= entry.name == "..";
  flags_.zero_padded |= entry.mode_text[0] == '0';
  flags_.large_name |= entry.name.size() > reporter_.policy().max_pathname_size();
  look_at_special(entry);
}

// The messages about symbolic links come at once and for each entry, and the plain name and what
// stands behind each backslash count separately.
void TreeCheck::look_at_special(const TreeEntry& entry) {
  const std::uint32_t names = hfs_names(entry.name) | ntfs_names(entry.name);
  const bool symlink = is_symlink_mode(entry.mode);
  const auto gitmodules = [&] {
    if (symlink) {
      reporter_.report(MessageId::kGitmodulesSymlink, ".gitmodules is a symbolic link");
    } else {
      special_.add_gitmodules(ObjectId::from_raw(entry.id, kind_));
    }
  };
  flags_.dotgit |= (names & kNameDotgit) != 0;
  if (names & kNameGitmodules) gitmodules();
  if (names & kNameGitattributes) {
    if (symlink) {
      reporter_.report(MessageId::kGitattributesSymlink, ".gitattributes is a symlink");
    } else {
      special_.add_gitattributes(ObjectId::from_raw(entry.id, kind_));
    }
  }
  if (symlink && (names & kNameGitignore)) {
    reporter_.report(MessageId::kGitignoreSymlink, ".gitignore is a symlink");
  }
  if (symlink && (names & kNameMailmap)) {
    reporter_.report(MessageId::kMailmapSymlink, ".mailmap is a symlink");
  }
  for (std::size_t i = entry.name.find('\\'); i != std::string_view::npos;
       i = entry.name.find('\\', i + 1)) {
    const std::uint32_t behind = ntfs_names(entry.name.substr(i + 1));
    flags_.dotgit |= (behind & kNameDotgit) != 0;
    if (behind & kNameGitmodules) gitmodules();
  }
}

void TreeCheck::look_at_order(const TreeEntry& next) {
  const std::string_view a = previous_->name;
  const std::string_view b = next.name;
  const std::size_t shared = std::min(a.size(), b.size());
  const int order = a.substr(0, shared).compare(b.substr(0, shared));
  if (order != 0) {
    flags_.unsorted |= order > 0;
    return;
  }
  if (a.size() == b.size()) {
    flags_.duplicate = true;
    return;
  }
  // The end of a name counts as 0, or as '/' for a directory.
  const auto after = [shared](const TreeEntry& entry) -> std::uint8_t {
    if (entry.name.size() > shared) return static_cast<std::uint8_t>(entry.name[shared]);
    return is_directory_mode(entry.mode) ? '/' : 0;
  };
  const std::uint8_t after_a = after(*previous_);
  const std::uint8_t after_b = after(next);
  if (after_a == 0 && sorts_below_slash(after_b)) {
    open_files_.push_back(a);
  } else if (after_b == '/' && sorts_below_slash(after_a) && repeats_an_earlier_file(b)) {
    flags_.duplicate = true;
    return;
  }
  flags_.unsorted |= after_a >= after_b;
}

// Closes the open files that no later directory can repeat. Where git closes one too many (after an
// entry that is out of order, or whose name holds a slash), so does this.
bool TreeCheck::repeats_an_earlier_file(std::string_view directory) {
  while (!open_files_.empty()) {
    const std::string_view file = open_files_.back();
    open_files_.pop_back();
    if (!directory.starts_with(file)) continue;
    if (directory.size() == file.size()) return true;
    if (sorts_below_slash(static_cast<std::uint8_t>(directory[file.size()]))) {
      open_files_.push_back(file);
      return false;
    }
  }
  return false;
}

void TreeCheck::report_bad_tree(ByteView rest) {
  const std::string_view words = tree_entry_words(tree_entry_problem(rest, kind_));
  reporter_.report(MessageId::kBadTree, "cannot be parsed as a tree", words);
}

void TreeCheck::report_flags() {
  // git's order. Its emptyName cannot happen: such a tree cannot be parsed.
  const auto report_if = [this](bool flag, MessageId id, const char* text) {
    if (flag) reporter_.report(id, text);
  };
  report_if(flags_.null_id, MessageId::kNullSha1, "contains entries pointing to null sha1");
  report_if(flags_.full_path, MessageId::kFullPathname, "contains full pathnames");
  report_if(flags_.dot, MessageId::kHasDot, "contains '.'");
  report_if(flags_.dotdot, MessageId::kHasDotdot, "contains '..'");
  report_if(flags_.dotgit, MessageId::kHasDotgit, "contains '.git'");
  report_if(flags_.zero_padded, MessageId::kZeroPaddedFilemode, "contains zero-padded file modes");
  report_if(flags_.bad_mode, MessageId::kBadFilemode, "contains bad file modes");
  report_if(flags_.duplicate, MessageId::kDuplicateEntries, "contains duplicate file entries");
  report_if(flags_.unsorted, MessageId::kTreeNotSorted, "not properly sorted");
  report_if(flags_.large_name, MessageId::kLargePathname, "contains excessively large pathname");
}

}  // namespace

void check_tree_rules(ByteView body, HashKind kind, RuleReporter& reporter, SpecialBlobs& special) {
  TreeCheck(kind, reporter, special).run(body);
}

bool inspect_entry(const TreeEntry& entry, std::uint32_t quick, HashKind kind,
                   SpecialBlobs& special) {
  if ((quick & ~std::uint32_t{kQuickName}) != 0) return true;
  if (entry.name.find('/') != std::string_view::npos || entry.name == "." || entry.name == "..") {
    return true;
  }
  const std::uint32_t names = dotgit_names(entry.name);
  if (names == 0) return false;
  if ((names & kNameDotgit) != 0 || is_symlink_mode(entry.mode)) return true;
  if (names & kNameGitmodules) special.add_gitmodules(ObjectId::from_raw(entry.id, kind));
  if (names & kNameGitattributes) special.add_gitattributes(ObjectId::from_raw(entry.id, kind));
  return false;
}

}  // namespace assay
