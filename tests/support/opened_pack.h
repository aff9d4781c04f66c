// A built pack on disk, opened: file, index and delta forest together.
#pragma once

#include "store/pack/delta_forest.h"
#include "tests/support/pack_builder.h"

namespace assay::testing {

class OpenedPack {
 public:
  explicit OpenedPack(const BuiltPack& built, unsigned threads = 1, HashKind kind = HashKind::kSha1)
      : built_(built) {
    built_.write(directory_, "p");
    auto file = PackFile::open(os::System::real(), directory_.path("p.pack"), kind, "p.pack");
    if (!file) ADD_FAILURE() << file.error().text;
    pack_ = std::move(*file);
    auto parsed = PackIndex::parse(built_.index, kind, "p.idx");
    if (!parsed) ADD_FAILURE() << parsed.error().text;
    index_ = *parsed;
    forest_ = DeltaForest::build(*pack_, index_, threads);
  }

  const PackFile& pack() const { return *pack_; }
  const PackIndex& index() const { return index_; }
  const DeltaForest& forest() const { return forest_; }
  const std::string& path() const { return directory_.path(); }
  // Returns: the position of an entry of the builder; kNone when the forest has none.
  std::uint32_t position(std::size_t number) const {
    for (std::uint32_t i = 0; i < forest_.size(); ++i) {
      if (forest_.offset({i}).value == built_.offsets[number]) return i;
    }
    return DeltaForest::kNone;
  }

 private:
  TemporaryDirectory directory_;
  BuiltPack built_;
  std::optional<PackFile> pack_;
  PackIndex index_;
  DeltaForest forest_;
};

}  // namespace assay::testing
