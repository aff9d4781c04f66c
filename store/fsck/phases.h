// The places of the checks in FindingOrder: findings are sorted by the order in which git fsck
// makes the checks, whichever was done first.
#pragma once

#include <cstdint>

namespace assay {

enum FindingPhase : std::uint32_t {
  kPhaseRepository = 0,
  kPhaseLoose = 1,
  kPhasePacks = 2,
  kPhaseSpecialBlobs = 3,
  kPhaseRefFormat = 10,
  kPhaseRefs = 20,
  kPhasePeeled = 21,
  kPhaseReflogs = 30,
  kPhaseIndexFiles = 40,
  kPhasePackFolders = 44,
  kPhaseReverseIndexes = 45,
  kPhaseMtimes = 46,
  kPhaseBitmaps = 47,
  kPhaseLinks = 50,
  kPhaseGraph = 60,
  kPhaseCommitGraphs = 70,
  kPhaseMultiPackIndexes = 71,
  kPhaseInconclusive = 90,
};

}  // namespace assay
