#include "store/fsck/check_peeled.h"

#include <fmt/format.h>

#include "store/fsck/fault_reporter.h"
#include "store/fsck/phases.h"
#include "store/object/tag.h"

namespace assay {
namespace {

// Ids are hashes of what they lead to, so chains end; they may be long all the same.
constexpr int kMaxTagDepth = 1000;

// Returns: the object at the end of the chain of tags, or nothing if a tag cannot be read.
std::optional<ObjectId> end_of_chain(ObjectId id, const ReadObject& read) {
  for (int depth = 0; depth < kMaxTagDepth; ++depth) {
    const auto object = read(id);
    if (!object || object->type != ObjectType::kTag) return std::nullopt;
    const auto tag = parse_tag(object->bytes, id);
    if (!tag) return std::nullopt;
    if (tag->target_type != ObjectType::kTag) return tag->target;
    id = tag->target;
  }
  return std::nullopt;
}

}  // namespace

void check_peeled(const PackedRefs& packed, const std::string& shown, const ObjectView& objects,
                  const ReadObject& read, const Policy& policy, FindingSink& findings) {
  FaultReporter reporter(policy, findings, kPhasePeeled);
  reporter.enter_file(shown);
  const auto report = [&](const PackedRef& ref, std::string text) {
    Finding found = reporter.finding(MessageId::kPeeledUntrue,
                                     fmt::format("{}:{}: {}: {}", shown, ref.line, ref.name, text));
    found.ref = ref.name;
    found.oid = ref.id;
    reporter.report(std::move(found));
  };
  for (const PackedRef& ref : packed.refs) {
    if (!ref.peeled && !packed.fully_peeled) continue;
    const auto type = objects.type_of(ref.id);
    if (!type) continue;
    if (*type != ObjectType::kTag) {
      if (ref.peeled) report(ref, "has a peeled value, but is no tag");
      continue;
    }
    const auto end = end_of_chain(ref.id, read);
    if (!end || !objects.type_of(*end)) continue;
    if (!ref.peeled) {
      report(ref, fmt::format("lacks its peeled value {}", end->hex()));
    } else if (*ref.peeled != *end) {
      report(ref, fmt::format("the peeled value is {}, but the tag leads to {}", ref.peeled->hex(),
                              end->hex()));
    }
  }
}

}  // namespace assay
