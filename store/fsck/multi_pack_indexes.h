// StoredMultiPackIndex: the multi-pack-index that git would use of one object directory: a file or
// a chain of layers, with the files behind it.
#pragma once

#include <string>
#include <vector>

#include "store/fsck/pack_folder.h"
#include "store/graph/multi_pack_index_chain.h"
#include "store/os/mapped_file.h"

namespace assay {

struct StoredMultiPackIndex {
  struct Layer {
    std::string shown;  // path of the file, as messages show it
    os::MappedFile file;
    std::string stem;        // name in objects/pack/ of its bitmap, without ".bitmap"
    std::string shown_stem;  // likewise as messages show it
  };
  struct Problem {
    std::string shown;
    Fault fault;
  };

  bool file_exists = false;  // objects/pack/multi-pack-index, whatever it holds
  std::string shown;         // its path
  MultiPackIndexChain chain;
  std::vector<Layer> layers;  // beside those of the chain
  std::vector<Problem> problems;
};

StoredMultiPackIndex load_multi_pack_index(os::System& system, HashKind kind,
                                           const PackFolder& folder);

}  // namespace assay
