// Storage: every file that holds objects, of all object directories, opened and listed before
// anything is verified: pack indexes loaded, delta forests built, loose objects listed, all ids in
// one table.
//
// git may work in the repository meanwhile. Packs are mapped when they are listed, so they stay
// readable when they are removed; a pack that went between listing and opening makes the directory
// be listed again. extend() takes in what has come since.
//
// Thread safety: const members may be used from any thread, extend() by one that is alone.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "store/fsck/object_table.h"
#include "store/fsck/object_verifier.h"
#include "store/loose/loose_directory.h"
#include "store/odb/object_source.h"
#include "store/pack/delta_forest.h"

namespace assay {

struct StoredPack {
  std::uint32_t file = 0;  // rank in Storage::files()
  bool promisor = false;   // promised by a remote that is configured as a promisor
  os::MappedFile index_file;
  std::string index_path;
  std::optional<PackIndex> index;
  std::optional<PackFile> pack;
  DeltaForest forest;
  std::vector<std::uint32_t> numbers;  // object number of every index position
};

// The loose objects of one fan-out directory.
struct StoredFanout {
  std::uint32_t file = 0;       // rank in Storage::files()
  std::uint32_t directory = 0;  // rank among the object directories
  unsigned fanout = 0;
  std::uint32_t first_item = 0;  // order of its first object in the directory
  std::vector<LooseFile> objects;
  std::vector<std::uint32_t> numbers;  // object number of every object

  // Returns: the position of the object in `objects`, or nothing.
  std::optional<std::size_t> find(const ObjectId& id) const;
};

// How much of a storage there was at some moment: ranks of the files that came after it.
struct StorageExtent {
  std::uint32_t fanouts = 0;
  std::uint32_t packs = 0;
};

class Storage {
  using NumberSet = std::unordered_set<std::uint32_t>;

 public:
  struct Options {
    HashKind kind = HashKind::kSha1;
    bool packs_are_promised = false;  // .promisor marks count
    bool read_packs = true;           // build forests; without, only ids are known
    unsigned threads = 1;
  };

  // `problems` receives what is wrong with files as a whole; a pack that cannot be used is left
  // out and its ids with it.
  static std::unique_ptr<Storage> load(os::System& system,
                                       const std::vector<ObjectSource>& directories,
                                       const Options& options, const Policy& policy,
                                       FindingSink& problems);

  // One pack, PATH.pack and PATH.idx, and nothing else.
  static std::unique_ptr<Storage> load_pack_alone(os::System& system, const std::string& stem,
                                                  const Options& options, const Policy& policy,
                                                  FindingSink& problems);

  // Lists everything again and takes in the packs and loose objects that are new: those whose ids
  // are not in the table, and those that are `vanished` (object numbers) but here again. What is
  // known stays, whether it is still there or not. `problems` receives what is wrong with files as
  // a whole now, as load() does, except for the packs that are in use.
  void extend(const std::vector<std::uint32_t>& vanished, const Policy& policy,
              FindingSink& problems);
  StorageExtent extent() const {
    return {static_cast<std::uint32_t>(fanouts_.size()), static_cast<std::uint32_t>(packs_.size())};
  }

  os::System& system() const { return system_; }
  HashKind kind() const { return options_.kind; }
  const std::vector<ObjectSource>& directories() const { return directories_; }
  const std::vector<SourceFile>& files() const { return files_; }
  const std::deque<StoredPack>& packs() const { return packs_; }
  const std::deque<StoredFanout>& fanouts() const { return fanouts_; }
  const ObjectTable& table() const { return *table_; }

  // Copies of objects in all files: what there is to verify.
  std::uint64_t copy_count() const;

 private:
  explicit Storage(os::System& system, const Options& options)
      : system_(system), options_(options) {}

  enum class Loaded : std::uint8_t { kYes, kRefused, kGone };

  // Of an object directory that is listed for the first time all objects are new.
  void list_loose(std::uint32_t directory, const NumberSet* vanished, const Policy& policy,
                  FindingSink& problems);
  void list_packs(std::uint32_t directory, const Policy& policy, FindingSink& problems);
  // Returns: false when a pack went before it could be opened.
  bool list_packs_once(std::uint32_t directory, const Policy& policy, FindingSink& problems);
  Loaded load_pack(StoredPack& pack, const std::string& open_stem, const std::string& shown_stem,
                   const Policy& policy, FindingSink& problems);
  void report_storage_fault(Fault fault, ExitBit bit, const std::string& file, std::uint32_t phase,
                            const Policy& policy, FindingSink& problems);
  void report_foreign(const std::string& path, std::uint32_t phase, const Policy& policy,
                      FindingSink& problems);
  void number(StorageExtent begin);

  os::System& system_;
  Options options_;
  std::vector<ObjectSource> directories_;
  std::vector<SourceFile> files_;
  std::deque<StoredPack> packs_;
  std::set<std::string> pack_stems_;  // paths of those in packs_, without ".pack", to open
  std::deque<StoredFanout> fanouts_;
  std::vector<std::uint32_t> loose_items_;  // by object directory: objects listed so far
  std::unique_ptr<ObjectTable> table_;
  std::uint64_t problem_count_ = 0;
};

}  // namespace assay
