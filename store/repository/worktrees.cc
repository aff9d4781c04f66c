#include "store/repository/worktrees.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/os/follow_file.h"

namespace assay {
namespace {

constexpr std::uint64_t kMaxLinkSize = 64 << 10;  // of a `gitdir` file, bytes

bool same_directory(os::System& system, const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto one = system.status_at(os::kCurrentDirectory, a, true);
  const auto other = system.status_at(os::kCurrentDirectory, b, true);
  return one && other && one->device == other->device && one->inode == other->inode;
}

}  // namespace

WorktreeList list_worktrees(os::System& system, const std::string& common_dir,
                            const std::string& git_dir) {
  WorktreeList list;
  list.worktrees.push_back({"", common_dir, same_directory(system, common_dir, git_dir)});
  const std::string directory = common_dir + "/worktrees";
  const auto listed = system.list(os::kCurrentDirectory, directory);
  if (!listed) {
    if (!os::is_missing(listed.error())) {
      list.problems.emplace_back(
          MessageId::kRefUnreadable,
          fmt::format("cannot open directory {}: {}", directory, listed.error().text()));
    }
    return list;
  }
  std::vector<std::string> ids;
  for (const os::DirectoryEntry& entry : *listed) ids.push_back(entry.name);
  std::sort(ids.begin(), ids.end());
  for (const std::string& id : ids) {
    Worktree worktree;
    worktree.id = id;
    worktree.git_dir = fmt::format("{}/{}", directory, id);
    // As git: what does not say where its work tree is, is no worktree.
    const auto link = os::read_followed_file(system, worktree.git_dir + "/gitdir", kMaxLinkSize);
    if (!link || link->empty()) continue;
    worktree.is_current = same_directory(system, worktree.git_dir, git_dir);
    list.worktrees.push_back(std::move(worktree));
  }
  return list;
}

std::string Worktree::ref_name(std::string_view name) const {
  if (is_current) return std::string(name);
  if (id.empty()) return fmt::format("main-worktree/{}", name);
  return fmt::format("worktrees/{}/{}", id, name);
}

}  // namespace assay
