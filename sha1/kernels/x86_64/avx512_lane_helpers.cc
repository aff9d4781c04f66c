// What the lane engine does between rows, with AVX-512.

#if defined(__x86_64__)

#include "sha1/kernels/lane_helpers.h"
#include "sha1/kernels/x86_64/avx512.h"

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

// Of body byte `at`, which may lie before the body when nothing is read there: an address, since a
// pointer to before its array must not be made.
inline const void* body_at(const Job& job, std::uint64_t at) {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(job.body) +
                                       static_cast<std::uintptr_t>(at));
}

// Each block by one store of a whole vector, which is in the first-level cache when the kernel
// reads it; it would wait for the parts of others. No branch depends on the length in bytes.
ASSAY_AVX512 void stage(std::uint8_t* to, std::size_t /*blocks*/, const Job& job,
                        std::uint64_t offset) {
  constexpr std::uint64_t kOne = 1;
  std::uint64_t left = job.body_size - offset;
  std::uint64_t at = offset;
  __m512i block = _mm512_setzero_si512();
  std::uint64_t in_header = 0;
  if (offset == 0 && job.header_size != 0) {
    in_header = (kOne << job.header_size) - 1;
    block = _mm512_maskz_mov_epi8(
        in_header, _mm512_castsi256_si512(
                       _mm256_loadu_si256(reinterpret_cast<const __m256i*>(job.header.data()))));
    // As if the body began before its beginning, which is not read.
    at -= job.header_size;
    left += job.header_size;
    if (left >= kBlockSize) {
      _mm512_store_si512(to, _mm512_mask_loadu_epi8(block, ~in_header, body_at(job, at)));
      to += kBlockSize;
      at += kBlockSize;
      left -= kBlockSize;
      block = _mm512_setzero_si512();
      in_header = 0;
    }
  }
  for (; left >= kBlockSize; left -= kBlockSize, to += kBlockSize, at += kBlockSize) {
    _mm512_store_si512(to, _mm512_loadu_si512(body_at(job, at)));
  }
  const std::uint64_t end = kOne << left;
  const std::uint64_t in_body = (end - 1) & ~in_header;
  // A load of which nothing is wanted may still touch a page that is not there, which takes long.
  if (in_body != 0) block = _mm512_mask_loadu_epi8(block, in_body, body_at(job, at));
  block = _mm512_mask_mov_epi8(block, end, _mm512_set1_epi8(-0x80));
  if (left >= kBlockSize - 8) {
    _mm512_store_si512(to, block);
    to += kBlockSize;
    block = _mm512_setzero_si512();
  }
  const std::uint64_t bits = __builtin_bswap64((job.header_size + job.body_size) << 3);
  _mm512_store_si512(to, _mm512_mask_set1_epi64(block, 0x80, static_cast<long long>(bits)));
}

ASSAY_AVX512 void digests(const LaneState& state, std::uint32_t /*lanes*/, LaneDigests& digests) {
  __m512i word[5];
  for (unsigned i = 0; i < 5; ++i) {
    word[i] = avx512::swap_bytes(_mm512_load_si512(state.word[i]));
  }
  const __m512i x0 = _mm512_unpacklo_epi32(word[0], word[1]);
  const __m512i x1 = _mm512_unpackhi_epi32(word[0], word[1]);
  const __m512i x2 = _mm512_unpacklo_epi32(word[2], word[3]);
  const __m512i x3 = _mm512_unpackhi_epi32(word[2], word[3]);
  // Lane 4 * q + i is in quarter q of y[i].
  const __m512i y[4] = {_mm512_unpacklo_epi64(x0, x2), _mm512_unpackhi_epi64(x0, x2),
                        _mm512_unpacklo_epi64(x1, x3), _mm512_unpackhi_epi64(x1, x3)};
  for (unsigned i = 0; i < 4; ++i) {
    __m128i* to = reinterpret_cast<__m128i*>(digests.most);
    _mm_store_si128(to + i, _mm512_castsi512_si128(y[i]));
    _mm_store_si128(to + i + 4, _mm512_extracti32x4_epi32(y[i], 1));
    _mm_store_si128(to + i + 8, _mm512_extracti32x4_epi32(y[i], 2));
    _mm_store_si128(to + i + 12, _mm512_extracti32x4_epi32(y[i], 3));
  }
  _mm512_store_si512(digests.rest, word[4]);
}

}  // namespace

const LaneHelpers kAvx512LaneHelpers = {reset, advance, stage, digests};

}  // namespace assay::sha1

#endif
