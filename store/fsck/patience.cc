#include "store/fsck/patience.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace assay {
namespace {

using std::chrono::milliseconds;

constexpr int kMostLooks = 16;
constexpr std::chrono::seconds kLeastPatience(5);
constexpr milliseconds kFirstWait(5);
constexpr milliseconds kLongestWait(100);
// A pack without an index is one that git is about to finish or to remove.
constexpr milliseconds kOrphanTime(400);
// A commit-graph names commits that gc has pruned until gc, some steps later, writes it anew.
constexpr milliseconds kGraphTime(1000);
// Found in so many looks in a row, over such a time, it stands though the repository moves.
constexpr int kSteadyLooks = 3;
constexpr milliseconds kSteadyTime(200);

bool is_orphan(const Finding& finding) {
  return finding.id == MessageId::kPackOrphan || finding.id == MessageId::kPackIndexOrphan ||
         finding.id == MessageId::kSatelliteOrphan;
}

// True when the finding compares files that were read at different times. What a single file says
// is read twice where it may change (Checker::check_twice), and stands.
bool compares_files(const Finding& finding) {
  switch (finding.id) {
    case MessageId::kCruftFile:
    case MessageId::kSymlinkInObjects:
    case MessageId::kGraftBad:
    case MessageId::kRefBroken:
    case MessageId::kRefUnreadable:
    case MessageId::kPackedRefsBad:
    case MessageId::kReftableBad:
    case MessageId::kReftableDoubtful:
    case MessageId::kReflogLineBad:
    case MessageId::kReflogUnreadable:
    case MessageId::kIndexFileBad:
    case MessageId::kIndexEntryBad:
    case MessageId::kIndexExtensionBad:
      return false;
    default:
      return message(finding.id).shape != Shape::kInRef;
  }
}

}  // namespace

bool is_alarm(const Finding& finding) {
  return finding.severity != Severity::kIgnore && finding.id != MessageId::kDangling &&
         finding.id != MessageId::kUnreachable && finding.id != MessageId::kRoot &&
         finding.id != MessageId::kTagged;
}

Patience::Patience(std::chrono::steady_clock::duration first_look)
    : limit_(std::max<Clock::duration>(first_look, kLeastPatience)), begin_(Clock::now()) {}

std::string Patience::key(const Finding& finding) {
  return fmt::format("{} {} {} {}", static_cast<unsigned>(finding.id), finding.ref, finding.file,
                     finding.text);
}

bool Patience::is_steady(const Seen& seen, int looks, Clock::duration time) const {
  return seen.looks >= looks && Clock::now() - seen.first >= time;
}

bool Patience::wants_another_look(const std::vector<Finding>& found, const Look& look) {
  ++looks_;
  std::map<std::string, Seen> seen;
  bool orphans = false;
  bool graphs = false;
  for (const Finding& finding : found) {
    if (!is_alarm(finding) || !compares_files(finding)) continue;
    orphans = orphans || is_orphan(finding);
    graphs = graphs || finding.id == MessageId::kCommitGraphBad;
    const std::string name = key(finding);
    const auto former = seen_.find(name);
    Seen now{1, Clock::now()};
    if (former != seen_.end()) now = {former->second.looks + 1, former->second.first};
    seen.emplace(name, now);
  }
  seen_ = std::move(seen);
  unsettled_ = false;
  if (seen_.empty() && !look.unsettled) return false;
  const auto time = Clock::now() - begin_;
  const bool may_pass =
      look.packs_are_fresh && ((orphans && time < kOrphanTime) || (graphs && time < kGraphTime));
  if (!look.moved && !look.unsettled && !may_pass) return false;
  const bool steady =
      !look.unsettled && std::all_of(seen_.begin(), seen_.end(), [this](const auto& entry) {
        return is_steady(entry.second, kSteadyLooks, kSteadyTime);
      });
  if (steady && !may_pass) return false;
  if (looks_ >= kMostLooks || Clock::now() - begin_ > limit_) {
    unsettled_ = true;
    return false;
  }
  std::this_thread::sleep_for(std::min(kLongestWait, kFirstWait * (1 << std::min(looks_ - 1, 6))));
  return true;
}

std::vector<Finding> Patience::take_doubtful(std::vector<Finding>& found) const {
  std::vector<Finding> doubtful;
  if (!unsettled_) return doubtful;
  const auto first = std::stable_partition(found.begin(), found.end(), [this](const Finding& one) {
    if (!is_alarm(one) || !compares_files(one)) return true;
    const auto seen = seen_.find(key(one));
    return seen != seen_.end() && is_steady(seen->second, kSteadyLooks, kSteadyTime);
  });
  doubtful.assign(std::make_move_iterator(first), std::make_move_iterator(found.end()));
  found.erase(first, found.end());
  return doubtful;
}

}  // namespace assay
