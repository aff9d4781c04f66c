// Names that some file system takes for .git and its companions.
//
// HFS+ ignores some code points and case; NTFS ignores case and trailing dots and blanks, knows
// short names (git~1) and streams (.git::$INDEX_ALLOCATION). A name that git's own readers would
// refuse on any of them is refused on all. Pure functions over views; a name holds no NUL.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay {

enum DotgitName : std::uint32_t {
  kNameDotgit = 1U << 0,
  kNameGitmodules = 1U << 1,
  kNameGitattributes = 1U << 2,
  kNameGitignore = 1U << 3,
  kNameMailmap = 1U << 4,
};

// Returns: the DotgitName bits that HFS+ sees in the name.
std::uint32_t hfs_names(std::string_view name);

// Returns: the DotgitName bits that NTFS sees in the name.
std::uint32_t ntfs_names(std::string_view name);

// Returns: all bits of an entry of a tree, including .git and .gitmodules behind a backslash, which
// separates directories on Windows.
std::uint32_t dotgit_names(std::string_view name);

}  // namespace assay
