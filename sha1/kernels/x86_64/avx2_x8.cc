// SHA-1 of 8 messages in the 8 lanes of AVX2 vectors, without detection.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/avx2.h"

#include <utility>

#include "sha1/kernels/kernels.h"

namespace assay::sha1 {
namespace {

constexpr std::size_t kPrefetchDistance = 512;

template <std::size_t... kSteps>
ASSAY_AVX2_INLINE void all_steps(__m256i v[5], __m256i w[16], std::index_sequence<kSteps...>) {
  (avx2::step<kSteps>(v, w), ...);
}

}  // namespace

ASSAY_AVX2 void compress_lanes_avx2_x8(LaneState& state,
                                       const std::uint8_t* const blocks[kMaxLanes],
                                       std::size_t rows) {
  for (std::size_t offset = 0; offset < rows * kBlockSize; offset += kBlockSize) {
    __m256i w[16];
    avx2::load_half(blocks, offset, w);
    avx2::load_half(blocks, offset + kBlockSize / 2, w + 8);
    __m256i v[5];
    for (unsigned i = 0; i < 5; ++i) {
      v[i] = _mm256_load_si256(reinterpret_cast<const __m256i*>(state.word[i]));
    }
    for (unsigned lane = 0; lane < 8; ++lane) {
      _mm_prefetch(reinterpret_cast<const char*>(blocks[lane] + offset + kPrefetchDistance),
                   _MM_HINT_T0);
    }
    all_steps(v, w, std::make_index_sequence<80>());
    for (unsigned i = 0; i < 5; ++i) {
      __m256i* word = reinterpret_cast<__m256i*>(state.word[i]);
      _mm256_store_si256(word, _mm256_add_epi32(v[i], _mm256_load_si256(word)));
    }
  }
}

}  // namespace assay::sha1

#endif
