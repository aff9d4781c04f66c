// SHA-1 of one message with the SHA extensions and AVX-512 on 128-bit vectors, without detection.
//
// As sha_ni.cc, which explains the schedule, with three savings: VPTERNLOGD and VPROLD in the
// schedule, and instead of SHA1NEXTE (latency 3) a rotation under a mask that leaves only the
// highest lane, and an addition (latency 2).
//
// Only 128-bit vectors are written, so the upper halves of the registers stay clean and the SHA
// instructions, which have the legacy encoding, pay no penalty.

#if defined(__x86_64__)

#include <utility>

#include "sha1/kernels/kernels.h"
#include "sha1/kernels/x86_64/sha_ni_avx512.h"

namespace assay::sha1 {
namespace {

constexpr std::size_t kPrefetchDistance = 1024;

template <std::size_t... kGroups>
ASSAY_SHA_AVX512_INLINE void all_steps(sha_ni_avx512::Stream& s, __m128i e,
                                       const std::uint8_t* block, std::index_sequence<kGroups...>) {
  (sha_ni_avx512::four_steps<kGroups>(s, e, block), ...);
}

}  // namespace

ASSAY_SHA_AVX512 void compress_sha_ni_avx512(std::uint32_t state[5], const std::uint8_t* blocks,
                                             std::size_t n) {
  __m128i* words = reinterpret_cast<__m128i*>(state);
  sha_ni_avx512::Stream s;
  s.abcd = _mm_shuffle_epi32(_mm_loadu_si128(words), 0x1b);
  __m128i e = _mm_set_epi32(static_cast<int>(state[4]), 0, 0, 0);
  for (; n != 0; --n, blocks += kBlockSize) {
    const __m128i abcd = s.abcd;
    _mm_prefetch(reinterpret_cast<const char*>(blocks + kPrefetchDistance), _MM_HINT_T0);
    all_steps(s, e, blocks, std::make_index_sequence<20>());
    s.abcd = _mm_add_epi32(s.abcd, abcd);
    e = sha_ni_avx512::next_e(s.previous, e);
  }
  _mm_storeu_si128(words, _mm_shuffle_epi32(s.abcd, 0x1b));
  state[4] = static_cast<std::uint32_t>(_mm_extract_epi32(e, 3));
}

}  // namespace assay::sha1

#endif
