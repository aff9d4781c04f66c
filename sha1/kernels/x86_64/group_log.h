#ifndef ASSAY_SHA1_KERNELS_X86_64_GROUP_LOG_H_
#define ASSAY_SHA1_KERNELS_X86_64_GROUP_LOG_H_

#include <cstddef>
#include <cstdint>

#include "sha1/collision/judge.h"
#include "sha1/kernels/x86_64/block_log.h"

/// What the kernels for long messages keep of groups of kLanes consecutive blocks until they are
/// judged, a group a row of a LaneLog, and how the blocks that remain are taken up.
namespace assay::sha1 {

/// Of a group: the words that lead from steps 56 and 64 to those of the vectors.
template <std::size_t kLanes>
struct alignas(4 * kLanes) GroupWords {
  std::uint32_t word56[kLanes];
  std::uint32_t word57[kLanes];
  std::uint32_t word64[kLanes];
};

/// `blocks`: the first of `n` blocks, which are those of the rows; `states` are theirs, `words`
/// those of the rows. Lanes behind the last block are idle and passed over.
///
/// Returns: whether a collision was found when the queue was full.
template <std::size_t kLanes>
bool take_survivors(const collision::Survivor* survivors, unsigned count, const BlockStates* states,
                    const GroupWords<kLanes>* words, const std::uint8_t* blocks, std::size_t n,
                    collision::Suspects& suspects, Recompress* recompress) {
  bool found = false;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned row = survivors[i].row;
    const unsigned lane = survivors[i].lane;
    const std::size_t at = row * kLanes + lane;
    if (at >= n) continue;
    const WordsToVectors of_block = {words[row].word56[lane], words[row].word57[lane],
                                     words[row].word64[lane]};
    found |= take_vector(states[at], of_block, blocks + at * kBlockSize, survivors[i].vector,
                         suspects, recompress);
  }
  return found;
}

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_KERNELS_X86_64_GROUP_LOG_H_
