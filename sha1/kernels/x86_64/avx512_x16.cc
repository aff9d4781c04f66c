// SHA-1 of 16 messages in the 16 lanes of AVX-512 vectors, without detection.
//
// A row of 16 blocks is about 840 vector instructions on two ports, hence 420 cycles at best.

#if defined(__x86_64__)

#include "sha1/kernels/kernels.h"
#include "sha1/kernels/x86_64/avx512.h"

#include <utility>

namespace assay::sha1 {
namespace {

// The next blocks of 16 streams are more than the hardware prefetcher follows. Prefetching is free
// here, also of what lies behind the end of a message.
constexpr std::size_t kPrefetchDistance = 512;

template <std::size_t... kSteps>
ASSAY_AVX512_INLINE void all_steps(__m512i v[5], __m512i w[16],
                                   const avx512::RoundConstants& constants,
                                   std::index_sequence<kSteps...>) {
  (avx512::step<kSteps>(v, w, constants), ...);
}

}  // namespace

ASSAY_AVX512 void compress_lanes_avx512_x16(LaneState& state,
                                            const std::uint8_t* const blocks[kMaxLanes],
                                            std::size_t rows) {
  const avx512::RoundConstants constants = avx512::round_constants();
  __m512i v[5];
  for (unsigned i = 0; i < 5; ++i) v[i] = _mm512_load_si512(state.word[i]);
  for (std::size_t offset = 0; offset < rows * kBlockSize; offset += kBlockSize) {
    __m512i w[16];
    avx512::load_words(blocks, offset, w);
    for (unsigned lane = 0; lane < 16; ++lane) {
      _mm_prefetch(reinterpret_cast<const char*>(blocks[lane] + offset + kPrefetchDistance),
                   _MM_HINT_T0);
    }
    all_steps(v, w, constants, std::make_index_sequence<80>());
    for (unsigned i = 0; i < 5; ++i) {
      v[i] = _mm512_add_epi32(v[i], _mm512_load_si512(state.word[i]));
      _mm512_store_si512(state.word[i], v[i]);
    }
  }
}

}  // namespace assay::sha1

#endif
