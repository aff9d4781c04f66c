#include "tools/fsck/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/common/finding_lines.h"
#include "tools/fsck/exit_code.h"
#include "tools/fsck/json_lines.h"

namespace assay::tools {
namespace {

constexpr std::size_t kFlood = 20;        // more of one message are counted
constexpr std::size_t kMostMessages = 5;  // named
constexpr std::size_t kMostFiles = 5;     // named

// Files that git makes anew from others.
bool is_derived(MessageId id) {
  if (is_about_graph_file(id)) return true;
  switch (id) {
    case MessageId::kPackIndexBad:
    case MessageId::kPackIndexHashMismatch:
    case MessageId::kPackIndexOrder:
    case MessageId::kReverseIndexBad:
    case MessageId::kReverseIndexUntrue:
    case MessageId::kBitmapBad:
    case MessageId::kBitmapUntrue:
    case MessageId::kIndexFileBad:
    case MessageId::kInvalidCacheTreePointer:
    case MessageId::kInvalidResolveUndoPointer:
      return true;
    default:
      return false;
  }
}

bool is_about_links(MessageId id) {
  return id == MessageId::kMissing || id == MessageId::kBrokenLink ||
         id == MessageId::kInvalidRefPointer || id == MessageId::kInvalidReflogEntry;
}

// The most frequent first, equal numbers in the order of the keys.
template <typename Key>
std::vector<std::pair<Key, std::size_t>> by_count(const std::map<Key, std::size_t>& counts,
                                                  std::size_t more_than) {
  std::vector<std::pair<Key, std::size_t>> sorted;
  for (const auto& [key, count] : counts) {
    if (count > more_than) sorted.emplace_back(key, count);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

class Summary {
 public:
  explicit Summary(std::span<const Finding> findings) {
    for (const Finding& finding : findings) {
      if (finding.severity >= Severity::kWarn) add(finding);
    }
    status_ = simple_status(findings, false);
  }

  std::string lines() const {
    if (messages_.empty()) return "";
    std::string text;
    const auto floods = by_count(messages_, kFlood);
    for (std::size_t i = 0; i < floods.size() && i < kMostMessages; ++i) {
      const Message& row = message(floods[i].first);
      text += fmt::format("hint: {} times {} ({})\n", floods[i].second, row.name,
                          class_name(row.klass));
    }
    const auto files = by_count(files_, 1);
    for (std::size_t i = 0; i < files.size() && i < kMostFiles; ++i) {
      text += fmt::format("hint: {} of the findings come from {}\n", files[i].second,
                          printable(files[i].first));
    }
    if (files.size() > kMostFiles) {
      text +=
          fmt::format("hint: ... and from {}\n", plural(files.size() - kMostFiles, "more file"));
    }
    return text + "hint: " + what_to_do() + "\n";
  }

 private:
  void add(const Finding& finding) {
    const Message& row = message(finding.id);
    ++messages_[finding.id];
    // The file of a broken link holds its parent, which is sound.
    const bool of_file = !finding.file.empty() && !finding.from;
    if (row.klass == FaultClass::kIntegrity && of_file) ++files_[finding.file];
    if (finding.severity < Severity::kError) return;
    if (row.klass == FaultClass::kSecurity) security_ = row.name;
    if (row.klass == FaultClass::kCosmetic) {
      cosmetic_ = row.name;
    } else if (row.klass == FaultClass::kIntegrity) {
      if (is_derived(finding.id)) {
        derived_ = true;
      } else if (finding.oid && row.shape != Shape::kInObject) {
        lost_.insert(*finding.oid);
      } else if (!is_about_links(finding.id)) {
        other_ = row.name;
      }
    }
  }

  std::string what_to_do() const {
    if (status_ == kSimpleTransient || status_ == kSimplePermission) {
      return status_ == kSimpleTransient
                 ? "not all could be read: look into the system's log, then run this again"
                 : "not all could be read for lack of permission: run this as another user";
    }
    if (status_ == kSimpleInconclusive) {
      return "files changed meanwhile: run this again when nothing writes there";
    }
    if (!security_.empty()) {
      return fmt::format(
          "treat the repository as hostile until you know where it comes from; "
          "docs/messages.md explains {}",
          security_);
    }
    if (!lost_.empty()) {
      return fmt::format(
          "{} damaged or missing: put the objects directory of a good clone into "
          "objects/info/alternates, check again, then run git repack -ad",
          plural(lost_.size(), "object"));
    }
    if (!other_.empty()) return fmt::format("docs/messages.md explains {}", other_);
    if (derived_) return "only files that git makes anew are damaged: docs/messages.md says how";
    if (!cosmetic_.empty()) {
      return fmt::format(
          "no data is lost; if this is known, keep it in a file by "
          "--write-baseline, or lower it by -c fsck.{}=warn",
          cosmetic_);
    }
    return "only warnings: docs/messages.md explains them";
  }

  std::map<MessageId, std::size_t> messages_;
  std::map<std::string, std::size_t> files_;
  std::set<ObjectId> lost_;
  std::string_view security_;  // the last message of the class
  std::string_view cosmetic_;
  std::string_view other_;
  bool derived_ = false;
  int status_ = 0;
};

}  // namespace

std::string advice(std::span<const Finding> findings) { return Summary(findings).lines(); }

}  // namespace assay::tools
