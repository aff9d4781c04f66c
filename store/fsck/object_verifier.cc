#include "store/fsck/object_verifier.h"

#include <fmt/format.h>

#include "store/fsck/fsck_run.h"
#include "store/fsck/phases.h"
#include "store/fsck/rules/object_rules.h"
#include "store/fsck/rules/portable_names.h"
#include "store/object/commit.h"
#include "store/object/object_header.h"
#include "store/object/tag.h"

namespace assay {

// One object on its way through the lanes; a finished job leads back to it.
struct ObjectVerifier::Pending : sha1::Job {
  BufferRef buffer;
  ObjectCopy copy;
  Judged judged;
  Checksum* checksum = nullptr;
};

struct ObjectVerifier::Checksum {
  Pending pending;
  Bytes expected;
  Finding on_mismatch;
};

void ObjectVerifier::PlacingSink::add(Finding finding) {
  if (verifier_.mode_ == Mode::kLinks) return;
  verifier_.place(finding, verifier_.current_, finding.order.part);
  if (verifier_.file_of(verifier_.current_).packed && finding.bit == ExitBit::kBitObject &&
      finding.id != MessageId::kBrokenLinks) {
    finding.bit = ExitBit::kBitPack;
  }
  verifier_.findings_.add(std::move(finding));
}

ObjectVerifier::ObjectVerifier(LinkLedger& ledger, const VerifyOptions& options, BufferPool& pool,
                               StageClock& clock, Mode mode)
    : ledger_(ledger),
      options_(options),
      pool_(pool),
      clock_(clock),
      mode_(mode),
      kind_(ledger.table().kind()),
      placing_sink_(*this),
      reporter_(*options.policy, placing_sink_),
      links_(ledger, mode == Mode::kLinks ? 0 : options.trace_limit),
      tree_links_(links_, special_, kind_, options.policy->max_pathname_size()),
      batch_(sha1::best(), options.detect_collisions ? sha1::Detect::kOn : sha1::Detect::kOff) {}

ObjectVerifier::~ObjectVerifier() { flush(); }

std::string ObjectVerifier::path_of(const ObjectCopy& copy) const {
  const SourceFile& file = file_of(copy);
  if (file.packed) return file.path;
  const std::string hex = ledger_.table().id(copy.number).hex();
  return file.path + "/" + hex.substr(0, 2) + "/" + hex.substr(2);
}

void ObjectVerifier::place(Finding& finding, const ObjectCopy& copy, std::uint32_t part) const {
  finding.oid = ledger_.table().id(copy.number);
  if (finding.type == ObjectType::kUnknown) finding.type = copy.type;
  finding.file = path_of(copy);
  finding.offset = copy.offset;
  finding.order = {file_of(copy).packed ? kPhasePacks : kPhaseLoose, copy.key.file, copy.key.item,
                   part};
}

void ObjectVerifier::report(const ObjectCopy& copy, Fault fault, ExitBit bit) {
  if (mode_ != Mode::kFull) return;
  Finding finding = finding_of(std::move(fault), *options_.policy);
  finding.bit = bit;
  place(finding, copy,
        kStoragePart + kPackParts + static_cast<std::uint32_t>(findings_.findings().size()));
  findings_.add(std::move(finding));
}

// What git says of an object that its own parsers refuse. A packed one counts twice: as an object
// and as a fault of its pack.
void ObjectVerifier::report_unparsed(const ObjectCopy& copy, Fault fault) {
  if (mode_ == Mode::kConnectivity && !fault.text.empty()) {
    report_passed_over(copy, std::move(fault.text));
  }
  if (mode_ != Mode::kFull) return;
  const std::string hex = ledger_.table().id(copy.number).hex();
  const bool packed = file_of(copy).packed;
  Finding finding;
  finding.id = MessageId::kObjectNotParsed;
  finding.severity = options_.policy->severity(finding.id);
  finding.bit = packed ? ExitBit::kBitObject | ExitBit::kBitPack : ExitBit::kBitObject;
  finding.text = packed ? hex + ": object corrupt or missing"
                        : hex + ": object could not be parsed: " + path_of(copy);
  finding.causes = std::move(fault.causes);
  if (!fault.text.empty()) finding.causes.push_back(std::move(fault.text));
  place(finding, copy, 0);
  findings_.add(std::move(finding));
}

// With --connectivity-only git says what is wrong with an object that it cannot parse, and goes on.
void ObjectVerifier::report_passed_over(const ObjectCopy& copy, std::string text) {
  Finding finding;
  finding.id = MessageId::kObjectNotParsed;
  finding.severity = options_.policy->severity(finding.id);
  finding.bit = ExitBit::kBitNone;
  finding.text = std::move(text);
  place(finding, copy, 0);
  findings_.add(std::move(finding));
}

void ObjectVerifier::report_result(const ObjectCopy& copy, MessageId id, std::string text) {
  if (mode_ != Mode::kFull) return;
  Finding finding;
  finding.id = id;
  finding.severity = Severity::kInfo;
  finding.text = std::move(text);
  place(finding, copy, kStoragePart - 1);
  findings_.add(std::move(finding));
}

// Returns: false when a rule was broken as an error.
bool ObjectVerifier::apply_rules(const ObjectCopy& copy, ByteView body) {
  // A second look at the links finds special blobs again, in trees, but nothing new to report.
  if (mode_ == Mode::kConnectivity) return true;
  if (mode_ == Mode::kLinks && copy.type != ObjectType::kTree) return true;
  current_ = copy;
  reporter_.begin(copy.type, ledger_.table().id(copy.number));
  check_object_rules(copy.type, body, kind_, reporter_, special_);
  return !reporter_.failed();
}

void ObjectVerifier::begin_trace(std::uint32_t number) {
  if (links_.trace().is_open()) links_.trace().begin(number, LinkTrace::kNoBase);
}

void ObjectVerifier::add_traced(std::uint32_t number, const ObjectId& target, ObjectType type) {
  links_.add(number, target.data(), type, true, 0, nullptr,
             links_.trace().is_open() ? links_.trace().add_new() : LinkWriter::kNotTraced);
}

void ObjectVerifier::end_trace() {
  if (links_.trace().is_open()) links_.trace().end();
}

ObjectVerifier::Judged ObjectVerifier::judge_commit(const ObjectCopy& copy, ByteView body,
                                                    bool counts) {
  const ObjectId id = ledger_.table().id(copy.number);
  auto commit = parse_commit(body, id);
  if (!commit) {
    report_unparsed(copy, std::move(commit.error()));
    return {false, false};
  }
  const std::vector<ObjectId>* parents = &commit->parents;
  if (!options_.parents->empty()) {
    const auto found = options_.parents->find(id);
    if (found != options_.parents->end()) parents = &found->second;
  }
  if (counts) {
    begin_trace(copy.number);
    add_traced(copy.number, commit->tree, ObjectType::kTree);
    for (const ObjectId& parent : *parents) add_traced(copy.number, parent, ObjectType::kCommit);
    end_trace();
  }
  if (options_.commit_graphs != nullptr) {
    options_.commit_graphs->observe(copy.number, *commit, *parents);
  }
  clock_.enter(Stage::kRules);
  if (apply_rules(copy, body) && options_.report_roots && parents->empty()) {
    report_result(copy, MessageId::kRoot, "root " + id.hex());
  }
  return {true, counts};
}

ObjectVerifier::Judged ObjectVerifier::judge_tag(const ObjectCopy& copy, ByteView body,
                                                 bool counts) {
  const ObjectId id = ledger_.table().id(copy.number);
  auto tag = parse_tag(body, id);
  if (!tag) {
    report_unparsed(copy, std::move(tag.error()));
    return {false, false};
  }
  if (counts) {
    begin_trace(copy.number);
    add_traced(copy.number, tag->target, tag->target_type);
    end_trace();
  }
  clock_.enter(Stage::kRules);
  if (apply_rules(copy, body) && options_.report_tags) {
    report_result(copy, MessageId::kTagged,
                  fmt::format("tagged {} {} ({}) in {}", type_name(tag->target_type),
                              tag->target.hex(), tag->name, id.hex()));
  }
  return {true, counts};
}

void ObjectVerifier::judge_tree(const ObjectCopy& copy, Buffer& buffer, const Buffer* base,
                                ByteView program, bool has_children, bool counts) {
  std::unique_ptr<TreeInfo> info;
  // When links are counted, every tree is to count all of its own.
  if (has_children && mode_ != Mode::kLinks) info = std::make_unique<TreeInfo>();
  const auto* base_info =
      base != nullptr ? static_cast<const TreeInfo*>(base->attachment.get()) : nullptr;
  TreeLinks::Outcome outcome;
  if (base_info != nullptr && base_info->inheritable) {
    outcome = tree_links_.parse_difference(copy.number, buffer.bytes(), program, *base_info, counts,
                                           info.get());
  } else {
    outcome = tree_links_.parse(copy.number, buffer.bytes(), counts, info.get());
  }
  bool clean = true;
  if (outcome.unusual) {
    clock_.enter(Stage::kRules);
    const std::size_t before = findings_.findings().size();
    if (outcome.malformed && mode_ == Mode::kConnectivity) {
      report_passed_over(copy, "tree " + ledger_.table().id(copy.number).hex() +
                                   " has an entry that cannot be parsed");
    } else if (outcome.malformed && mode_ == Mode::kFull) {
      Finding finding;
      finding.id = MessageId::kBrokenLinks;
      finding.severity = options_.policy->severity(finding.id);
      finding.bit = ExitBit::kBitObject;  // of a packed tree, too
      finding.text = "broken links";
      current_ = copy;
      placing_sink_.add(std::move(finding));
    }
    apply_rules(copy, buffer.bytes());
    clean = mode_ == Mode::kFull && findings_.findings().size() == before &&
            !options_.policy->skips(ledger_.table().id(copy.number));
  }
  if (options_.portable_names && mode_ == Mode::kFull) {
    clock_.enter(Stage::kRules);
    current_ = copy;
    const ObjectId id = ledger_.table().id(copy.number);
    reporter_.begin(ObjectType::kTree, id);
    check_portable_names(buffer.bytes(), id.kind(), reporter_);
  }
  if (info == nullptr) return;
  clock_.enter(Stage::kLinks);
  tree_links_.complete(*info);
  info->inheritable = clean && !outcome.malformed;
  buffer.attachment = std::move(info);
}

ObjectVerifier::Judged ObjectVerifier::judge(const ObjectCopy& copy, Buffer& buffer,
                                             const Buffer* base, ByteView program,
                                             bool has_children) {
  if (copy.type == ObjectType::kBlob) return {true, false};
  const bool counts = ledger_.claim_links(copy.number);
  clock_.enter(Stage::kLinks);
  Judged judged{true, counts};
  if (copy.type == ObjectType::kTree) {
    judge_tree(copy, buffer, base, program, has_children, counts);
  } else if (copy.type == ObjectType::kCommit) {
    judged = judge_commit(copy, buffer.bytes(), counts);
  } else {
    judged = judge_tag(copy, buffer.bytes(), counts);
  }
  clock_.enter(Stage::kOther);
  return judged;
}

ObjectVerifier::Pending* ObjectVerifier::take_pending() {
  if (free_pending_.empty()) {
    pending_.push_back(std::make_unique<Pending>());
    return pending_.back().get();
  }
  Pending* pending = free_pending_.back();
  free_pending_.pop_back();
  return pending;
}

void ObjectVerifier::verify(const ObjectCopy& copy, const BufferRef& buffer, const Buffer* base,
                            ByteView program, bool has_children) {
  if (mode_ == Mode::kConnectivity) ledger_.set_present(copy.number, copy.type);
  if (mode_ != Mode::kFull) {
    // The bad copies are known: nothing of theirs is entered, and nothing is hashed again.
    if (!ledger_.is_bad_copy(copy.key) && ledger_.present_type(copy.number) == copy.type &&
        !judge(copy, *buffer, base, program, has_children).parsed) {
      ledger_.set_unparsable(copy.number);
    }
    return;
  }
  if (options_.note) {
    options_.note(
        fmt::format("Checking {} {}", type_name(copy.type), ledger_.table().id(copy.number).hex()));
  }
  const Judged judged = judge(copy, *buffer, base, program, has_children);
  const ObjectHeaderText header(copy.type, buffer->size());
  count_object(buffer->size(), header.bytes().size());
  clock_.enter(Stage::kSha1);
  if (kind_ != HashKind::kSha1) {
    ObjectHasher hasher(kind_);
    hasher.update(header.bytes());
    hasher.update(buffer->bytes());
    const ObjectName name = hasher.finish();
    clock_.enter(Stage::kOther);
    settle(copy, judged, name.id.data(), false);
    return;
  }
  Pending* pending = take_pending();
  pending->buffer = buffer.share();
  pending->copy = copy;
  pending->judged = judged;
  std::memcpy(pending->header.data(), header.bytes().data(), header.bytes().size());
  pending->header_size = static_cast<std::uint8_t>(header.bytes().size());
  pending->body = buffer->data();
  pending->body_size = buffer->size();
  // The id is compared when the digest is there: by then it should be in the cache.
  __builtin_prefetch(ledger_.table().raw_id(copy.number));
  batch_.submit(pending);
  clock_.enter(Stage::kOther);
  settle_finished();
}

void ObjectVerifier::count_object(std::uint64_t size, std::uint64_t header_size) {
  ++counters_.objects;
  counters_.object_bytes += size;
  counters_.hashed_bytes += size + header_size;
  if (options_.progress != nullptr) {
    options_.progress->objects.fetch_add(1, std::memory_order_relaxed);
    options_.progress->bytes.fetch_add(size, std::memory_order_relaxed);
  }
}

void ObjectVerifier::settle_finished() {
  while (sha1::Job* job = batch_.poll()) {
    auto* pending = static_cast<Pending*>(job);
    if (Checksum* checksum = pending->checksum) {
      if (std::memcmp(job->digest.data(), checksum->expected.data(), job->digest.size()) != 0) {
        findings_.add(std::move(checksum->on_mismatch));
      }
      continue;
    }
    settle(pending->copy, pending->judged, job->digest.data(), job->collision);
    pool_.release(std::move(pending->buffer));
    free_pending_.push_back(pending);
  }
}

void ObjectVerifier::settle(const ObjectCopy& copy, const Judged& judged,
                            const std::uint8_t* digest, bool collision) {
  const ObjectTable& table = ledger_.table();
  if (std::memcmp(digest, table.raw_id(copy.number), id_size(kind_)) == 0) {
    if (judged.parsed) ledger_.set_present(copy.number, copy.type);
    if (collision) {
      report(copy,
             Fault(MessageId::kCollisionDetected,
                   fmt::format("{}: SHA-1 collision attack detected", table.id(copy.number).hex())),
             file_of(copy).packed ? ExitBit::kBitPack : ExitBit::kBitObject);
    }
    return;
  }
  if (judged.links_counted || copy.type == ObjectType::kTree) links_tainted_ = true;
  ledger_.trace().distrust(copy.number);
  mark_bad(copy);
  const std::string hex = table.id(copy.number).hex();
  if (file_of(copy).packed) {
    report(copy,
           Fault(MessageId::kPackedObjectCorrupt,
                 fmt::format("packed {} from {} is corrupt", hex, path_of(copy))),
           ExitBit::kBitPack);
  } else {
    const ObjectId real = ObjectId::from_raw(digest, kind_);
    report(copy,
           Fault(MessageId::kHashPathMismatch,
                 fmt::format("{}: hash-path mismatch, found at: {}", real.hex(), path_of(copy))),
           ExitBit::kBitObject);
  }
}

void ObjectVerifier::begin_large(const ObjectCopy& copy, std::uint64_t size) {
  large_copy_ = copy;
  if (mode_ == Mode::kConnectivity) ledger_.set_present(copy.number, copy.type);
  if (mode_ != Mode::kFull) return;
  large_hasher_ = std::make_unique<ObjectHasher>(kind_, options_.detect_collisions);
  const ObjectHeaderText header(copy.type, size);
  large_hasher_->update(header.bytes());
  count_object(size, header.bytes().size());
}

void ObjectVerifier::add_large(ByteView piece) {
  if (large_hasher_ != nullptr) large_hasher_->update(piece);
}

void ObjectVerifier::end_large(bool complete) {
  if (large_hasher_ == nullptr) return;
  const ObjectName name = large_hasher_->finish();
  large_hasher_.reset();
  if (complete) settle(large_copy_, {true, false}, name.id.data(), name.collision);
}

void ObjectVerifier::verify_checksum(ByteView bytes, ByteView expected, Finding on_mismatch) {
  if (mode_ != Mode::kFull) return;
  if (kind_ != HashKind::kSha1) {
    ObjectHasher hasher(kind_);
    hasher.update(bytes);
    const ObjectName name = hasher.finish();
    if (std::memcmp(name.id.data(), expected.data(), expected.size()) != 0) {
      findings_.add(std::move(on_mismatch));
    }
    return;
  }
  checksums_.push_back(std::make_unique<Checksum>());
  Checksum& checksum = *checksums_.back();
  checksum.pending.checksum = &checksum;
  checksum.pending.body = bytes.data();
  checksum.pending.body_size = bytes.size();
  checksum.pending.background = true;
  checksum.expected.assign(expected.begin(), expected.end());
  checksum.on_mismatch = std::move(on_mismatch);
  batch_.submit(&checksum.pending);
}

void ObjectVerifier::flush() {
  clock_.enter(Stage::kSha1);
  batch_.finish();
  clock_.enter(Stage::kOther);
  settle_finished();
}

void ObjectVerifier::finish() {
  flush();
  clock_.enter(Stage::kLinks);
  links_.finish();
  clock_.enter(Stage::kOther);
}

}  // namespace assay
