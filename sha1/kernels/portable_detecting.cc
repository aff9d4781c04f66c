// SHA-1 with collision detection in plain C++.
//
// Hashing leaves the expanded message of a block in memory, and the working variables before the
// two steps where recompression starts.
//
// Where vectors of four words belong to the baseline of the target (SSE2, NEON, AltiVec, ...), the
// messages of four blocks are expanded side by side, and the conditions tested for all of them; the
// expansion does not depend on the chaining value. A block that is alone is tested with
// runs of conditions (collision/runs.h) instead. Elsewhere the conditions are tested one by one.

#include "sha1/kernels/portable_steps.h"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "sha1/collision/runs.h"
#include "sha1/collision/vectors.h"
#include "sha1/kernels/kernels.h"

namespace assay::sha1 {
namespace {

using collision::kEarlyStep;
using collision::kLateStep;
using collision::Suspects;
using collision::VectorSet;

// What is kept of a hashed block until it is judged.
struct Hashed {
  std::uint32_t early[5];
  std::uint32_t late[5];
  std::uint32_t out[5];  // the chaining value after the block
};

#if defined(__SSE2__) || defined(__ARM_NEON) || defined(__ALTIVEC__) || defined(__VSX__)
#define ASSAY_VECTORS

constexpr unsigned kLanes = 4;

using Words [[gnu::vector_size(16)]] = std::uint32_t;
using Signs [[gnu::vector_size(16)]] = std::int32_t;

inline Words load(const std::uint32_t* from) {
  Words words;
  std::memcpy(&words, from, sizeof words);
  return words;
}

// All bits of a lane become its highest bit.
inline Words spread_sign(Words words) {
  return reinterpret_cast<Words>(reinterpret_cast<Signs>(words) >> 31);
}

// In the highest bits: whether bit kP of x and bit kQ of y differ.
template <unsigned kP, unsigned kQ>
[[gnu::always_inline]] inline Words compare(Words x, Words y) {
  if constexpr (kP == kQ) return (x ^ y) << (31 - kP);
  return (x << (31 - kP)) ^ (y << (31 - kQ));
}

constexpr const collision::Runs<kLanes>& kRuns = collision::kRuns<kLanes>;

struct Masks {
  alignas(16) VectorSet vectors[kRuns.count][kLanes];
};

constexpr Masks make_masks() {
  Masks masks{};
  for (unsigned r = 0; r < kRuns.count; ++r) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      masks.vectors[r][lane] = kRuns.runs[r].vectors[lane];
    }
  }
  return masks;
}

constexpr Masks kMasks = make_masks();

// Adds the vectors that a run excludes.
template <std::size_t kIndex>
[[gnu::always_inline]] inline void test_run(const std::uint32_t words[80], Words& broken) {
  constexpr collision::Run<kLanes> kRun = kRuns.runs[kIndex];
  const Words differ =
      spread_sign(compare<kRun.p, kRun.q>(load(words + kRun.i), load(words + kRun.j)));
  broken |= (kRun.c == 0 ? differ : ~differ) & load(kMasks.vectors[kIndex]);
}

template <unsigned kFrom, std::size_t... kIndex>
[[gnu::always_inline]] inline void test_runs(const std::uint32_t words[80], Words& broken,
                                             std::index_sequence<kIndex...>) {
  (test_run<kFrom + kIndex>(words, broken), ...);
}

inline VectorSet left_of(Words broken) { return ~(broken[0] | broken[1] | broken[2] | broken[3]); }

[[gnu::always_inline]] inline VectorSet judge(const std::uint32_t words[80]) {
  constexpr unsigned kFirst = kRuns.first_half();
  Words broken = {};
  test_runs<0>(words, broken, std::make_index_sequence<kFirst>());
  if (left_of(broken) == 0) [[likely]]
    return 0;
  test_runs<kFirst>(words, broken, std::make_index_sequence<kRuns.count - kFirst>());
  return left_of(broken);
}

// Adds the vectors that a condition excludes, for four blocks.
template <std::size_t kIndex>
[[gnu::always_inline]] inline void test(const Words words[80], Words& broken) {
  constexpr collision::Condition kC = collision::kConditions[kIndex];
  const Words differ = spread_sign(compare<kC.p, kC.q>(words[kC.i], words[kC.j]));
  broken |= (kC.c == 0 ? differ : ~differ) & kC.vectors;
}

// The conditions kFrom to kFrom + sizeof...(kIndex) - 1. The barriers keep the compiler from
// loading and shifting all words early, for which there are not enough registers.
template <unsigned kFrom, std::size_t... kIndex>
Words test_part(const Words words[80], std::index_sequence<kIndex...>) {
  Words broken = {};
  ((test<kFrom + kIndex>(words, broken), std::atomic_signal_fence(std::memory_order_seq_cst)), ...);
  return broken;
}

// A quarter of the conditions.
Words test_quarter(const Words words[80], std::size_t quarter) {
  static_assert(collision::kConditionCount % 4 == 0);
  constexpr unsigned kQuarter = collision::kConditionCount / 4;
  constexpr auto kIndex = std::make_index_sequence<kQuarter>();
  switch (quarter) {
    case 0:
      return test_part<0>(words, kIndex);
    case 1:
      return test_part<kQuarter>(words, kIndex);
    case 2:
      return test_part<2 * kQuarter>(words, kIndex);
    default:
      return test_part<3 * kQuarter>(words, kIndex);
  }
}

#else

inline VectorSet judge(const std::uint32_t words[80]) { return judge_one(words); }

#endif

// Queues a block for every vector of `set`. Seldom run.
[[gnu::noinline]] bool queue(const Hashed& hashed, const std::uint8_t* block, VectorSet set,
                             Suspects& suspects) {
  bool found = false;
  for (; set != 0; set &= set - 1) {
    const unsigned vector = static_cast<unsigned>(std::countr_zero(set));
    if (!collision::add_suspect(suspects, block, vector, hashed.early, hashed.late, hashed.out,
                                1)) {
      continue;
    }
    found |= recompress_portable(suspects) != 0;
    suspects.count = 0;
    suspects.late = 0;
  }
  return found;
}

template <unsigned kStep>
[[gnu::always_inline]] inline void store_working(const portable::Working& w, std::uint32_t to[5]) {
  for (unsigned i = 0; i < 5; ++i) to[i] = w.v[portable::renamed(kStep, i)];
}

bool compress_detecting_one(std::uint32_t state[5], const std::uint8_t* block, Suspects& suspects) {
  std::uint32_t words[80];
  Hashed hashed;
  portable::Working w = {{state[0], state[1], state[2], state[3], state[4]}};
  portable::steps<0, 80>(w, words, block, std::make_index_sequence<kEarlyStep>());
  store_working<kEarlyStep>(w, hashed.early);
  portable::steps<kEarlyStep, 80>(w, words, block,
                                  std::make_index_sequence<kLateStep - kEarlyStep>());
  store_working<kLateStep>(w, hashed.late);
  portable::steps<kLateStep, 80>(w, words, block, std::make_index_sequence<80 - kLateStep>());
  for (unsigned i = 0; i < 5; ++i) hashed.out[i] = state[i] += w.v[i];
  const VectorSet set = judge(words);
  return set != 0 && queue(hashed, block, set, suspects);
}

#if defined(ASSAY_VECTORS)

// The expanded messages of four blocks, side by side.
struct Four {
  union {
    Words of_lanes[80];
    std::uint32_t of_block[80][kLanes];
  };
};

// Takes the message words of up to four blocks. An idle lane repeats the last block.
inline void load_four(Four& four, const std::uint8_t* blocks, std::size_t n) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::uint8_t* block = blocks + (lane < n ? lane : n - 1) * kBlockSize;
    for (unsigned t = 0; t < 16; ++t) four.of_block[t][lane] = load_be32(block + 4 * t);
  }
}

[[gnu::always_inline]] inline void expand_word(Words* w) {
  const Words x = w[-3] ^ w[-8] ^ w[-14] ^ w[-16];
  *w = (x + x) | (x >> 31);
}

// Step kStep of a block; and beside every fifth, the expansion of a word for the next four blocks:
// the steps are one long chain that leaves the processor time for it.
template <bool kExpand, unsigned kStep>
[[gnu::always_inline]] inline void mixed_step(portable::Working& v, const std::uint32_t* own,
                                              Words* next) {
  portable::step_with<kStep>(v, own[kLanes * kStep]);
  if constexpr (kExpand && kStep % 5 == 2) expand_word(next + kStep / 5);
}

template <bool kExpand, unsigned kFrom, std::size_t... kIndex>
[[gnu::always_inline]] inline void mixed_steps(portable::Working& v, const std::uint32_t* own,
                                               Words* next, std::index_sequence<kIndex...>) {
  (mixed_step<kExpand, kFrom + kIndex>(v, own, next), ...);
}

// Hashes the first n blocks of `now`; with kExpand, expands `next`, whose first 16 words are there.
// Returns: by lane, the vectors that the first n quarters of the conditions exclude.
template <bool kExpand>
Words compress_four(std::uint32_t state[5], const Four& now, std::size_t n, Hashed hashed[kLanes],
                    Four& next) {
  Words broken = {};
  for (std::size_t lane = 0; lane < n; ++lane) {
    const std::uint32_t* own = &now.of_block[0][lane];
    Words* fresh = next.of_lanes + 16 + 16 * lane;
    portable::Working v = {{state[0], state[1], state[2], state[3], state[4]}};
    mixed_steps<kExpand, 0>(v, own, fresh, std::make_index_sequence<kEarlyStep>());
    store_working<kEarlyStep>(v, hashed[lane].early);
    mixed_steps<kExpand, kEarlyStep>(v, own, fresh,
                                     std::make_index_sequence<kLateStep - kEarlyStep>());
    store_working<kLateStep>(v, hashed[lane].late);
    mixed_steps<kExpand, kLateStep>(v, own, fresh, std::make_index_sequence<80 - kLateStep>());
    for (unsigned i = 0; i < 5; ++i) hashed[lane].out[i] = state[i] += v.v[i];
    broken |= test_quarter(now.of_lanes, lane);
  }
  return broken;
}

// Requires: n > 0.
bool compress_detecting_fours(std::uint32_t state[5], const std::uint8_t* blocks, std::size_t n,
                              Suspects& suspects) {
  Four four[2];
  Hashed hashed[kLanes];
  bool found = false;
  std::size_t now = n < kLanes ? n : kLanes;
  load_four(four[0], blocks, now);
  for (unsigned t = 16; t < 80; ++t) expand_word(four[0].of_lanes + t);
  for (unsigned turn = 0; n != 0; turn ^= 1) {
    Four& present = four[turn];
    Four& next = four[turn ^ 1];
    n -= now;
    const std::size_t then = n < kLanes ? n : kLanes;
    Words broken;
    if (then != 0) {
      load_four(next, blocks + now * kBlockSize, then);
      broken = compress_four<true>(state, present, now, hashed, next);
    } else {
      broken = compress_four<false>(state, present, now, hashed, next);
    }
    for (std::size_t quarter = now; quarter < kLanes; ++quarter) {
      broken |= test_quarter(present.of_lanes, quarter);
    }
    const Words set = ~broken;
    for (std::size_t lane = 0; lane < now; ++lane) {
      if (set[lane] == 0) [[likely]]
        continue;
      found |= queue(hashed[lane], blocks + lane * kBlockSize, set[lane], suspects);
    }
    blocks += now * kBlockSize;
    now = then;
  }
  return found;
}

#endif

}  // namespace

VectorSet judge_by_runs(const std::uint32_t expanded[80]) { return judge(expanded); }

bool compress_queuing_portable(std::uint32_t state[5], const std::uint8_t* blocks, std::size_t n,
                               Suspects& suspects) {
  bool found = false;
#if defined(ASSAY_VECTORS)
  // So few are sooner done one by one.
  const std::size_t alone = n < kLanes || n % kLanes <= 2 ? n % kLanes : 0;
  if (n > alone) {
    found = compress_detecting_fours(state, blocks, n - alone, suspects);
    blocks += (n - alone) * kBlockSize;
    n = alone;
  }
#endif
  for (; n != 0; --n, blocks += kBlockSize) {
    found |= compress_detecting_one(state, blocks, suspects);
  }
  return found;
}

bool compress_detecting_portable(std::uint32_t state[5], const std::uint8_t* blocks,
                                 std::size_t n) {
  Suspects suspects;
  const bool found = compress_queuing_portable(state, blocks, n, suspects);
  return (suspects.count != 0 && recompress_portable(suspects) != 0) || found;
}

}  // namespace assay::sha1
