// The places of the checks of derived files among the phases of FindingOrder: where git fsck makes
// them, reverse indexes and bitmaps before the walk of the graph, the others after it.
#pragma once

#include <cstdint>

namespace assay {

enum CrossrefPhase : std::uint32_t {
  kPhasePackFolders = 44,
  kPhaseReverseIndexes = 45,
  kPhaseMtimes = 46,
  kPhaseBitmaps = 47,
  kPhaseCommitGraphs = 70,
  kPhaseMultiPackIndexes = 71,
};

}  // namespace assay
