#include "store/fsck/multi_pack_indexes.h"

#include <fmt/format.h>

#include "store/fsck/map_file.h"
#include "store/graph/chain_file.h"

namespace assay {
namespace {

constexpr std::size_t kMaxChainFileSize = std::size_t{1} << 20;

class Loader {
 public:
  Loader(os::System& system, HashKind kind, const PackFolder& folder)
      : system_(system), kind_(kind), folder_(folder) {}

  StoredMultiPackIndex load();

 private:
  void load_chain();
  // Returns: false when the file is not a layer that can be used.
  bool add_file(os::MappedFile file, const std::string& name, const ObjectId& layer);
  void note(const std::string& shown, Fault fault) {
    result_.problems.push_back({shown, std::move(fault)});
  }

  os::System& system_;
  HashKind kind_;
  const PackFolder& folder_;
  StoredMultiPackIndex result_;
};

StoredMultiPackIndex Loader::load() {
  const std::string name = "multi-pack-index";
  result_.shown = folder_.shown + "/" + name;
  auto file = map_file(system_, folder_.path + "/" + name);
  result_.file_exists = file || file.error().code != ENOENT;
  if (file) {
    if (add_file(std::move(*file), name, ObjectId::null(kind_))) return std::move(result_);
  } else if (result_.file_exists) {
    note(result_.shown,
         Fault(MessageId::kMultiPackIndexUnreadable,
               fmt::format("failed to read {}: {}", result_.shown, file.error().text())));
  }
  load_chain();
  if (result_.layers.empty() && result_.file_exists) {
    note(result_.shown, Fault(MessageId::kMultiPackIndexUnreadable,
                              "multi-pack-index file exists, but failed to parse"));
  }
  return std::move(result_);
}

void Loader::load_chain() {
  const std::string name = "multi-pack-index.d/multi-pack-index-chain";
  const std::string shown = folder_.shown + "/" + name;
  const auto file = map_file(system_, folder_.path + "/" + name);
  if (!file) {
    if (file.error().code == ENOENT || file.error().code == ENOTDIR) return;
    note(shown, Fault(MessageId::kMultiPackIndexDoubtful,
                      fmt::format("failed to read {}: {}", shown, file.error().text())));
    return;
  }
  if (file->bytes().empty()) return;  // git: the same as missing
  const auto report_incomplete = [&] {
    // git makes do with the layers that it found; of a commit-graph chain it calls that an error.
    note(shown, Fault(MessageId::kMultiPackIndexUntrue,
                      fmt::format("layers of {} could not be loaded", shown)));
  };
  if (file->bytes().size() < id_hex_size(kind_)) {
    note(shown, Fault(MessageId::kMultiPackIndexDoubtful, "multi-pack-index chain file too small"));
    return report_incomplete();
  }
  const ChainFile chain = parse_multi_pack_index_chain(
      file->bytes().first(std::min(file->bytes().size(), kMaxChainFileSize)), kind_);
  bool complete = chain.complete;
  for (const Fault& problem : chain.problems) note(shown, problem);
  for (const std::string& line : chain.layers) {
    const ObjectId layer =
        *ObjectId::from_hex(std::string_view(line).substr(0, id_hex_size(kind_)), kind_);
    const std::string layer_name =
        fmt::format("multi-pack-index.d/multi-pack-index-{}.midx", layer.hex());
    auto mapped = map_file(system_, folder_.path + "/" + layer_name);
    if (mapped && add_file(std::move(*mapped), layer_name, layer)) continue;
    note(shown,
         Fault(MessageId::kMultiPackIndexDoubtful, "unable to find all multi-pack index files"));
    complete = false;
    break;
  }
  if (!complete) report_incomplete();
}

bool Loader::add_file(os::MappedFile file, const std::string& name, const ObjectId& layer) {
  const std::string shown = folder_.shown + "/" + name;
  auto index = MultiPackIndex::parse(file.bytes(), kind_, shown);
  if (!index) {
    note(shown, std::move(index.error()));
    return false;
  }
  const std::string stem =
      fmt::format("{}multi-pack-index-{}", layer.is_null() ? "" : "multi-pack-index.d/",
                  index->checksum().hex());
  if (auto added = result_.chain.add(std::move(*index), layer); !added) {
    note(shown, std::move(added.error()));
    return false;
  }
  result_.layers.push_back(
      {shown, std::move(file), folder_.path + "/" + stem, folder_.shown + "/" + stem});
  return true;
}

}  // namespace

StoredMultiPackIndex load_multi_pack_index(os::System& system, HashKind kind,
                                           const PackFolder& folder) {
  return Loader(system, kind, folder).load();
}

}  // namespace assay
