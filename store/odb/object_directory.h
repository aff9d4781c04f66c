// ObjectDirectory: one directory of objects, its packs and its loose objects, for random access.
//
// Packs are found by their indexes; a pack whose index is bad is left out and named in
// `problems`. The pack files themselves are mapped when first read.
//
// Thread safety: const members may be used from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/base/object_id.h"
#include "store/loose/loose_directory.h"
#include "store/loose/loose_object.h"
#include "store/odb/object_source.h"
#include "store/os/mapped_file.h"
#include "store/pack/offset_order.h"
#include "store/pack/pack_file.h"
#include "store/pack/pack_index.h"
#include "store/report/fault.h"

namespace assay {

// One pack with its index. Never moves; the index views the mapped file.
class OpenPack {
 public:
  // `stem`: the path without ".idx". Errors: those of PackIndex, or that it cannot be opened.
  static Result<std::shared_ptr<const OpenPack>> open(os::System& system, const std::string& stem,
                                                      const std::string& shown_stem, HashKind kind);

  const std::string& stem() const { return stem_; }
  const PackIndex& index() const { return *index_; }
  // Maps the pack at the first call. Errors: those of PackFile::open, and a pack that does not
  // hold as many objects as its index says.
  Result<const PackFile*> pack() const;
  // Bytes that the entry takes in the pack. Requires: pack() was good.
  std::uint64_t entry_size(PackOffset offset) const;
  const OffsetOrder& offset_order() const;

 private:
  OpenPack() = default;

  os::System* system_ = nullptr;
  std::string stem_;
  std::string shown_stem_;
  os::MappedFile index_file_;
  std::optional<PackIndex> index_;
  mutable std::once_flag pack_once_;
  mutable Result<PackFile> pack_ = fault(MessageId::kPackBad, "not opened");
  mutable std::once_flag order_once_;
  mutable OffsetOrder order_;
};

using PackList = std::vector<std::shared_ptr<const OpenPack>>;

class ObjectDirectory {
 public:
  ObjectDirectory(os::System& system, ObjectSource source, HashKind kind);

  const std::string& path() const { return source_.path; }
  const std::string& shown_path() const { return source_.shown_path; }

  // Lists the packs that are there now, by name. Those in `known` are kept as they are.
  PackList list_packs(const PackList& known, std::vector<Fault>& problems) const;

  LooseDirectory loose() const;
  LoosePlace loose_place(const ObjectId& id) const;
  // True when a file lies in the place of the object; whether it is sound is not looked at.
  bool has_loose(const ObjectId& id) const;

 private:
  os::System& system_;
  ObjectSource source_;
  HashKind kind_;
};

}  // namespace assay
