// The door to one repository for programs: what it is, its objects, and a writer for them.
//
//     auto store = ObjectStore::open(os::System::real(), options);
//     ObjectReader reader((*store)->objects());
//     auto settings = read_write_settings((*store)->repository().config());
//     auto writer = (*store)->writer(*settings);
//
// Names of objects as people write them: store/object_names.h. Thread safety: const members may be
// called from any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/object/object_hash.h"    // re-exported: naming of objects
#include "store/object/object_header.h"  // re-exported
#include "store/odb/object_database.h"
#include "store/odb/object_writer.h"
#include "store/refs/ref_name.h"  // re-exported
#include "store/repository/repository.h"

namespace assay {

struct WriteSettings {
  LooseWriteOptions options;
  std::vector<std::string> warnings;  // values that git ignores with these words
};

// What the configuration says about writing loose objects: core.compression,
// core.looseCompression, core.fsync, core.fsyncMethod, core.fsyncObjectFiles,
// core.sharedRepository, core.createObject. Errors: kConfigBad in git's words; git dies there.
Result<WriteSettings> read_write_settings(const GitConfig& config);

class ObjectStore {
 public:
  // `system` must outlive the store. Errors: those of Repository::open.
  static Result<std::unique_ptr<ObjectStore>> open(os::System& system, const OpenOptions& options);

  const Repository& repository() const { return repository_; }
  const ObjectDatabase& objects() const { return objects_; }
  HashKind hash_kind() const { return repository_.hash_kind(); }

  // A writer for one thread.
  Result<std::unique_ptr<ObjectWriter>> writer(const WriteSettings& settings) const;

 private:
  ObjectStore(os::System& system, Repository repository, const std::vector<ObjectSource>& sources)
      : repository_(std::move(repository)), objects_(system, sources, repository_.hash_kind()) {}

  Repository repository_;
  ObjectDatabase objects_;
};

}  // namespace assay
