#include "store/fsck/check_multi_pack_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "store/fsck/check_bit_order.h"
#include "store/fsck/flood_gate.h"
#include "store/fsck/map_file.h"
#include "store/fsck/phases.h"
#include "store/object/file_checksum.h"

namespace assay {
namespace {

// A pack that a multi-pack-index names.
struct NamedPack {
  std::string shown;                   // of the .pack
  bool exists = false;                 // as git sees it when it only looks for the files
  bool lacks_index = false;            // there is a pack, but no index beside it
  const PackIndex* index = nullptr;    // when the pack can be used
  const StoredPack* stored = nullptr;  // when the storage has it
  std::uint32_t cursor = 0;            // index position: ids before it were met
};

// A pack that is not in the storage, because it has come since.
struct LatePack {
  os::MappedFile index_file;
  std::optional<PackIndex> index;
};

class ChainChecker {
 public:
  ChainChecker(const StoredMultiPackIndex& stored, const PackFolder& folder,
               const PacksByPath& packs, const Storage& storage, const LinkLedger& ledger,
               const MultiPackIndexCheckOptions& options, FloodGate& gate)
      : stored_(stored),
        folder_(folder),
        packs_(packs),
        storage_(storage),
        ledger_(ledger),
        options_(options),
        gate_(gate) {}

  // Returns: true when all packs are there.
  bool find_packs();
  void check();

 private:
  void find_pack(std::string_view name);
  const PackIndex* open_late(const std::string& stem, const std::string& shown_pack);
  bool check_order(std::size_t layer);
  bool is_found(std::size_t layer, std::uint32_t row) const;
  void check_objects(std::size_t layer, bool ordered);
  void check_object(std::size_t layer, std::uint32_t row, bool found);
  std::optional<IndexPosition> locate(NamedPack& pack, const std::uint8_t* raw_id) const;
  void check_complete();
  void cover(const std::uint8_t* raw_id);
  bool is_read_by_git(const std::uint8_t* raw_id) const;
  void report(std::string text, MessageId id = MessageId::kMultiPackIndexBad) {
    gate_.report(id, std::move(text));
  }

  const StoredMultiPackIndex& stored_;
  const PackFolder& folder_;
  const PacksByPath& packs_;
  const Storage& storage_;
  const LinkLedger& ledger_;
  const MultiPackIndexCheckOptions& options_;
  FloodGate& gate_;
  std::vector<NamedPack> named_;
  std::deque<LatePack> late_;
  std::vector<bool> covered_;  // by object number: some layer names the object
};

bool ChainChecker::find_packs() {
  for (const MultiPackIndexChain::Layer& layer : stored_.chain.layers()) {
    for (const std::string_view name : layer.index.pack_names()) find_pack(name);
  }
  return std::all_of(named_.begin(), named_.end(),
                     [](const NamedPack& pack) { return pack.exists; });
}

void ChainChecker::find_pack(std::string_view name) {
  NamedPack& pack = named_.emplace_back();
  if (!name.ends_with(".idx") || name.find('/') != std::string_view::npos) return;
  const std::string stem(name.substr(0, name.size() - 4));
  pack.shown = folder_.shown + "/" + stem + ".pack";
  const auto status =
      storage_.system().status_at(os::kCurrentDirectory, folder_.path + "/" + stem + ".pack", true);
  if (!status || status->kind != os::FileKind::kRegular) return;
  pack.exists = true;
  pack.lacks_index =
      !storage_.system().status_at(os::kCurrentDirectory, folder_.path + "/" + stem + ".idx", true);
  const auto stored = packs_.find(pack.shown);
  if (stored != packs_.end()) {
    pack.stored = stored->second;
    pack.index = &*pack.stored->index;
  } else {
    pack.index = open_late(folder_.path + "/" + stem, pack.shown);
  }
}

// Returns: null for a pack that git cannot use either: the storage refused it.
const PackIndex* ChainChecker::open_late(const std::string& stem, const std::string& shown_pack) {
  auto mapped = map_file(storage_.system(), stem + ".idx");
  if (!mapped) return nullptr;
  LatePack& late = late_.emplace_back();
  late.index_file = std::move(*mapped);
  auto index = PackIndex::parse(late.index_file.bytes(), storage_.kind(), shown_pack);
  if (!index) return nullptr;
  late.index = *index;
  const auto file = PackFile::open(storage_.system(), stem + ".pack", storage_.kind(), shown_pack);
  const bool fits = file && file->declared_count() == index->count() &&
                    std::memcmp(file->trailer().data(), index->pack_checksum().data(),
                                id_size(storage_.kind())) == 0;
  return fits ? &*late.index : nullptr;
}

void ChainChecker::check() {
  const std::vector<MultiPackIndexChain::Layer>& layers = stored_.chain.layers();
  const std::size_t tip = layers.size() - 1;
  covered_.assign(storage_.table().size(), false);
  bool complete = true;
  for (std::size_t layer = layers.size(); layer-- > 0;) {
    const MultiPackIndex& index = layers[layer].index;
    gate_.enter_file(stored_.layers[layer].shown);
    // git looks at the checksum of the uppermost layer only.
    if (!checksum_holds(index.bytes(), storage_.kind())) {
      if (layer == tip) {
        report("incorrect checksum");
      } else {
        report(fmt::format("multi-pack-index layer {} has an incorrect checksum",
                           stored_.layers[layer].shown),
               MessageId::kMultiPackIndexUntrue);
      }
    } else if (!layers[layer].name.is_null() && layers[layer].name != index.checksum()) {
      report(fmt::format("multi-pack-index layer {} has the checksum {}",
                         stored_.layers[layer].shown, index.checksum().hex()),
             MessageId::kMultiPackIndexUntrue);
    }
    for (std::uint32_t i = 0; i < index.pack_names().size(); ++i) {
      const std::uint32_t pack = layers[layer].first_pack + i;
      if (!named_[pack].exists) report(fmt::format("failed to load pack in position {}", pack));
      if (named_[pack].lacks_index) {
        // Not named by a multi-pack-index, such a pack is only an orphan.
        report(fmt::format("packfile {} index not opened", named_[pack].shown),
               MessageId::kPackIndexBad);
      }
      complete = complete && named_[pack].index != nullptr;
    }
    if (index.count() == 0) {
      if (layer == tip) report("the midx contains no oid");
    } else {
      check_objects(layer, check_order(layer));
      check_bit_order(stored_, layer, storage_, gate_);
    }
    gate_.leave_file();
  }
  if (complete) check_complete();
}

bool ChainChecker::check_order(std::size_t layer) {
  const MultiPackIndex& index = stored_.chain.layers()[layer].index;
  const std::size_t hash_size = id_size(index.kind());
  const bool is_tip = layer + 1 == stored_.chain.layers().size();
  bool ordered = true;
  for (std::uint32_t row = 0; row + 1 < index.count(); ++row) {
    if (std::memcmp(index.raw_id(row), index.raw_id(row + 1), hash_size) < 0) continue;
    ordered = false;
    report(fmt::format("oid lookup out of order: oid[{}] = {} >= {} = oid[{}]", row,
                       index.id(row).hex(), index.id(row + 1).hex(), row + 1),
           is_tip ? MessageId::kMultiPackIndexBad : MessageId::kMultiPackIndexUntrue);
  }
  // The fanout tells the truth when every id lies in the range of its first byte.
  for (std::uint32_t row = 0; ordered && row < index.count(); ++row) {
    const unsigned byte = index.raw_id(row)[0];
    ordered = row < index.fanout(byte) && (byte == 0 || row >= index.fanout(byte - 1));
  }
  return ordered;
}

// True when git finds the object by halving, in this layer or another.
bool ChainChecker::is_found(std::size_t layer, std::uint32_t row) const {
  const std::uint8_t* wanted = stored_.chain.layers()[layer].index.raw_id(row);
  const auto& layers = stored_.chain.layers();
  return std::any_of(layers.begin(), layers.end(),
                     [&](const auto& other) { return other.index.find(wanted).has_value(); });
}

void ChainChecker::check_objects(std::size_t layer, bool ordered) {
  const std::uint32_t count = stored_.chain.layers()[layer].index.count();
  for (std::uint32_t row = 0; row < count; ++row) {
    check_object(layer, row, ordered || is_found(layer, row));
  }
}

void ChainChecker::check_object(std::size_t layer, std::uint32_t row, bool found) {
  const MultiPackIndexChain::Layer& chained = stored_.chain.layers()[layer];
  const MultiPackIndex& index = chained.index;
  const std::uint32_t position = chained.first_position + row;
  const std::uint32_t pack_count = static_cast<std::uint32_t>(index.pack_names().size());
  // git dies of these when it reads the object.
  const auto fatal = [&](std::string text) {
    cover(index.raw_id(row));
    if (is_read_by_git(index.raw_id(row))) {
      report(std::move(text), MessageId::kMultiPackIndexFatal);
    } else {
      report("fatal: " + text);
    }
  };
  const auto not_loaded = [&] {
    cover(index.raw_id(row));
    report(
        fmt::format("failed to load pack entry for oid[{}] = {}", position, index.id(row).hex()));
  };
  if (!found) return not_loaded();
  if (index.pack(row) >= pack_count) {
    return fatal(fmt::format("bad pack-int-id: {} ({} total packs)",
                             std::uint64_t{chained.first_pack} + index.pack(row),
                             chained.first_pack + pack_count));
  }
  NamedPack& pack = named_[chained.first_pack + index.pack(row)];
  if (pack.index == nullptr) return not_loaded();
  const auto offset = index.offset(row);
  if (!offset) return fatal("multi-pack-index large offset out of bounds");
  const auto place = locate(pack, index.raw_id(row));
  if (place && pack.stored != nullptr) {
    covered_[pack.stored->numbers[place->value]] = true;
  } else {
    cover(index.raw_id(row));
  }
  const std::uint64_t real = place ? pack.index->offset(*place).value_or(PackOffset{}).value : 0;
  if (offset->value == real) return;
  report(fmt::format("incorrect object offset for oid[{}] = {}: {:x} != {:x}", position,
                     index.id(row).hex(), offset->value, real));
  // git dies of this, too.
  if (pack.stored != nullptr && offset->value >= pack.stored->pack->bytes().size() &&
      is_read_by_git(index.raw_id(row))) {
    report("offset beyond end of packfile (truncated pack?)", MessageId::kMultiPackIndexFatal);
  }
}

// Ids ascend in both files, so the next object lies behind the last: no halving for each.
std::optional<IndexPosition> ChainChecker::locate(NamedPack& pack,
                                                  const std::uint8_t* raw_id) const {
  const PackIndex& index = *pack.index;
  const std::size_t hash_size = id_size(index.kind());
  int order = -1;
  for (; pack.cursor < index.count(); ++pack.cursor) {
    order = std::memcmp(index.raw_id({pack.cursor}), raw_id, hash_size);
    if (order >= 0) break;
  }
  if (order == 0) return IndexPosition{pack.cursor};
  return index.find(raw_id);  // not there, or one of the files is out of order
}

void ChainChecker::cover(const std::uint8_t* raw_id) {
  const std::uint32_t number = storage_.table().find(raw_id);
  if (number != ObjectTable::kAbsent) covered_[number] = true;
}

// True when git fsck itself reads the object by way of the multi-pack-index, as it walks the graph.
bool ChainChecker::is_read_by_git(const std::uint8_t* raw_id) const {
  const std::uint32_t number = storage_.table().find(raw_id);
  if (number == ObjectTable::kAbsent) return false;
  const ObjectType type = ledger_.present_type(number);
  return type == ObjectType::kTree || type == ObjectType::kTag ||
         (type == ObjectType::kCommit && !options_.has_commit_graph);
}

// An object of a named pack that no layer names cannot be found: git looks for it in the
// multi-pack-index, and only in packs beside it otherwise.
void ChainChecker::check_complete() {
  gate_.enter_file(stored_.layers.back().shown);
  for (const NamedPack& pack : named_) {
    if (pack.stored == nullptr) continue;
    for (std::uint32_t i = 0; i < pack.index->count(); ++i) {
      const std::uint32_t number = pack.stored->numbers[i];
      if (covered_[number]) continue;
      covered_[number] = true;
      report(fmt::format("multi-pack-index lacks object {} of {}", pack.index->id({i}).hex(),
                         pack.shown),
             MessageId::kMultiPackIndexUntrue);
    }
  }
  gate_.leave_file();
}

bool same_files(const StoredMultiPackIndex& a, const StoredMultiPackIndex& b) {
  const auto& left = a.chain.layers();
  const auto& right = b.chain.layers();
  return left.size() == right.size() &&
         std::equal(left.begin(), left.end(), right.begin(),
                    [](const MultiPackIndexChain::Layer& x, const MultiPackIndexChain::Layer& y) {
                      return x.index.checksum() == y.index.checksum();
                    });
}

}  // namespace

void check_multi_pack_indexes(std::vector<StoredMultiPackIndex>& indexes,
                              const std::vector<PackFolder>& folders, const Storage& storage,
                              const LinkLedger& ledger, const MultiPackIndexCheckOptions& options,
                              const Policy& policy, FindingSink& findings) {
  constexpr int kMostTries = 3;
  FaultReporter reporter(policy, findings, kPhaseMultiPackIndexes);
  FloodGate gate(reporter);
  const PacksByPath packs = packs_by_path(storage);
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    StoredMultiPackIndex& stored = indexes[i];
    for (int tries = 1;; ++tries) {
      ChainChecker checker(stored, folders[i], packs, storage, ledger, options, gate);
      if (!checker.find_packs() && tries < kMostTries) {
        // A repack replaces the multi-pack-index before it deletes packs.
        StoredMultiPackIndex now =
            load_multi_pack_index(storage.system(), storage.kind(), folders[i]);
        if (!same_files(stored, now)) {
          stored = std::move(now);
          continue;
        }
      }
      for (const StoredMultiPackIndex::Problem& problem : stored.problems) {
        reporter.enter_file(problem.shown);
        reporter.report(problem.fault);
      }
      if (!stored.layers.empty()) checker.check();
      break;
    }
  }
}

}  // namespace assay
