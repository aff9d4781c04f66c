#include "store/fsck/check_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include "store/fsck/copy_reader.h"
#include "store/fsck/loose_checker.h"
#include "store/fsck/phases.h"
#include "store/object/object_hash.h"
#include "store/pack/delta_resolver.h"
#include "store/run/workers.h"

namespace assay {
namespace {

// A delta that waits for another copy of its base; those of one base stand together.
struct Parked {
  std::uint32_t pack;
  std::uint32_t base;
  std::uint32_t entry;
  friend auto operator<=>(const Parked&, const Parked&) = default;
};

bool has_children(const StoredPack& pack, std::uint32_t entry) {
  return !pack.forest.children({entry}).empty();
}

// Whether the id in the name of a pack is its checksum or, as older gits and JGit have it, the hash
// of its sorted object ids. Names of other forms say nothing.
bool name_fits(const std::string& path, const PackIndex& index) {
  const HashKind kind = index.kind();
  constexpr std::string_view kPrefix = "pack-";
  constexpr std::string_view kSuffix = ".pack";
  std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return true;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffix.size());
  const auto id = ObjectId::from_hex(name, kind);
  if (!id || *id == ObjectId::from_raw(index.pack_checksum().data(), kind)) return true;
  ObjectHasher hasher(kind, false);
  for (std::uint32_t i = 0; i < index.count(); ++i) {
    hasher.update({index.raw_id({i}), id_size(kind)});
  }
  return *id == hasher.finish().id;
}

// Gives the entries of packs to a verifier.
class PackVisitor : public EntryVisitor {
 public:
  // The resolver counts packs from `first_pack` on.
  PackVisitor(const Storage& storage, std::uint32_t first_pack, ObjectVerifier& verifier,
              std::vector<Parked>& parked)
      : storage_(storage), first_pack_(first_pack), verifier_(verifier), parked_(parked) {}

  void on_coming(std::uint32_t pack, PackPosition position) override {
    const StoredPack& stored = stored_at(pack);
    __builtin_prefetch(&stored.numbers[stored.forest.index_position(position).value]);
  }
  void on_entry(const ResolvedEntry& entry, const BufferRef& buffer) override {
    verifier_.verify(copy_of(entry.pack, entry.position, entry.type), buffer, entry.base,
                     entry.program, entry.has_children);
  }
  void on_large_begin(std::uint32_t pack, PackPosition position, ObjectType type,
                      std::uint64_t size) override {
    verifier_.begin_large(copy_of(pack, position, type), size);
  }
  void on_large_piece(ByteView piece) override { verifier_.add_large(piece); }
  void on_large_end(bool complete) override { verifier_.end_large(complete); }
  void on_fault(std::uint32_t pack, PackPosition position, Fault fault) override {
    const ObjectCopy copy = copy_of(pack, position, stored_at(pack).forest.type(position));
    const bool stops = fault.id != MessageId::kEntryCrcMismatch && fault.id != MessageId::kPackGap;
    if (stops) verifier_.mark_undecodable(copy, has_children(stored_at(pack), position.value));
    verifier_.report(copy, std::move(fault), ExitBit::kBitPack);
  }
  void on_parked(std::uint32_t pack, PackPosition position) override {
    const std::uint32_t base = storage_.packs()[first_pack_ + pack].forest.base(position);
    parked_.push_back({first_pack_ + pack, base, position.value});
  }
  void on_memory_pressure() override { verifier_.flush(); }

 private:
  ObjectCopy copy_of(std::uint32_t pack, PackPosition position, ObjectType type) const {
    const StoredPack& stored = stored_at(pack);
    return {stored.numbers[stored.forest.index_position(position).value],
            type,
            {stored.file, position.value},
            stored.forest.offset(position).value};
  }
  const StoredPack& stored_at(std::uint32_t pack) const {
    return storage_.packs()[first_pack_ + pack];
  }

  const Storage& storage_;
  std::uint32_t first_pack_;
  ObjectVerifier& verifier_;
  std::vector<Parked>& parked_;
};

// One pass over all storage: the first verifies, a second (if need be) only counts links.
class Pass {
 public:
  Pass(const Storage& storage, StorageExtent begin, LinkLedger& ledger,
       const StorageCheckOptions& options, ObjectVerifier::Mode mode, StorageCheckResult& result)
      : storage_(storage),
        first_pack_(begin.packs),
        ledger_(ledger),
        options_(options),
        mode_(mode),
        result_(result),
        budget_(options.memory),
        spill_(storage.system(), options.temporary_directory, spill_allowance()),
        resolver_(resolve_packs(), options.threads, budget_, limits(mode), &spill_),
        next_fanout_(begin.fanouts),
        next_pack_(begin.packs) {}

  // Returns: true when links of bad copies were counted.
  bool run() {
    run_workers(options_.threads, [this](unsigned) { work(); });
    std::sort(parked_.begin(), parked_.end());
    run_parked();
    return tainted_;
  }

 private:
  static DeltaResolver::Limits limits(ObjectVerifier::Mode mode) {
    DeltaResolver::Limits limits;
    limits.skip_blobs = mode != ObjectVerifier::Mode::kFull;
    limits.check_crc = mode == ObjectVerifier::Mode::kFull;
    return limits;
  }

  // Enough for the deltas of honest packs, which are smaller than what they make, not for bombs.
  std::uint64_t spill_allowance() const {
    std::uint64_t bytes = 0;
    for (const StoredPack& pack : storage_.packs()) bytes += pack.pack->bytes().size();
    return (std::uint64_t{8} << 30) + 64 * bytes;
  }
  std::vector<ResolvePack> resolve_packs() const {
    std::vector<ResolvePack> packs;
    if (!options_.check_packs) return packs;
    for (std::size_t i = first_pack_; i < storage_.packs().size(); ++i) {
      const StoredPack& pack = storage_.packs()[i];
      packs.push_back({&*pack.pack, &*pack.index, &pack.forest});
    }
    return packs;
  }

  void work();
  // The delta base that parked entries go on from.
  struct Base {
    std::uint32_t pack = DeltaForest::kNone;
    std::uint32_t entry = DeltaForest::kNone;
    ObjectType type = ObjectType::kUnknown;
    BufferRef buffer;
  };

  void run_parked();
  void report_other_base(const Parked& parked, ObjectVerifier& verifier);
  void read_base(const Parked& parked, CopyReader& reader, BufferPool& pool, Base& base);
  void check_pack_file(std::uint32_t number, ObjectVerifier& verifier);
  void report_unresolvable(const Parked& parked, ObjectVerifier& verifier);
  void collect(ObjectVerifier& verifier, const StageClock& clock, std::vector<Parked>&& parked);

  const Storage& storage_;
  std::uint32_t first_pack_;  // those before are of former passes
  LinkLedger& ledger_;
  const StorageCheckOptions& options_;
  ObjectVerifier::Mode mode_;
  StorageCheckResult& result_;
  ByteBudget budget_;
  SpillSpace spill_;
  DeltaResolver resolver_;
  std::atomic<std::size_t> next_fanout_;
  std::atomic<std::uint32_t> next_pack_;
  std::mutex mutex_;
  std::vector<Parked> parked_;
  bool tainted_ = false;
};

void Pass::collect(ObjectVerifier& verifier, const StageClock& clock,
                   std::vector<Parked>&& parked) {
  const std::lock_guard lock(mutex_);
  // What was found in a copy that turned out to be bad does not count.
  std::vector<CopyKey>& bad = verifier.bad_copies();
  std::sort(bad.begin(), bad.end());
  for (Finding& finding : verifier.findings()) {
    const CopyKey key{finding.order.file, static_cast<std::uint32_t>(finding.order.item)};
    const bool of_content = finding.order.part < kStoragePart;
    if (of_content && std::binary_search(bad.begin(), bad.end(), key)) continue;
    result_.findings.push_back(std::move(finding));
  }
  verifier.findings().clear();
  parked_.insert(parked_.end(), parked.begin(), parked.end());
  tainted_ |= verifier.links_tainted();
  if (mode_ == ObjectVerifier::Mode::kConnectivity) return;
  result_.special_blobs.merge(verifier.special_blobs());
  if (mode_ == ObjectVerifier::Mode::kLinks) return;
  ledger_.add_bad_copies(bad);
  result_.counters.objects += verifier.counters().objects;
  result_.counters.object_bytes += verifier.counters().object_bytes;
  result_.counters.hashed_bytes += verifier.counters().hashed_bytes;
  for (std::size_t i = 0; i < kStages; ++i) result_.stage_ticks[i] += clock.sums()[i];
}

// What is wrong with a pack as a file: trailer, index checksum, entries out of reach, cycles.
void Pass::check_pack_file(std::uint32_t number, ObjectVerifier& verifier) {
  const StoredPack& stored = storage_.packs()[number];
  const PackFile& pack = *stored.pack;
  const DeltaForest& forest = stored.forest;
  // Checksums are done in any order; `part` says where a finding belongs.
  const auto finding_for = [&](std::uint32_t part, MessageId id, std::string text,
                               const std::string& file) {
    Finding finding;
    finding.id = id;
    finding.severity = options_.verify.policy->severity(id);
    finding.bit = ExitBit::kBitPack;
    finding.file = file;
    finding.text = std::move(text);
    finding.order = {kPhasePacks, stored.file, 0, kStoragePart + part};
    return finding;
  };
  const std::size_t hash_size = id_size(storage_.kind());
  verifier.verify_checksum(
      stored.index->checksummed_bytes(), stored.index->stored_checksum(),
      finding_for(0, MessageId::kPackIndexHashMismatch,
                  fmt::format("Packfile index for {} hash mismatch", pack.path()),
                  stored.index_path));
  verifier.verify_checksum(
      pack.bytes().first(pack.bytes().size() - hash_size), pack.trailer(),
      finding_for(1, MessageId::kPackChecksumMismatch,
                  fmt::format("{} pack checksum mismatch", pack.path()), pack.path()));
  if (const auto wrong = stored.index->first_out_of_order()) {
    verifier.report_file(
        finding_for(2, MessageId::kPackIndexOrder,
                    fmt::format("Packfile index for {} is out of order at position {}: lookups "
                                "miss objects",
                                pack.path(), wrong->value),
                    stored.index_path));
  }
  // A pack that was given by its path alone may have any name.
  if (!storage_.directories().empty() && !name_fits(pack.path(), *stored.index)) {
    Finding finding = finding_for(
        3, MessageId::kPackNameMismatch,
        fmt::format("the name of {} fits neither its checksum nor its objects", pack.path()),
        pack.path());
    finding.bit = ExitBit::kBitNone;
    verifier.report_file(std::move(finding));
  }
  const auto report = [&](IndexPosition position, PackOffset offset, std::uint32_t entry,
                          std::uint32_t item, Fault fault, ExitBit bit) {
    const ObjectCopy copy{
        stored.numbers[position.value], ObjectType::kUnknown, {stored.file, item}, offset.value};
    // Known as bad by its own rank, wherever among the findings it is reported.
    ObjectCopy bad = copy;
    if (entry != DeltaForest::kNone) bad.key.item = entry;
    verifier.mark_undecodable(bad, entry != DeltaForest::kNone && has_children(stored, entry));
    verifier.report(copy, std::move(fault), bit);
  };
  for (const DeltaForest::EntryFault& bad : forest.faults()) {
    const std::string hex = stored.index->id(bad.index_position).hex();
    if (bad.entry != DeltaForest::kNone) {
      const ResolvePack all{&pack, &*stored.index, &forest};
      auto wrong = check_entry_crc(all, {bad.entry}, entry_bytes(all, {bad.entry}));
      if (wrong) {
        report(bad.index_position, bad.offset, bad.entry, bad.entry, std::move(*wrong),
               ExitBit::kBitPack);
      }
    }
    const ExitBit bit =
        bad.fault.id == MessageId::kEntryOffsetBad ? ExitBit::kBitDies : ExitBit::kBitPack;
    Fault fault = bad.fault;
    fault.causes.push_back(fault.text);
    fault.text =
        fmt::format("cannot unpack {} from {} at offset {}", hex, pack.path(), bad.offset.value);
    report(bad.index_position, bad.offset, bad.entry, forest.size(), std::move(fault), bit);
  }
  for (const std::uint32_t entry : forest.cyclic()) {
    const IndexPosition position = forest.index_position({entry});
    const PackOffset offset = forest.offset({entry});
    report(position, offset, entry, entry,
           Fault(MessageId::kDeltaCycle,
                 fmt::format("delta cycle: {} from {} at offset {} is its own delta base",
                             stored.index->id(position).hex(), pack.path(), offset.value)),
           ExitBit::kBitPack);
  }
}

void Pass::work() {
  StageClock clock;
  BufferPool pool(budget_);
  std::vector<Parked> parked;
  ObjectVerifier verifier(ledger_, options_.verify, pool, clock, mode_);
  PackVisitor visitor(storage_, first_pack_, verifier, parked);
  if (options_.check_packs) {
    for (;;) {
      const std::uint32_t pack = next_pack_.fetch_add(1);
      if (pack >= storage_.packs().size()) break;
      check_pack_file(pack, verifier);
    }
  }
  LooseChecker loose(storage_, ledger_, verifier, pool, clock,
                     {options_.memory, mode_ != ObjectVerifier::Mode::kFull});
  for (;;) {
    const std::size_t fanout = next_fanout_.fetch_add(1);
    if (fanout >= storage_.fanouts().size()) break;
    loose.check(storage_.fanouts()[fanout]);
  }
  resolver_.run(visitor, pool, clock);
  verifier.finish();
  clock.enter(Stage::kOther);
  collect(verifier, clock, std::move(parked));
}

// In the words of git, which fails at every delta of a bad base anew.
std::string why_unresolvable(const StoredPack& stored, PackPosition entry) {
  const DeltaForest& forest = stored.forest;
  const std::uint32_t base = forest.base(entry);
  if (base == DeltaForest::kNone) {
    return fmt::format("failed to validate delta base reference at offset {} from {}",
                       forest.offset(entry).value, stored.pack->path());
  }
  return fmt::format("failed to read delta base object {} at offset {} from {}",
                     stored.index->id(forest.index_position({base})).hex(),
                     forest.offset({base}).value, stored.pack->path());
}

void Pass::report_unresolvable(const Parked& parked, ObjectVerifier& verifier) {
  const StoredPack& stored = storage_.packs()[parked.pack];
  std::vector<std::uint32_t> entries{parked.entry};
  while (!entries.empty()) {
    const std::uint32_t entry = entries.back();
    entries.pop_back();
    const IndexPosition position = stored.forest.index_position({entry});
    const PackOffset offset = stored.forest.offset({entry});
    const ObjectCopy copy{stored.numbers[position.value],
                          stored.forest.type({entry}),
                          {stored.file, entry},
                          offset.value};
    const ResolvePack all{&*stored.pack, &*stored.index, &stored.forest};
    auto wrong = check_entry_crc(all, {entry}, entry_bytes(all, {entry}));
    if (wrong) verifier.report(copy, std::move(*wrong), ExitBit::kBitPack);
    Fault fault(MessageId::kDeltaBaseBad,
                fmt::format("cannot unpack {} from {} at offset {}",
                            stored.index->id(position).hex(), stored.pack->path(), offset.value));
    fault.causes.push_back(why_unresolvable(stored, {entry}));
    verifier.mark_undecodable(copy, has_children(stored, entry));
    verifier.report(copy, std::move(fault), ExitBit::kBitPack);
    for (const std::uint32_t child : stored.forest.children({entry})) entries.push_back(child);
  }
}

// A copy elsewhere stands in for a damaged base: git says so at the delta. Once per base.
void Pass::report_other_base(const Parked& parked, ObjectVerifier& verifier) {
  const StoredPack& stored = storage_.packs()[parked.pack];
  const auto number_of = [&](std::uint32_t entry) {
    return stored.numbers[stored.forest.index_position({entry}).value];
  };
  if (!ledger_.is_bad_base(stored.file, number_of(parked.base))) return;  // it was too much to keep
  const ObjectCopy copy{number_of(parked.entry),
                        stored.forest.type({parked.entry}),
                        {stored.file, parked.entry},
                        stored.forest.offset({parked.entry}).value};
  verifier.report(copy, Fault(MessageId::kDeltaBaseBad, why_unresolvable(stored, {parked.entry})),
                  ExitBit::kBitPack);
}

// Makes `base` the base of the entry, if it is not yet; its buffer is empty when there is none.
void Pass::read_base(const Parked& parked, CopyReader& reader, BufferPool& pool, Base& base) {
  if (base.pack == parked.pack && base.entry == parked.base) return;
  pool.release(std::move(base.buffer));
  base.pack = parked.pack;
  base.entry = parked.base;
  // git wants the base of a REF_DELTA in the same pack: a base elsewhere does not help.
  if (parked.base == DeltaForest::kNone) return;
  const StoredPack& stored = storage_.packs()[parked.pack];
  const auto content =
      reader.read(stored.numbers[stored.forest.index_position({base.entry}).value]);
  if (!content) return;
  base.type = content->type;
  base.buffer = pool.make(content->bytes.size());
  std::memcpy(base.buffer->data(), content->bytes.data(), content->bytes.size());
}

// Entries whose delta base is damaged or missing here, or was too much to keep: another copy of the
// base, or the base once more, will do.
void Pass::run_parked() {
  if (options_.check_packs) {
    for (std::uint32_t pack = first_pack_; pack < storage_.packs().size(); ++pack) {
      const DeltaForest& forest = storage_.packs()[pack].forest;
      for (const std::uint32_t entry : forest.baseless()) {
        parked_.push_back({pack, DeltaForest::kNone, entry});
      }
      for (const DeltaForest::EntryFault& bad : forest.faults()) {
        if (bad.entry == DeltaForest::kNone) continue;
        for (const std::uint32_t child : forest.children({bad.entry})) {
          parked_.push_back({pack, bad.entry, child});
        }
      }
    }
  }
  if (parked_.empty()) return;
  StageClock clock;
  BufferPool pool(budget_);
  ObjectVerifier verifier(ledger_, options_.verify, pool, clock, mode_);
  CopyReader reader(storage_, options_.memory);
  std::set<Parked> waiting(parked_.begin(), parked_.end());
  std::vector<Parked> unresolvable;
  std::pair<std::uint32_t, std::uint32_t> told(DeltaForest::kNone, DeltaForest::kNone);
  Base base;
  while (!waiting.empty()) {
    const Parked parked = waiting.extract(waiting.begin()).value();
    read_base(parked, reader, pool, base);
    const ObjectType expected = storage_.packs()[parked.pack].forest.type({parked.entry});
    if (!base.buffer || (expected != ObjectType::kUnknown && base.type != expected)) {
      unresolvable.push_back(parked);
      continue;
    }
    if (const std::pair which(parked.pack, parked.base); which != told) {
      told = which;
      report_other_base(parked, verifier);
    }
    std::vector<Parked> more;
    PackVisitor visitor(storage_, first_pack_, verifier, more);
    resolver_.resume(parked.pack - first_pack_, {parked.entry}, base.buffer, base.type, visitor,
                     pool, clock);
    verifier.flush();
    waiting.insert(more.begin(), more.end());
  }
  pool.release(std::move(base.buffer));
  for (const Parked& parked : unresolvable) report_unresolvable(parked, verifier);
  verifier.finish();
  collect(verifier, clock, {});
}

StorageCheckResult enter_links(const Storage& storage, LinkLedger& ledger,
                               const StorageCheckOptions& options) {
  StorageCheckResult result;
  ledger.start_counting();
  Pass(storage, {}, ledger, options, ObjectVerifier::Mode::kLinks, result).run();
  return result;
}

}  // namespace

void check_storage(const Storage& storage, StorageExtent begin, LinkLedger& ledger,
                   const StorageCheckOptions& options, StorageCheckResult& result) {
  const auto first = storage.packs().begin() + begin.packs;
  if (options.connectivity_only) {
    for (auto pack = first; pack != storage.packs().end(); ++pack) {
      for (std::uint32_t entry = 0; entry < pack->forest.size(); ++entry) {
        const ObjectType type = pack->forest.type({entry});
        if (type == ObjectType::kUnknown) continue;  // its links may tell, see check_graph()
        ledger.set_present(pack->numbers[pack->forest.index_position({entry}).value], type);
      }
    }
  }
  const auto mode =
      options.connectivity_only ? ObjectVerifier::Mode::kConnectivity : ObjectVerifier::Mode::kFull;
  const bool tainted = Pass(storage, begin, ledger, options, mode, result).run();
  if (tainted) {
    // What bad trees called special is not special.
    result.special_blobs = enter_links(storage, ledger, options).special_blobs;
  }
  for (auto pack = first; pack != storage.packs().end(); ++pack) {
    if (!pack->pack->file().shrank() && !pack->index_file.shrank()) continue;
    Finding finding;
    finding.id = MessageId::kPackChanged;
    finding.severity = options.verify.policy->severity(finding.id);
    finding.bit = ExitBit::kBitPack;
    finding.file = pack->pack->path();
    finding.text = fmt::format("packfile {} was cut short while it was read", pack->pack->path());
    finding.order = {kPhasePacks, pack->file, 0, kStoragePart};
    result.findings.push_back(std::move(finding));
  }
}

void count_links(const Storage& storage, LinkLedger& ledger, const StorageCheckOptions& options) {
  enter_links(storage, ledger, options);
}

}  // namespace assay
