// SHA-1 in plain C++: the yardstick of all other kernels. The steps are in portable_steps.h.

#include "sha1/kernels/portable_steps.h"

#include <cstddef>
#include <cstdint>

#include "sha1/kernels/kernels.h"

namespace assay::sha1 {

void compress_portable(std::uint32_t state[5], const std::uint8_t* blocks, std::size_t n) {
  for (; n != 0; --n, blocks += kBlockSize) {
    portable::Working w = {{state[0], state[1], state[2], state[3], state[4]}};
    std::uint32_t words[16];
    portable::steps<0, 16>(w, words, blocks, std::make_index_sequence<80>());
    for (unsigned i = 0; i < 5; ++i) state[i] += w.v[i];
  }
}

}  // namespace assay::sha1
