// ObjectWriter: puts objects into the main directory of a database, unless it has them already.
//
// An object that some pack, or some alternate, holds is not written again; the file that holds it
// is made to look new, so that a prune or repack beside us spares it. A loose copy counts only if
// it is sound. Packs are those that were there when the writer was made; a pack of cruft
// (".mtimes") does not count, it may go at any time.
//
// Thread safety: one writer a thread.
#pragma once

#include <memory>
#include <unordered_set>
#include <vector>

#include "store/loose/loose_writer.h"
#include "store/odb/object_database.h"

namespace assay {

class ObjectWriter {
 public:
  using Outcome = LooseWriter::Outcome;

  // Errors: kIoError. `database` must outlive the writer.
  static Result<std::unique_ptr<ObjectWriter>> open(const ObjectDatabase& database,
                                                    const LooseWriteOptions& options);

  // Requires: `id` is the name of exactly these bytes.
  Result<Outcome> write(const ObjectId& id, ObjectType type, ByteView content);

  // An object of any size in constant memory: begin, append its pieces, then end, which writes it
  // and gives its name. A collision attack (ObjectName::collision) is a fault, nothing is written.
  Result<void> begin(ObjectType type, std::uint64_t size) { return loose_->begin(type, size); }
  Result<void> append(ByteView content) { return loose_->append(content); }
  Result<ObjectId> end();

  // With LooseSync::kBatch nothing counts as written before this has returned.
  Result<void> flush() { return loose_->flush(); }

 private:
  ObjectWriter(const ObjectDatabase& database, std::unique_ptr<LooseWriter> loose);

  // Returns: whether the object lies somewhere else than loose in the main directory.
  Result<bool> freshen_elsewhere(const ObjectId& id);
  bool freshen_pack(const OpenPack& pack);

  const ObjectDatabase& database_;
  std::shared_ptr<const ObjectDatabase::Packs> packs_;
  std::unordered_set<std::string> fresh_packs_;
  std::unique_ptr<LooseWriter> loose_;
  std::vector<std::unique_ptr<LooseWriter>> alternates_;
};

}  // namespace assay
