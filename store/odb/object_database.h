// ObjectDatabase: all object directories of a repository as one: find, read and enumerate.
//
// Knows paths and options only, so it works on a bare objects directory. The database is shared;
// each thread has an ObjectReader, which owns the buffers. Writing: object_writer.h.
//
// A reader sees the packs that were there when it was made and looks again when it has no good copy
// of an object, so a repack beside it does no harm. When one copy of an object is damaged, the
// others are tried. What is read whole is rehashed: no content is handed out under a wrong name.
//
// Thread safety: ObjectDatabase may be used from any thread; ObjectReader: one a thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "store/base/object_id.h"
#include "store/base/object_type.h"
#include "store/loose/loose_object.h"
#include "store/object/object_hash.h"
#include "store/odb/object_directory.h"
#include "store/pack/pack_reader.h"
#include "store/report/fault.h"

namespace assay {

class ObjectDatabase {
 public:
  // `sources`: the main directory first, then the alternates. `system` must outlive it.
  ObjectDatabase(os::System& system, const std::vector<ObjectSource>& sources, HashKind kind);

  os::System& system() const { return system_; }
  HashKind kind() const { return kind_; }
  const std::vector<ObjectDirectory>& directories() const { return directories_; }

  // The packs of all directories, in their order. Listed at the first call.
  struct Packs {
    std::vector<PackList> by_directory;  // as directories()
    std::vector<Fault> problems;         // packs that cannot be used
  };
  std::shared_ptr<const Packs> packs() const;
  // Lists them again.
  std::shared_ptr<const Packs> reload_packs() const;

  // Every id that some file names, sorted, each once. Nothing is read but names and indexes.
  std::vector<ObjectId> all_ids() const;
  // The same in the order in which reading is fastest: loose objects by name, then each pack by
  // offset.
  std::vector<ObjectId> all_ids_in_storage_order() const;
  // Ids that begin as `prefix` (2 or more hex digits, any case), sorted, each once.
  std::vector<ObjectId> find_prefix(std::string_view prefix) const;

 private:
  os::System& system_;
  HashKind kind_;
  std::vector<ObjectDirectory> directories_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Packs> packs_;
};

struct ObjectInfo {
  ObjectType type = ObjectType::kUnknown;
  std::uint64_t size = 0;
  std::uint64_t disk_size = 0;         // bytes that this copy takes
  std::optional<ObjectId> delta_base;  // of a copy that is a delta
};

class ObjectReader {
 public:
  using Begin = std::function<void(ObjectType type, std::uint64_t size)>;
  using Consumer = std::function<void(ByteView)>;

  struct Object {
    ObjectType type = ObjectType::kUnknown;
    Bytes content;
  };

  explicit ObjectReader(const ObjectDatabase& database);

  // Whether some file claims to hold the object. It is not opened.
  bool contains(const ObjectId& id);

  // All of them: kMissing when there is no copy, the fault of the first copy when none is good.
  Result<ObjectInfo> info(const ObjectId& id);
  // Errors also: kObjectTooLarge above `limit` bytes.
  Result<Object> read(const ObjectId& id, std::uint64_t limit);
  // Gives the object in pieces; `begin` comes first. Objects above 16 MiB that are no deltas take
  // constant memory; their hash is known, and may be a fault, only after the last piece.
  Result<void> stream(const ObjectId& id, const Begin& begin, const Consumer& consume);

 private:
  struct Copy {
    const ObjectDirectory* directory = nullptr;  // of a loose copy
    std::shared_ptr<const OpenPack> pack;        // of a packed copy
    PackOffset offset;
  };

  // Shows the copies one by one, packed ones first, until `done` returns true.
  using Visit = std::function<bool(const Copy&)>;
  // Leaves out the packs of `known`.
  bool visit_packed(const ObjectId& id, const Visit& done,
                    const ObjectDatabase::Packs* known = nullptr) const;
  bool visit_copies(const ObjectId& id, const Visit& done);
  Result<ObjectInfo> info_of(const Copy& copy, const ObjectId& id);
  Result<Object> read_copy(const Copy& copy, const ObjectId& id, std::uint64_t limit);
  Result<void> stream_copy(const Copy& copy, const ObjectId& id, const Begin& begin,
                           const Consumer& consume, bool& begun);
  std::string where(const Copy& copy, const ObjectId& id) const;

  const ObjectDatabase& database_;
  std::shared_ptr<const ObjectDatabase::Packs> packs_;
  // Packs that were read from, kept even when a repack removed them: the reader of packs knows
  // them by their addresses.
  std::set<std::shared_ptr<const OpenPack>> read_packs_;
  LooseReader loose_reader_;
  PackReader pack_reader_;
};

}  // namespace assay
