#include "store/fsck/check_special_blobs.h"

#include <algorithm>
#include <set>

#include "store/fsck/copy_reader.h"
#include "store/fsck/object_places.h"
#include "store/fsck/phases.h"
#include "store/fsck/rules/gitattributes_rules.h"
#include "store/fsck/rules/gitmodules_rules.h"

namespace assay {
namespace {

// Gives findings their place among the special blobs.
class OrderingSink : public FindingSink {
 public:
  OrderingSink(const Storage& storage, const LinkLedger& ledger, FindingSink& sink)
      : storage_(storage), ledger_(ledger), sink_(sink) {}
  void add(Finding finding) override {
    finding.order = {kPhaseSpecialBlobs, 0, count_++, 0};
    ObjectPlace place = place_of(storage_, ledger_, *finding.oid);
    finding.file = std::move(place.file);
    finding.offset = place.offset;
    if (packed && finding.bit == ExitBit::kBitObject) finding.bit = ExitBit::kBitPack;
    if (dies) finding.bit = ExitBit::kBitDies;
    sink_.add(std::move(finding));
  }

  bool packed = false;  // the blob at hand lies in a pack
  bool dies = false;    // git dies when it reads the blob at hand

 private:
  const Storage& storage_;
  const LinkLedger& ledger_;
  FindingSink& sink_;
  std::uint64_t count_ = 0;
};

bool lies_loose(const Storage& storage, std::uint32_t number) {
  return std::any_of(storage.fanouts().begin(), storage.fanouts().end(),
                     [&](const StoredFanout& fanout) {
                       return std::find(fanout.numbers.begin(), fanout.numbers.end(), number) !=
                              fanout.numbers.end();
                     });
}

bool lies_in_a_pack(const Storage& storage, const ObjectId& id) {
  return std::any_of(storage.packs().begin(), storage.packs().end(), [&](const StoredPack& pack) {
    return pack.index->find(id.data()).has_value();
  });
}

class SpecialBlobCheck {
 public:
  SpecialBlobCheck(const Storage& storage, const LinkLedger& ledger, const ObjectIdSet& promised,
                   const StorageCheckOptions& options, FindingSink& findings)
      : storage_(storage),
        ledger_(ledger),
        promised_(promised),
        options_(options),
        sink_(storage, ledger, findings),
        reporter_(*options.verify.policy, sink_),
        reader_(storage, options.memory) {}

  void check(const SpecialBlobs::Ids& ids, const SpecialBlobRules& rules);

 private:
  void check_absent(const ObjectId& id, std::uint32_t number, const SpecialBlobRules& rules);
  void check_present(std::uint32_t number, const SpecialBlobRules& rules);

  const Storage& storage_;
  const LinkLedger& ledger_;
  const ObjectIdSet& promised_;
  const StorageCheckOptions& options_;
  OrderingSink sink_;
  RuleReporter reporter_;
  CopyReader reader_;
};

void SpecialBlobCheck::check(const SpecialBlobs::Ids& ids, const SpecialBlobRules& rules) {
  for (const ObjectId& id : std::set<ObjectId>(ids.begin(), ids.end())) {
    const std::uint32_t number = ledger_.table().find(id);
    const ObjectType type =
        number == ObjectTable::kAbsent ? ObjectType::kUnknown : ledger_.present_type(number);
    sink_.packed = type != ObjectType::kUnknown && lies_in_a_pack(storage_, id);
    reporter_.begin(type == ObjectType::kUnknown ? ObjectType::kBlob : type, id);
    if (type == ObjectType::kUnknown) {
      check_absent(id, number, rules);
    } else if (type == ObjectType::kBlob) {
      check_present(number, rules);
    } else {
      rules.report_non_blob(reporter_);
    }
  }
}

// git judges what it reads at the end of its run, whatever the hash.
void SpecialBlobCheck::check_absent(const ObjectId& id, std::uint32_t number,
                                    const SpecialBlobRules& rules) {
  bool dies = false;
  const auto found =
      number == ObjectTable::kAbsent ? std::nullopt : reader_.read_unchecked(number, dies);
  sink_.dies = dies;
  if (found && found->type == ObjectType::kBlob) {
    rules.check(found->bytes, reporter_);
  } else if (found) {
    reporter_.begin(found->type, id);
    rules.report_non_blob(reporter_);
  } else if (!promised_.contains(id)) {
    rules.report_missing(reporter_);
  }
  sink_.dies = false;
}

void SpecialBlobCheck::check_present(std::uint32_t number, const SpecialBlobRules& rules) {
  const auto object = reader_.read(number);
  // It was verified, so what cannot be read is only larger than what may be held.
  const bool large = !object || (object->bytes.size() > options_.big_file_threshold &&
                                 !lies_loose(storage_, number));
  if (large) {
    rules.report_large(reporter_);
  } else {
    rules.check(object->bytes, reporter_);
  }
}

}  // namespace

void check_special_blobs(const Storage& storage, const LinkLedger& ledger,
                         const SpecialBlobs& blobs, const ObjectIdSet& promised,
                         const StorageCheckOptions& options, FindingSink& findings) {
  SpecialBlobCheck check(storage, ledger, promised, options, findings);
  check.check(blobs.gitmodules(), kGitmodulesRules);
  check.check(blobs.gitattributes(), kGitattributesRules);
}

}  // namespace assay
