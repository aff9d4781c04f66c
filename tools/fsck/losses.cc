#include "tools/fsck/losses.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "tools/common/finding_lines.h"

namespace assay::tools {
namespace {

// Whether the object of the finding is missing or one of its copies damaged.
bool is_loss(const Finding& finding) {
  if (!finding.oid || finding.severity < Severity::kError) return false;
  switch (finding.id) {
    case MessageId::kMissing:
    case MessageId::kBrokenLink:
    case MessageId::kInvalidRefPointer:
    case MessageId::kObjectCorrupt:
    case MessageId::kHashPathMismatch:
    case MessageId::kObjectUnreadable:
    case MessageId::kSizeMismatch:
    case MessageId::kEntryCrcMismatch:
    case MessageId::kEntryHeaderBad:
    case MessageId::kEntryOffsetBad:
    case MessageId::kEntryUnpackable:
    case MessageId::kDeltaBaseBad:
    case MessageId::kDeltaCycle:
    case MessageId::kPackedObjectCorrupt:
      return true;
    default:
      return false;
  }
}

// "a/b in commit X", "a parent of commit X", or that nobody needs it. `complete`: all was looked
// at.
std::string place_of(const LostObject& object, bool complete) {
  if (!object.commit && object.ref_count > 0) return "named by a ref";
  if (!object.commit)
    return complete ? "reached from no ref" : "not met before a limit was reached";
  if (!object.path) return fmt::format("a parent of commit {}", object.commit->hex());
  return fmt::format("{} in commit {}", object.path->empty() ? "the top tree" : *object.path,
                     object.commit->hex());
}

}  // namespace

Losses Losses::of(os::System& system, const OpenOptions& options,
                  std::span<const Finding> findings) {
  std::set<ObjectId> met;
  std::vector<ObjectId> lost;  // in the order of the findings
  for (const Finding& finding : findings) {
    if (is_loss(finding) && met.insert(*finding.oid).second) lost.push_back(*finding.oid);
  }
  Losses losses;
  if (lost.empty()) return losses;
  const auto store = ObjectStore::open(system, options);
  if (store) losses.lost_ = explain_lost_objects(**store, lost);
  return losses;
}

void Losses::add_to(JsonObject& record, const Finding& finding) const {
  if (!is_loss(finding)) return;
  const auto found = lost_.objects.find(*finding.oid);
  if (found == lost_.objects.end()) return;
  const LostObject& object = found->second;
  if (object.path) record.text("path", *object.path);
  if (object.commit) record.text("commit", object.commit->hex());
  if (!object.refs.empty()) record.texts("refs", object.refs);
  if (object.ref_count > 0) record.number("ref_count", object.ref_count);
  record.boolean("good_copy", object.good_copy);
}

std::string Losses::hints() const {
  constexpr std::size_t kMost = 20;
  std::string text;
  std::size_t shown = 0;
  for (const auto& [id, object] : lost_.objects) {
    if (shown == kMost) {
      text += fmt::format("hint: ... and {} more\n", lost_.objects.size() - kMost);
      break;
    }
    ++shown;
    std::string line = fmt::format("{} is {}", id.hex(), place_of(object, lost_.complete));
    if (!object.refs.empty()) {
      line += ", reached from " + object.refs[0];
      const std::size_t more = object.ref_count - 1;
      if (more > 0) line += fmt::format(" and {} more ref{}", more, more == 1 ? "" : "s");
    }
    line += object.good_copy ? "; a good copy exists" : "; no good copy";
    text += "hint: " + printable(line) + "\n";
  }
  return text;
}

}  // namespace assay::tools
