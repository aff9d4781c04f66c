// SHA-1 of one message with collision detection, with the SHA extensions and AVX2.
//
// A few blocks are judged one by one, in runs of conditions (collision/runs.h). More of them are
// judged side by side: the words S[b] of a block (collision/families.h) come from VPMOVMSKB, which
// takes the highest bit of 32 bytes at once, and wait until there are those of eight blocks; then a
// family is tested for all of them in the lanes of one vector. Bit n of S[b] belongs to word 64 -
// n, so the order is the reverse of families.h: rotations turn around, and so do masks and the
// result. A family never wraps around the end of a word, so each of its rotations is one shift,
// left or right. Long messages go through sha_ni_avx2_groups.cc.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/sha_ni.h"

#include <bit>
#include <utility>

#include "sha1/collision/families.h"
#include "sha1/collision/runs.h"
#include "sha1/kernels/kernels.h"
#include "sha1/kernels/x86_64/block_log.h"
#include "sha1/kernels/x86_64/sha_ni_logged.h"

#define ASSAY_SHA_AVX2 __attribute__((target("sha,avx2")))
#define ASSAY_SHA_AVX2_INLINE __attribute__((target("sha,avx2"), always_inline)) inline
// Not inlined: gcc would load constants early and leave the upper halves of registers dirty, for
// which the SHA instructions pay dearly; at the end of a function the compiler clears them.
#define ASSAY_SHA_AVX2_APART __attribute__((target("sha,avx2"), noinline))

namespace assay::sha1 {
namespace {

using collision::Family;
using collision::kFamilies;
using collision::Suspects;

constexpr std::size_t kPrefetchDistance = 1024;
constexpr unsigned kLanes = 8;
// From here on groups of eight blocks pay.
constexpr std::size_t kGroupedBlocks = 64;
// Up to so many blocks are judged sooner one by one than side by side.
constexpr std::size_t kFewBlocks = 3;

constexpr std::uint32_t reversed(std::uint32_t x) {
  std::uint32_t y = 0;
  for (unsigned i = 0; i < 32; ++i) y |= (x >> i & 1) << (31 - i);
  return y;
}

// The words S of eight blocks: slice[b][block]. Only the bits that conditions read are filled in.
struct alignas(32) Slices {
  std::uint32_t slice[32][kLanes];
};

ASSAY_SHA_AVX2_INLINE __m256i load(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

// The runs of one block (collision/runs.h), in the order of a BlockLog, where the words go down.
constexpr const collision::Runs<kLanes>& kRuns = collision::kRuns<kLanes>;

struct alignas(32) RunMasks {
  collision::VectorSet mask[kRuns.count][kLanes];
};

constexpr RunMasks make_run_masks() {
  RunMasks masks{};
  for (unsigned r = 0; r < kRuns.count; ++r) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      masks.mask[r][kLanes - 1 - lane] = kRuns.runs[r].vectors[lane];
    }
  }
  return masks;
}

constexpr RunMasks kRunMasks = make_run_masks();

// The words t to t + 7, the last one first.
ASSAY_SHA_AVX2_INLINE __m256i words_from(const BlockLog& log, unsigned t) {
  return load(log.at(t + kLanes - 1));
}

template <std::size_t kIndex>
ASSAY_SHA_AVX2_INLINE void test_run(const BlockLog& log, const RunMasks& masks, __m256i& broken) {
  constexpr collision::Run<kLanes> kRun = kRuns.runs[kIndex];
  const __m256i p = words_from(log, kRun.i);
  const __m256i q = words_from(log, kRun.j);
  const __m256i differ = kRun.p == kRun.q ? _mm256_slli_epi32(_mm256_xor_si256(p, q), 31 - kRun.p)
                                          : _mm256_xor_si256(_mm256_slli_epi32(p, 31 - kRun.p),
                                                             _mm256_slli_epi32(q, 31 - kRun.q));
  const __m256i all = _mm256_srai_epi32(differ, 31);
  const __m256i mask = load(masks.mask[kIndex]);
  broken = _mm256_or_si256(
      broken, kRun.c == 0 ? _mm256_and_si256(all, mask) : _mm256_andnot_si256(all, mask));
}

// Tests the runs kFrom to kFrom + sizeof...(kIndex) - 1. Returns: the vectors that remain.
template <unsigned kFrom, std::size_t... kIndex>
ASSAY_SHA_AVX2_INLINE std::uint32_t test_runs(const BlockLog& log, __m256i broken[4],
                                              std::index_sequence<kIndex...>) {
  const RunMasks* masks = &kRunMasks;
  __asm__("" : "+r"(masks));
  (test_run<kFrom + kIndex>(log, *masks, broken[kIndex % 4]), ...);
  const __m256i eight =
      _mm256_or_si256(_mm256_or_si256(broken[0], broken[1]), _mm256_or_si256(broken[2], broken[3]));
  const __m128i four =
      _mm_or_si128(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  const __m128i two = _mm_or_si128(four, _mm_shuffle_epi32(four, 0x4e));
  const std::uint64_t pair = static_cast<std::uint64_t>(_mm_cvtsi128_si64(two));
  return ~static_cast<std::uint32_t>(pair | pair >> 32);
}

// The vectors that remain for one block.
ASSAY_SHA_AVX2_APART collision::VectorSet judge_one_block(const BlockLog& log) {
  constexpr unsigned kFirst = kRuns.first_half();
  __m256i broken[4];
  for (__m256i& part : broken) part = _mm256_setzero_si256();
  if (test_runs<0>(log, broken, std::make_index_sequence<kFirst>()) == 0) [[likely]]
    return 0;
  return test_runs<kFirst>(log, broken, std::make_index_sequence<kRuns.count - kFirst>());
}

// Byte kByte of the words in v, in the order of the words.
template <int kByte>
ASSAY_SHA_AVX2_INLINE __m256i take_bytes(const __m256i v[4]) {
  __m256i part[4];
  for (unsigned i = 0; i < 4; ++i) {
    part[i] =
        kByte == 3 ? _mm256_srli_epi32(v[i], 24) : _mm256_and_si256(v[i], _mm256_set1_epi32(0xff));
  }
  // Packing works in 128-bit halves, which leaves groups of four bytes out of order.
  const __m256i low = _mm256_packus_epi32(part[0], part[1]);
  const __m256i high = _mm256_packus_epi32(part[2], part[3]);
  return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high),
                                     _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0));
}

ASSAY_SHA_AVX2_INLINE std::uint32_t highest_bits(__m256i bytes) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}

// Takes the words S of a block.
ASSAY_SHA_AVX2_APART void take_slices(const BlockLog& log, Slices& slices, std::size_t block) {
  const std::uint32_t* first = log.at(collision::kLastWord);
  const __m256i v[4] = {load(first), load(first + 8), load(first + 16), load(first + 24)};
  __m256i bytes = take_bytes<0>(v);
  for (unsigned bit = 8; bit-- > 0;) {
    slices.slice[bit][block] = highest_bits(bytes);
    bytes = _mm256_add_epi8(bytes, bytes);
  }
  bytes = take_bytes<3>(v);
  for (unsigned bit = 30; bit >= 28; --bit) {
    bytes = _mm256_add_epi8(bytes, bytes);
    slices.slice[bit][block] = highest_bits(bytes);
  }
}

// The one shift that does what rotating right by `rotation` does for the bits of `mask`. Positive
// is to the right.
constexpr int shift_for(unsigned rotation, std::uint32_t mask) {
  const int highest = 31 - std::countl_zero(mask);
  return highest + static_cast<int>(rotation) < 32 ? static_cast<int>(rotation)
                                                   : static_cast<int>(rotation) - 32;
}

template <int kRight>
ASSAY_SHA_AVX2_INLINE __m256i shift(__m256i x) {
  if constexpr (kRight > 0) return _mm256_srli_epi32(x, kRight);
  if constexpr (kRight < 0) return _mm256_slli_epi32(x, -kRight);
  return x;
}

// The masks of the families in the reversed order, in all lanes.
struct alignas(32) Masks {
  std::uint32_t mask[kFamilies.count][kLanes];
};

constexpr Masks make_masks() {
  Masks masks{};
  for (unsigned f = 0; f < kFamilies.count; ++f) {
    for (std::uint32_t& mask : masks.mask[f]) mask = reversed(kFamilies.families[f].mask);
  }
  return masks;
}

constexpr Masks kMasks = make_masks();

template <std::size_t kIndex>
ASSAY_SHA_AVX2_INLINE void test_family(const Slices& slices, const Masks& masks, __m256i& broken) {
  constexpr Family kFamily = kFamilies.families[kIndex];
  constexpr std::uint32_t kMask = reversed(kFamily.mask);
  constexpr int kRightP = shift_for(kFamily.rotate_p, kMask);
  constexpr int kRightQ = shift_for(kFamily.rotate_q, kMask);
  // Families that differ in the second shift only share the first and the exclusive or.
  const __m256i differ = _mm256_xor_si256(load(slices.slice[kFamily.p]),
                                          shift<kRightQ - kRightP>(load(slices.slice[kFamily.q])));
  const __m256i mask = load(masks.mask[kIndex]);
  const __m256i placed = shift<kRightP>(differ);
  broken = _mm256_or_si256(
      broken, kFamily.c == 0 ? _mm256_and_si256(placed, mask) : _mm256_andnot_si256(placed, mask));
}

template <std::size_t... kIndex>
ASSAY_SHA_AVX2_INLINE __m256i test_families(const Slices& slices, std::index_sequence<kIndex...>) {
  // Several sums, so that one needs not wait for the other.
  __m256i broken[4];
  for (__m256i& part : broken) part = _mm256_setzero_si256();
  // Hidden, because gcc would make the masks in three instructions each instead of loading them.
  const Masks* masks = &kMasks;
  __asm__("" : "+r"(masks));
  (test_family<kIndex>(slices, *masks, broken[kIndex % 4]), ...);
  return _mm256_or_si256(_mm256_or_si256(broken[0], broken[1]),
                         _mm256_or_si256(broken[2], broken[3]));
}

// Writes the broken vectors of each block, by result bit from the highest down.
// Returns: bit n set when a vector remains for block n.
ASSAY_SHA_AVX2_APART unsigned judge(const Slices& slices, std::uint32_t broken[kLanes]) {
  const __m256i all = test_families(slices, std::make_index_sequence<kFamilies.count>());
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(broken), all);
  const __m256i none = _mm256_cmpeq_epi32(all, _mm256_set1_epi32(-1));
  return ~static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(none))) & 0xff;
}

// Judges the n blocks of the logs, the first of which is at `blocks`.
bool judge_blocks(const Slices& slices, const BlockLog logs[kLanes], const std::uint8_t* blocks,
                  std::size_t n, Suspects& suspects) {
  std::uint32_t broken[kLanes];
  unsigned left = judge(slices, broken) & ((1U << n) - 1);
  bool found = false;
  for (; left != 0; left &= left - 1) {
    const unsigned at = static_cast<unsigned>(std::countr_zero(left));
    found |= take_suspect(logs[at], blocks + at * kBlockSize, reversed(broken[at]), suspects,
                          recompress_avx2);
  }
  return found;
}

// As judge_blocks, for few blocks.
bool judge_one_by_one(const BlockLog logs[kLanes], const std::uint8_t* blocks, std::size_t n,
                      Suspects& suspects) {
  bool found = false;
  for (std::size_t at = 0; at < n; ++at) {
    const collision::VectorSet set = judge_one_block(logs[at]);
    if (set == 0) [[likely]]
      continue;
    found |= take_suspect(logs[at], blocks + at * kBlockSize, collision::excluded(set), suspects,
                          recompress_avx2);
  }
  return found;
}

}  // namespace

ASSAY_SHA_AVX2 bool compress_queuing_sha_ni_avx2(std::uint32_t state[5], const std::uint8_t* blocks,
                                                 std::size_t n, Suspects& suspects) {
  BlockLog logs[kLanes];
  Slices slices;
  bool few = n <= kFewBlocks;
  bool found = false;
  __m128i* words = reinterpret_cast<__m128i*>(state);
  sha_ni::Stream s;
  s.abcd = _mm_shuffle_epi32(_mm_loadu_si128(words), 0x1b);
  __m128i e = _mm_set_epi32(static_cast<int>(state[4]), 0, 0, 0);
  for (std::size_t at = 0;;) {
    BlockLog& log = logs[at];
    const __m128i abcd = s.abcd;
    _mm_prefetch(reinterpret_cast<const char*>(blocks + kPrefetchDistance), _MM_HINT_T0);
    sha_ni::all_logged_steps(s, e, blocks, log, std::make_index_sequence<20>());
    s.abcd = _mm_add_epi32(s.abcd, abcd);
    e = _mm_sha1nexte_epu32(s.previous, e);
    sha_ni::store(log.out_abcd, s.abcd);
    sha_ni::store(log.out_e, e);
    blocks += kBlockSize;
    --n;
    // One block behind: what was stored just now cannot be loaded at once in wider pieces.
    if (at != 0 && !few) take_slices(logs[at - 1], slices, at - 1);
    ++at;
    if (at != kLanes && n != 0) continue;
    if (few) {
      found |= judge_one_by_one(logs, blocks - at * kBlockSize, at, suspects);
    } else {
      take_slices(logs[at - 1], slices, at - 1);
      found |= judge_blocks(slices, logs, blocks - at * kBlockSize, at, suspects);
    }
    if (n == 0) break;
    few = n <= kFewBlocks;
    at = 0;
  }
  _mm_storeu_si128(words, _mm_shuffle_epi32(s.abcd, 0x1b));
  state[4] = static_cast<std::uint32_t>(_mm_extract_epi32(e, 3));
  return found;
}

bool compress_detecting_sha_ni_avx2(std::uint32_t state[5], const std::uint8_t* blocks,
                                    std::size_t n) {
  Suspects suspects;
  bool found = false;
  if (n >= kGroupedBlocks) {
    const std::size_t rest = n % 8;
    found = compress_groups_sha_ni_avx2(state, blocks, n - rest, suspects);
    blocks += (n - rest) * kBlockSize;
    n = rest;
  }
  if (n != 0) found |= compress_queuing_sha_ni_avx2(state, blocks, n, suspects);
  // Few suspects are done sooner one by one: a vector of lanes takes as long for one as for eight.
  if (suspects.count != 0) {
    found |= (suspects.count <= 3 ? recompress_sha_ni : recompress_avx2)(suspects) != 0;
  }
  return found;
}

}  // namespace assay::sha1

#endif
