// ObjectVerifier: what one worker does with every copy of an object, wherever it was read from:
// rehash it in the lanes, judge it by the rules, enter its links.
//
// Rules and links are looked at while the bytes are hot, before the digest is known; what they gave
// counts only when the digest matches. A copy whose digest does not match is noted as bad: its
// findings are dropped, and if its links were entered, `links_tainted` says that all links have to
// be counted again without it (a run over the same storage in Mode::kLinks). So it is after every
// bad copy of a tree: deltas made against it may have inherited entries that nobody entered.
//
// Thread safety: one verifier a worker; results are taken after the worker has ended.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sha1/batch.h"
#include "store/fsck/commit_graphs.h"
#include "store/fsck/link_ledger.h"
#include "store/fsck/link_writer.h"
#include "store/fsck/rules/rule_reporter.h"
#include "store/fsck/rules/special_blobs.h"
#include "store/fsck/tree_links.h"
#include "store/object/object_hash.h"
#include "store/report/note.h"
#include "store/repository/grafts.h"
#include "store/run/buffer.h"
#include "store/run/stage_clock.h"

namespace assay {

struct FsckProgress;

// A file that holds objects: a pack, or an object directory with its loose objects.
struct SourceFile {
  std::string path;
  bool packed = false;
};

struct ObjectCopy {
  std::uint32_t number = 0;  // in the object table
  ObjectType type = ObjectType::kUnknown;
  CopyKey key;
  std::uint64_t offset = Fault::kNoOffset;  // in a pack
};

struct VerifyOptions {
  const Policy* policy = nullptr;
  const CommitParents* parents = nullptr;
  const std::vector<SourceFile>* files = nullptr;
  const CommitGraphs* commit_graphs = nullptr;  // to be compared with every commit
  bool report_roots = false;
  bool report_tags = false;
  bool detect_collisions = true;
  bool portable_names = false;  // judge names in trees for other systems, too
  std::size_t trace_limit = 0;  // words a worker may record of links
  FsckProgress* progress = nullptr;
  Note note;
};

struct VerifyCounters {
  std::uint64_t objects = 0;       // copies hashed
  std::uint64_t object_bytes = 0;  // bytes of their content, headers not counted
  std::uint64_t hashed_bytes = 0;  // bytes that went through the hash, headers included
};

class ObjectVerifier {
 public:
  enum class Mode : std::uint8_t {
    kFull,          // verify everything
    kLinks,         // only enter the links of present objects, all of them counted
    kConnectivity,  // only enter links, taking every object for what it claims to be
  };

  ObjectVerifier(LinkLedger& ledger, const VerifyOptions& options, BufferPool& pool,
                 StageClock& clock, Mode mode);
  ~ObjectVerifier();

  // One copy, whole. `base` and `program` say how it was made, if it is a delta; `has_children`:
  // others will be made from it, so it keeps what they need.
  void verify(const ObjectCopy& copy, const BufferRef& buffer, const Buffer* base, ByteView program,
              bool has_children);

  // One copy in pieces (a large blob). The size is that of the content.
  void begin_large(const ObjectCopy& copy, std::uint64_t size);
  void add_large(ByteView piece);
  void end_large(bool complete);

  // Hashes a whole file beside the objects and compares the result with `expected`, for example the
  // trailer of a pack. The bytes must stay until finish().
  void verify_checksum(ByteView bytes, ByteView expected, Finding on_mismatch);

  void report(const ObjectCopy& copy, Fault fault, ExitBit bit);
  // A finding about a file as a whole, with its place.
  void report_file(Finding finding) {
    if (mode_ == Mode::kFull) findings_.add(std::move(finding));
  }
  void mark_bad(const ObjectCopy& copy) { bad_copies_.push_back(copy.key); }
  // As mark_bad(): git dies when it reads this copy.
  void mark_unreadable(const ObjectCopy& copy) {
    mark_bad(copy);
    ledger_.set_unreadable(copy.number);
  }
  // An entry of a pack cannot be decoded: `has_children` tells whether others are made from it.
  void mark_undecodable(const ObjectCopy& copy, bool has_children) {
    // git reads a blob by name in pieces, and does not die of it.
    if (copy.type == ObjectType::kBlob) {
      mark_bad(copy);
    } else {
      mark_unreadable(copy);
    }
    if (has_children) ledger_.add_bad_base(copy.key.file, copy.number);
  }

  // Ends hashing of everything that waits, so that its buffers are free.
  void flush();
  // As flush(), and hands all links over to the ledger.
  void finish();

  std::vector<Finding>& findings() { return findings_.findings(); }
  std::vector<CopyKey>& bad_copies() { return bad_copies_; }
  const SpecialBlobs& special_blobs() const { return special_; }
  const VerifyCounters& counters() const { return counters_; }
  bool links_tainted() const { return links_tainted_; }

 private:
  struct Pending;
  struct Checksum;
  struct Judged {
    bool parsed = true;  // as git would: present only if so
    bool links_counted = false;
  };

  // Adds the place of the current copy to what the rules report.
  class PlacingSink : public FindingSink {
   public:
    explicit PlacingSink(ObjectVerifier& verifier) : verifier_(verifier) {}
    void add(Finding finding) override;

   private:
    ObjectVerifier& verifier_;
  };

  Judged judge(const ObjectCopy& copy, Buffer& buffer, const Buffer* base, ByteView program,
               bool has_children);
  Judged judge_commit(const ObjectCopy& copy, ByteView body, bool counts);
  Judged judge_tag(const ObjectCopy& copy, ByteView body, bool counts);
  void judge_tree(const ObjectCopy& copy, Buffer& buffer, const Buffer* base, ByteView program,
                  bool has_children, bool counts);
  bool apply_rules(const ObjectCopy& copy, ByteView body);
  void begin_trace(std::uint32_t number);
  void add_traced(std::uint32_t number, const ObjectId& target, ObjectType type);
  void end_trace();
  void report_unparsed(const ObjectCopy& copy, Fault fault);
  void report_passed_over(const ObjectCopy& copy, std::string text);
  void report_result(const ObjectCopy& copy, MessageId id, std::string text);
  void settle(const ObjectCopy& copy, const Judged& judged, const std::uint8_t* digest,
              bool collision);
  void settle_finished();
  void count_object(std::uint64_t size, std::uint64_t header_size);
  Pending* take_pending();
  void place(Finding& finding, const ObjectCopy& copy, std::uint32_t part) const;
  const SourceFile& file_of(const ObjectCopy& copy) const {
    return (*options_.files)[copy.key.file];
  }
  std::string path_of(const ObjectCopy& copy) const;

  LinkLedger& ledger_;
  VerifyOptions options_;
  BufferPool& pool_;
  StageClock& clock_;
  Mode mode_;
  HashKind kind_;
  FindingList findings_;
  PlacingSink placing_sink_;
  RuleReporter reporter_;
  SpecialBlobs special_;
  LinkWriter links_;
  TreeLinks tree_links_;
  sha1::Batch batch_;
  std::vector<std::unique_ptr<Pending>> pending_;
  std::vector<Pending*> free_pending_;
  std::vector<std::unique_ptr<Checksum>> checksums_;
  std::vector<CopyKey> bad_copies_;
  VerifyCounters counters_;
  bool links_tainted_ = false;
  ObjectCopy current_;  // the copy whose rules are applied
  std::unique_ptr<ObjectHasher> large_hasher_;
  ObjectCopy large_copy_;
};

// Parts of a FindingOrder from here on are about storage: they stand whatever the digest says.
// The first ones are about a pack as a whole.
constexpr std::uint32_t kStoragePart = 1u << 16;
constexpr std::uint32_t kPackParts = 4;

}  // namespace assay
