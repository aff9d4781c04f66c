// SHA-1 of one message with collision detection, with the SHA extensions and AVX2.
//
// A block is judged in runs of conditions (collision/runs.h) on the message words that hashing
// leaves in memory. Half of the runs tell of most blocks that no vector remains. They are tested
// between the rounds of the next block, in 128-bit vectors: the SHA instructions, having the legacy
// encoding, would pay dearly for wider ones. What they leave is judged once more, apart, with all
// runs. Long messages go through sha_ni_avx2_groups.cc.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/sha_ni.h"

#include <utility>

#include "sha1/collision/families.h"
#include "sha1/collision/runs.h"
#include "sha1/kernels/kernels.h"
#include "sha1/kernels/x86_64/block_log.h"
#include "sha1/kernels/x86_64/sha_ni_logged.h"

#define ASSAY_SHA_AVX2 __attribute__((target("sha,avx2")))
#define ASSAY_SHA_AVX2_INLINE __attribute__((target("sha,avx2"), always_inline)) inline
// Not inlined: gcc would load constants early and leave the upper halves of registers dirty; at the
// end of a function the compiler clears them.
#define ASSAY_SHA_AVX2_APART __attribute__((target("sha,avx2"), noinline))

namespace assay::sha1 {
namespace {

using collision::Suspects;
using collision::VectorSet;

constexpr std::size_t kPrefetchDistance = 1024;
// From here on groups of eight blocks pay.
constexpr std::size_t kGroupedBlocks = 40;

template <unsigned kLanes>
constexpr const collision::Runs<kLanes>& kRuns = collision::kRuns<kLanes>;

// The vectors of each run, in the order of a BlockLog, where the words go down.
template <unsigned kLanes>
struct alignas(4 * kLanes) Masks {
  VectorSet run[kRuns<kLanes>.count][kLanes] = {};

  constexpr Masks() {
    for (unsigned r = 0; r < kRuns<kLanes>.count; ++r) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        run[r][kLanes - 1 - lane] = kRuns<kLanes>.runs[r].vectors[lane];
      }
    }
  }
};

template <unsigned kLanes>
constexpr Masks<kLanes> kMasks;

// The words t to t + kLanes - 1, the last one first.
template <unsigned kLanes>
ASSAY_SHA_AVX2_INLINE const std::uint32_t* words_from(const BlockLog& log, unsigned t) {
  return log.at(t + kLanes - 1);
}

ASSAY_SHA_AVX2_INLINE __m128i load_four(const std::uint32_t* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

ASSAY_SHA_AVX2_INLINE __m256i load_eight(const std::uint32_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

// Adds the vectors that a run excludes.
template <unsigned kIndex>
ASSAY_SHA_AVX2_INLINE void test_run(const BlockLog& log, const Masks<8>& masks, __m256i& broken) {
  constexpr collision::Run<8> kRun = kRuns<8>.runs[kIndex];
  const __m256i p = load_eight(words_from<8>(log, kRun.i));
  const __m256i q = load_eight(words_from<8>(log, kRun.j));
  const __m256i differ = kRun.p == kRun.q ? _mm256_slli_epi32(_mm256_xor_si256(p, q), 31 - kRun.p)
                                          : _mm256_xor_si256(_mm256_slli_epi32(p, 31 - kRun.p),
                                                             _mm256_slli_epi32(q, 31 - kRun.q));
  const __m256i all = _mm256_srai_epi32(differ, 31);
  const __m256i mask = load_eight(masks.run[kIndex]);
  broken = _mm256_or_si256(
      broken, kRun.c == 0 ? _mm256_and_si256(all, mask) : _mm256_andnot_si256(all, mask));
}

// As above.
template <unsigned kIndex>
ASSAY_SHA_AVX2_INLINE void test_run(const BlockLog& log, const Masks<4>& masks, __m128i& broken) {
  constexpr collision::Run<4> kRun = kRuns<4>.runs[kIndex];
  const __m128i p = load_four(words_from<4>(log, kRun.i));
  const __m128i q = load_four(words_from<4>(log, kRun.j));
  const __m128i differ = kRun.p == kRun.q ? _mm_slli_epi32(_mm_xor_si128(p, q), 31 - kRun.p)
                                          : _mm_xor_si128(_mm_slli_epi32(p, 31 - kRun.p),
                                                          _mm_slli_epi32(q, 31 - kRun.q));
  const __m128i all = _mm_srai_epi32(differ, 31);
  const __m128i mask = load_four(masks.run[kIndex]);
  broken =
      _mm_or_si128(broken, kRun.c == 0 ? _mm_and_si128(all, mask) : _mm_andnot_si128(all, mask));
  // The compiler must not put all runs behind the rounds.
  __asm__ volatile("" : "+x"(broken));
}

// Returns: the vectors that no lane excludes.
ASSAY_SHA_AVX2_INLINE VectorSet left_of(__m128i broken) {
  const __m128i two = _mm_or_si128(broken, _mm_shuffle_epi32(broken, 0x4e));
  const std::uint64_t pair = static_cast<std::uint64_t>(_mm_cvtsi128_si64(two));
  return ~static_cast<std::uint32_t>(pair | pair >> 32);
}

// Tests the runs kFrom to kFrom + sizeof...(kIndex) - 1 too. Returns: the vectors that remain.
template <unsigned kFrom, std::size_t... kIndex>
ASSAY_SHA_AVX2_INLINE VectorSet test_runs(const BlockLog& log, __m256i broken[4],
                                          std::index_sequence<kIndex...>) {
  // Hidden, because gcc would make the masks in three instructions each instead of loading them.
  const Masks<8>* masks = &kMasks<8>;
  __asm__("" : "+r"(masks));
  // Several sums, so that one needs not wait for the other.
  (test_run<kFrom + kIndex>(log, *masks, broken[kIndex % 4]), ...);
  const __m256i all =
      _mm256_or_si256(_mm256_or_si256(broken[0], broken[1]), _mm256_or_si256(broken[2], broken[3]));
  return left_of(_mm_or_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)));
}

// The vectors that remain for a block.
ASSAY_SHA_AVX2_APART VectorSet judge(const BlockLog& log) {
  constexpr unsigned kFirst = kRuns<8>.first_half();
  __m256i broken[4];
  for (__m256i& part : broken) part = _mm256_setzero_si256();
  if (test_runs<0>(log, broken, std::make_index_sequence<kFirst>()) == 0) [[likely]]
    return 0;
  return test_runs<kFirst>(log, broken, std::make_index_sequence<kRuns<8>.count - kFirst>());
}

// Judges a block and takes it up if it is suspect. Returns: as take_suspect.
__attribute__((noinline)) bool judge_and_take(const BlockLog& log, const std::uint8_t* block,
                                              Suspects& suspects) {
  const VectorSet set = judge(log);
  if (set == 0) [[likely]]
    return false;
  return take_suspect(log, block, collision::excluded(set), suspects, recompress_avx2);
}

// The filter of the block before: half of the runs, spread over the rounds.
struct Filter {
  const BlockLog& log;
  const Masks<4>& masks;
  __m128i broken[2];

  template <unsigned kFrom, std::size_t... kIndex>
  ASSAY_SHA_AVX2_INLINE void test(std::index_sequence<kIndex...>) {
    (test_run<kFrom + kIndex>(log, masks, broken[(kFrom + kIndex) % 2]), ...);
  }

  // What belongs behind the four steps of a group.
  template <unsigned kGroup>
  ASSAY_SHA_AVX2_INLINE void test_part() {
    constexpr unsigned kRunCount = kRuns<4>.first_half();
    constexpr unsigned kFrom = kRunCount * kGroup / 20;
    test<kFrom>(std::make_index_sequence<kRunCount*(kGroup + 1) / 20 - kFrom>());
  }

  ASSAY_SHA_AVX2_INLINE bool passes() const {
    return left_of(_mm_or_si128(broken[0], broken[1])) != 0;
  }
};

template <std::size_t... kGroups>
ASSAY_SHA_AVX2_INLINE void all_filtering_steps(sha_ni::Stream& s, __m128i e,
                                               const std::uint8_t* block, BlockLog& log,
                                               Filter& filter, std::index_sequence<kGroups...>) {
  ((sha_ni::logged_steps<kGroups>(s, e, block, log), filter.test_part<kGroups>()), ...);
}

}  // namespace

ASSAY_SHA_AVX2 bool compress_queuing_sha_ni_avx2(std::uint32_t state[5], const std::uint8_t* blocks,
                                                 std::size_t n, Suspects& suspects) {
  constexpr auto kGroups = std::make_index_sequence<20>();
  BlockLog logs[2];
  bool found = false;
  __m128i* words = reinterpret_cast<__m128i*>(state);
  sha_ni::Stream s;
  s.abcd = _mm_shuffle_epi32(_mm_loadu_si128(words), 0x1b);
  __m128i e = _mm_set_epi32(static_cast<int>(state[4]), 0, 0, 0);
  for (std::size_t i = 0; i < n; ++i, blocks += kBlockSize) {
    BlockLog& log = logs[i % 2];
    const BlockLog& before = logs[1 - i % 2];
    const __m128i abcd = s.abcd;
    _mm_prefetch(reinterpret_cast<const char*>(blocks + kPrefetchDistance), _MM_HINT_T0);
    bool passes = false;
    if (i == 0) {
      sha_ni::all_logged_steps(s, e, blocks, log, kGroups);
    } else {
      const Masks<4>* masks = &kMasks<4>;
      __asm__("" : "+r"(masks));
      Filter filter = {before, *masks, {_mm_setzero_si128(), _mm_setzero_si128()}};
      all_filtering_steps(s, e, blocks, log, filter, kGroups);
      passes = filter.passes();
    }
    s.abcd = _mm_add_epi32(s.abcd, abcd);
    e = _mm_sha1nexte_epu32(s.previous, e);
    sha_ni::store(log.out_abcd, s.abcd);
    sha_ni::store(log.out_e, e);
    if (passes) [[unlikely]] {
      found |= judge_and_take(before, blocks - kBlockSize, suspects);
    }
  }
  found |= judge_and_take(logs[(n - 1) % 2], blocks - kBlockSize, suspects);
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
