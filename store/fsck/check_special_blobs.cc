#include "store/fsck/check_special_blobs.h"

#include <algorithm>
#include <vector>

#include "store/fsck/copy_reader.h"
#include "store/fsck/object_places.h"
#include "store/fsck/phases.h"
#include "store/fsck/rules/gitattributes_rules.h"
#include "store/fsck/rules/gitmodules_rules.h"

namespace assay {
namespace {

struct Family {
  const SpecialBlobs::Ids& ids;
  MessageId missing;
  MessageId not_a_blob;
  std::string_view name;
  void (*check)(ByteView, RuleReporter&);
  void (*report_large)(RuleReporter&);
};

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

}  // namespace

void check_special_blobs(const Storage& storage, const LinkLedger& ledger,
                         const SpecialBlobs& blobs, const ObjectIdSet& promised,
                         const StorageCheckOptions& options, FindingSink& findings) {
  const Family families[] = {
      {blobs.gitmodules(), MessageId::kGitmodulesMissing, MessageId::kGitmodulesBlob, ".gitmodules",
       check_gitmodules_blob, report_large_gitmodules},
      {blobs.gitattributes(), MessageId::kGitattributesMissing, MessageId::kGitattributesBlob,
       ".gitattributes", check_gitattributes_blob, report_large_gitattributes},
  };
  OrderingSink sink(storage, ledger, findings);
  RuleReporter reporter(*options.verify.policy, sink);
  CopyReader reader(storage, options.memory);
  for (const Family& family : families) {
    std::vector<ObjectId> ids(family.ids.begin(), family.ids.end());
    std::sort(ids.begin(), ids.end());
    for (const ObjectId& id : ids) {
      const std::uint32_t number = ledger.table().find(id);
      const ObjectType type =
          number == ObjectTable::kAbsent ? ObjectType::kUnknown : ledger.present_type(number);
      reporter.begin(type == ObjectType::kUnknown ? ObjectType::kBlob : type, id);
      sink.packed = type != ObjectType::kUnknown && lies_in_a_pack(storage, id);
      if (type == ObjectType::kUnknown) {
        // git judges what it reads at the end of its run, whatever the hash.
        sink.packed = false;
        bool dies = false;
        const auto found =
            number == ObjectTable::kAbsent ? std::nullopt : reader.read_unchecked(number, dies);
        sink.dies = dies;
        if (found && found->type == ObjectType::kBlob) {
          family.check(found->bytes, reporter);
        } else if (found) {
          reporter.begin(found->type, id);
          reporter.report(family.not_a_blob, "non-blob found at " + std::string(family.name));
        } else if (!promised.contains(id)) {
          reporter.report(family.missing, "unable to read " + std::string(family.name) + " blob");
        }
        sink.dies = false;
        continue;
      }
      if (type != ObjectType::kBlob) {
        reporter.report(family.not_a_blob, "non-blob found at " + std::string(family.name));
        continue;
      }
      const auto object = reader.read(number);
      if (!object) {
        // It was verified, so it is only larger than what may be held.
        family.report_large(reporter);
      } else if (object->bytes.size() > options.big_file_threshold &&
                 !lies_loose(storage, number)) {
        family.report_large(reporter);
      } else {
        family.check(object->bytes, reporter);
      }
    }
  }
}

}  // namespace assay
