// What the lane engine does between rows, with AVX-512.

#if defined(__x86_64__)

#include "sha1/kernels/lane_helpers.h"
#include "sha1/kernels/x86_64/avx512.h"

#include <algorithm>
#include <cstring>

namespace assay::sha1 {
namespace {

static_assert(kMaxLanes == 16);

// Whole vectors, which the kernel can load at once; it would wait for single words to arrive in the
// cache.
ASSAY_AVX512 void reset(LaneState& state, std::uint32_t lanes) {
  for (unsigned i = 0; i < 5; ++i) {
    const __m512i initial = _mm512_set1_epi32(static_cast<int>(kInitialState[i]));
    const __m512i words = _mm512_load_si512(state.word[i]);
    _mm512_store_si512(state.word[i],
                       _mm512_mask_mov_epi32(words, static_cast<__mmask16>(lanes), initial));
  }
}

ASSAY_AVX512 LaneProgress advance(LaneCursor& cursor, unsigned lanes, std::uint32_t rows) {
  const __m512i left =
      _mm512_sub_epi32(_mm512_load_si512(cursor.left), _mm512_set1_epi32(static_cast<int>(rows)));
  _mm512_store_si512(cursor.left, left);
  const __m512i bytes = _mm512_set1_epi64(static_cast<long long>(rows * kBlockSize));
  for (unsigned half = 0; half < kMaxLanes; half += kMaxLanes / 2) {
    const __m512i at = _mm512_load_si512(cursor.at + half);
    _mm512_store_si512(cursor.at + half, _mm512_add_epi64(at, bytes));
  }
  const std::uint32_t looked_at = 0xffffU >> (kMaxLanes - lanes);
  const __mmask16 others = static_cast<__mmask16>(_mm512_test_epi32_mask(left, left) & looked_at);
  const __m512i least = _mm512_mask_mov_epi32(_mm512_set1_epi32(-1), others, left);
  return {looked_at & ~std::uint32_t{others}, _mm512_reduce_min_epu32(least)};
}

// Whole vectors, which are in the first-level cache when the kernel reads them, and no branch that
// depends on rest % 64.
ASSAY_AVX512 void write_tail(std::uint8_t* to, std::uint8_t* end, const std::uint8_t* body,
                             std::size_t rest, std::uint64_t length) {
  for (; rest >= kBlockSize; rest -= kBlockSize, to += kBlockSize, body += kBlockSize) {
    _mm512_storeu_si512(to, _mm512_loadu_si512(body));
  }
  const std::uint64_t one = std::uint64_t{1} << rest;
  const __m512i last = _mm512_maskz_loadu_epi8(one - 1, body);
  _mm512_storeu_si512(to, _mm512_mask_mov_epi8(last, one, _mm512_set1_epi8(-0x80)));
  // What lies between that vector and the end.
  const std::ptrdiff_t more = end - to - static_cast<std::ptrdiff_t>(kBlockSize);
  const unsigned zeros = static_cast<unsigned>(std::clamp<std::ptrdiff_t>(more, 0, 63));
  _mm512_mask_storeu_epi8(to + kBlockSize, (std::uint64_t{1} << zeros) - 1, _mm512_setzero_si512());
  const std::uint64_t bits = __builtin_bswap64(length << 3);
  std::memcpy(end - 8, &bits, sizeof bits);
}

}  // namespace

const LaneHelpers kAvx512LaneHelpers = {reset, advance, write_tail};

}  // namespace assay::sha1

#endif
