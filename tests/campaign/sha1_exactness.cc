// Every detecting kernel against the conditions tested one by one: on how many blocks is said.
//
//     sha1_exactness [--blocks N] [--seed S]
//
// Blocks of many kinds (random, zeros and other constants, padding, text, sparse, blocks of the
// public attacks, whole and mutated, also behind their right chaining value) go through every
// kernel that this processor can run. Compared are, block by block, the vectors that remain, the
// states where recompression starts, the chaining values, and what the kernel's own recompression
// says of each suspect. The yardstick is written down plainly: judge_one and recompress_portable,
// which the unit tests hold against the definitions.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "fixtures/collision_pairs.h"
#include "sha1/collision/judge.h"
#include "sha1/collision/vectors.h"
#include "sha1/kernels/kernels.h"
#include "sha1/padding.h"
#include "tests/sha1/plain_steps.h"

namespace assay::sha1 {
namespace {

using collision::kEarlyStep;
using collision::kLateStep;
using collision::kLogRows;
using collision::LaneLog;
using collision::Survivor;
using collision::Suspects;
using collision::VectorSet;

// One unit of work: 512 blocks, as one message or as 64 messages of 8 blocks, each for a lane. So
// many because a long message is judged log by log, 128 blocks each, beside the hashing of the
// next.
constexpr std::size_t kUnitMessages = 4 * kMaxLanes;
constexpr std::size_t kUnitBlocks = kUnitMessages * kLogRows;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1dULL;
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>((next() >> 16) % bound); }

 private:
  std::uint64_t state_;
};

std::vector<std::uint8_t> from_hex(std::string_view hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    const char pair[3] = {hex[i], hex[i + 1], 0};
    bytes.push_back(static_cast<std::uint8_t>(std::strtoul(pair, nullptr, 16)));
  }
  return bytes;
}

// What the yardstick says of a block.
struct Verdict {
  State before;
  State early;
  State late;
  State after;
  VectorSet left;
  VectorSet collisions;
};

struct Unit {
  std::uint8_t blocks[kUnitBlocks][kBlockSize];
  bool one_message;
  Verdict verdicts[kUnitBlocks];
};

void flip_bits(std::uint8_t* bytes, std::size_t size, std::size_t count, Random& random) {
  for (; count != 0; --count) {
    bytes[random.below(size)] ^= static_cast<std::uint8_t>(1U << random.below(8));
  }
}

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {
    for (const char* hex : {kShattered1, kShattered2, kShambles1, kShambles2}) {
      attacks_.push_back(from_hex(hex));
    }
  }

  void make(Unit& unit) {
    unit.one_message = random_.below(2) == 0;
    // Whole units of one kind, so that its blocks follow each other, and mixed ones.
    const std::size_t kind = random_.below(2) == 0 ? kMixed : random_.below(kKinds);
    for (std::uint8_t(&block)[kBlockSize] : unit.blocks) {
      make_block(block, kind == kMixed ? random_.below(kKinds) : kind);
    }
    const std::size_t messages = unit.one_message ? 1 : kUnitMessages;
    for (std::size_t i = 0; i < messages; ++i) begin_message(unit, i * kLogRows);
    judge(unit);
  }

  Random& random() { return random_; }

 private:
  enum : std::size_t { kConstant, kPadding, kText, kSparse, kAttack, kNoise, kKinds, kMixed };

  void make_block(std::uint8_t* block, std::size_t kind) {
    switch (kind) {
      case kConstant:
        std::memset(block, random_.below(3) == 0 ? static_cast<int>(random_.below(256)) : 0,
                    kBlockSize);
        break;
      case kPadding: {
        const std::uint8_t zeros[kBlockSize] = {};
        std::uint8_t tail[kTailRoom];
        write_tail(tail, zeros, random_.below(55) + kBlockSize * random_.below(1000));
        std::memcpy(block, tail, kBlockSize);
        break;
      }
      case kText:
        for (std::size_t i = 0; i < kBlockSize; ++i) {
          block[i] = static_cast<std::uint8_t>("etaoin shrdlu\n"[random_.below(14)]);
        }
        break;
      case kSparse:
        std::memset(block, 0, kBlockSize);
        flip_bits(block, kBlockSize, 1 + random_.below(6), random_);
        break;
      case kAttack: {
        const std::vector<std::uint8_t>& attack = attacks_[random_.below(attacks_.size())];
        const std::size_t at = random_.below(attack.size() / kBlockSize) * kBlockSize;
        std::memcpy(block, attack.data() + at, kBlockSize);
        flip_bits(block, kBlockSize, random_.below(4), random_);
        break;
      }
      default:
        for (std::size_t i = 0; i < kBlockSize; i += 8) {
          const std::uint64_t noise = random_.next();
          std::memcpy(block + i, &noise, 8);
        }
    }
  }

  // Chooses the chaining value before a message, which now and then begins with an attack.
  void begin_message(Unit& unit, std::size_t first) {
    State& state = unit.verdicts[first].before;
    if (random_.below(4) != 0) {
      for (std::uint32_t& word : state) word = static_cast<std::uint32_t>(random_.next());
      return;
    }
    // The end of an attack that fits into a lane, behind its beginning.
    const std::vector<std::uint8_t>& attack = attacks_[random_.below(attacks_.size())];
    const std::size_t blocks = attack.size() / kBlockSize;
    const std::size_t taken = std::min(blocks, 1 + random_.below(kLogRows));
    state = kInitialState;
    compress_portable(state.data(), attack.data(), blocks - taken);
    std::memcpy(unit.blocks[first], attack.data() + (blocks - taken) * kBlockSize,
                taken * kBlockSize);
    if (random_.below(3) == 0) {
      flip_bits(unit.blocks[first + taken - 1], kBlockSize, 1 + random_.below(2), random_);
    }
  }

  static void judge(Unit& unit) {
    for (std::size_t i = 0; i < kUnitBlocks; ++i) {
      Verdict& verdict = unit.verdicts[i];
      const bool first = unit.one_message ? i == 0 : i % kLogRows == 0;
      if (!first) verdict.before = unit.verdicts[i - 1].after;
      judge_block(unit.blocks[i], verdict);
    }
  }

  static void judge_block(const std::uint8_t* block, Verdict& verdict) {
    std::uint32_t w[80];
    expand(block, w);
    const PlainSteps steps = plain_steps(verdict.before, w);
    verdict.early = steps.early;
    verdict.late = steps.late;
    verdict.after = steps.after;
    verdict.left = judge_one(w);
    verdict.collisions = 0;
    for (VectorSet left = verdict.left; left != 0; left &= left - 1) {
      const unsigned vector = static_cast<unsigned>(std::countr_zero(left));
      Suspects suspects;
      add(suspects, block, verdict, vector);
      verdict.collisions |= recompress_portable(suspects) << vector;
    }
  }

 public:
  static void add(Suspects& suspects, const std::uint8_t* block, const Verdict& verdict,
                  unsigned vector) {
    collision::add_suspect(suspects, block, vector, verdict.early.data(), verdict.late.data(),
                           verdict.after.data(), 1);
  }

 private:
  Random random_;
  std::vector<std::vector<std::uint8_t>> attacks_;
};

std::uint64_t differences = 0;

void differ(std::string_view kernel, const char* what) {
  ++differences;
  if (differences <= 20) {
    std::printf("%.*s: %s differ\n", static_cast<int>(kernel.size()), kernel.data(), what);
  }
}

// A suspect as bytes that compare.
using Entry = std::array<std::uint32_t, 5 + 5 + 1 + kBlockSize / 4>;

std::vector<Entry> sorted_entries(const Suspects& suspects) {
  std::vector<Entry> entries(suspects.count);
  for (unsigned i = 0; i < suspects.count; ++i) {
    Entry& entry = entries[i];
    for (unsigned j = 0; j < 5; ++j) {
      entry[j] = suspects.state[j][i];
      entry[5 + j] = suspects.out[j][i];
    }
    entry[10] = suspects.late >> i & 1;
    std::memcpy(&entry[11], suspects.twin[i], kBlockSize);
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

// A kernel for one message.
struct Single {
  const char* name;
  CpuFeatures required;
  std::size_t multiple;  // of how many blocks
  std::size_t most;      // blocks at once
  CompressQueuing* compress;
  Recompress* recompress;
};

constexpr Single kSingles[] = {
    {"portable", 0, 1, 12, compress_queuing_portable, recompress_portable},
#if defined(__x86_64__)
    {"sha_ni", kCpuShaNi, 1, 12, compress_queuing_sha_ni, recompress_sha_ni},
    {"sha_ni_avx2", kCpuShaNi | kCpuAvx2, 1, 20, compress_queuing_sha_ni_avx2, recompress_avx2},
    {"sha_ni_avx2_groups", kCpuShaNi | kCpuAvx2, 1, kUnitBlocks, compress_groups_sha_ni_avx2,
     recompress_avx2},
    {"sha_ni_avx512", kCpuShaNi | kCpuAvx512 | kCpuAvx512Ice, 1, 12, compress_queuing_sha_ni_avx512,
     recompress_avx512},
    {"sha_ni_avx512_groups", kCpuShaNi | kCpuAvx512 | kCpuAvx512Ice, 16, kUnitBlocks,
     compress_groups_sha_ni_avx512, recompress_avx512},
#endif
};

void check_single(const Single& single, const Unit& unit, std::size_t first, std::size_t n) {
  const Verdict* verdicts = unit.verdicts + first;
  State state = verdicts[0].before;
  Suspects suspects;
  bool found = single.compress(state.data(), unit.blocks[first], n, suspects);
  if (state != verdicts[n - 1].after) differ(single.name, "chaining values");
  std::size_t left = 0;
  bool expected = false;
  for (std::size_t i = 0; i < n; ++i) {
    left += static_cast<std::size_t>(std::popcount(verdicts[i].left));
    expected |= verdicts[i].collisions != 0;
  }
  // With fewer the queue was never emptied on the way.
  if (left < Suspects::kCapacity) {
    Suspects all;
    for (std::size_t i = 0; i < n; ++i) {
      for (VectorSet set = verdicts[i].left; set != 0; set &= set - 1) {
        Maker::add(all, unit.blocks[first + i], verdicts[i],
                   static_cast<unsigned>(std::countr_zero(set)));
      }
    }
    if (sorted_entries(suspects) != sorted_entries(all)) differ(single.name, "suspects");
  }
  if (suspects.count != 0) found |= single.recompress(suspects) != 0;
  if (found != expected) differ(single.name, "verdicts");
}

void check_singles(const Unit& unit, Random& random) {
  const std::size_t message = unit.one_message ? kUnitBlocks : kLogRows;
  for (const Single& single : kSingles) {
    if ((single.required & ~cpu_features()) != 0 || message < single.multiple) continue;
    for (std::size_t first = 0; first < kUnitBlocks;) {
      const std::size_t rest = message - first % message;
      const std::size_t multiples = single.most / single.multiple;
      std::size_t n = std::min(rest, (1 + random.below(multiples)) * single.multiple);
      n -= n % single.multiple;
      if (n == 0) break;
      check_single(single, unit, first, n);
      first += n;
    }
  }
}

void check_lanes(const Kernels& kernels, const Unit& unit, LaneLog& log,
                 std::vector<Survivor>& survivors) {
  for (unsigned offset = 0; offset < kUnitMessages; offset += kernels.lanes) {
    const std::uint8_t* blocks[kMaxLanes] = {};
    LaneState state;
    for (unsigned lane = 0; lane < kernels.lanes; ++lane) {
      const std::size_t first = (offset + lane) * kLogRows;
      blocks[lane] = unit.blocks[first];
      for (unsigned i = 0; i < 5; ++i) state.word[i][lane] = unit.verdicts[first].before[i];
    }
    log.rows = 0;
    kernels.compress_lanes_logging(state, blocks, kLogRows, log);
    const unsigned count = kernels.judge_lanes(log, survivors.data());
    VectorSet left[kLogRows][kMaxLanes] = {};
    Suspects suspects;
    std::uint32_t expected = 0;
    for (unsigned i = 0; i < count; ++i) {
      const Survivor& survivor = survivors[i];
      left[survivor.row][survivor.lane] |= VectorSet{1} << survivor.vector;
      const std::size_t at = (offset + survivor.lane) * kLogRows + survivor.row;
      const LaneLog::Row& row = log.row[survivor.row];
      expected |= (unit.verdicts[at].collisions >> survivor.vector & 1) << suspects.count;
      const bool full = collision::add_suspect(
          suspects, unit.blocks[at], survivor.vector, &row.early[0][survivor.lane],
          &row.late[0][survivor.lane], &row.out[0][survivor.lane], kMaxLanes);
      if (!full && i + 1 != count) continue;
      if (kernels.recompress(suspects) != expected) differ(kernels.name, "verdicts");
      suspects.count = 0;
      suspects.late = 0;
      expected = 0;
    }
    for (unsigned lane = 0; lane < kernels.lanes; ++lane) {
      for (unsigned r = 0; r < kLogRows; ++r) {
        const Verdict& verdict = unit.verdicts[(offset + lane) * kLogRows + r];
        const LaneLog::Row& row = log.row[r];
        if (left[r][lane] != verdict.left) differ(kernels.name, "vectors");
        for (unsigned i = 0; i < 5; ++i) {
          if (row.early[i][lane] != verdict.early[i] || row.late[i][lane] != verdict.late[i] ||
              row.out[i][lane] != verdict.after[i]) {
            differ(kernels.name, "states");
          }
        }
      }
    }
  }
}

int run(std::uint64_t blocks, std::uint64_t seed) {
  Maker maker(seed);
  const auto unit = std::make_unique<Unit>();
  const auto log = std::make_unique<LaneLog>();
  std::vector<Survivor> survivors(collision::kMaxSurvivors);
  std::uint64_t done = 0;
  std::uint64_t left = 0;
  std::uint64_t collisions = 0;
  while (done < blocks) {
    maker.make(*unit);
    check_singles(*unit, maker.random());
    for (const Kernels& kernels : all_kernels()) {
      if (kernels.lanes != 0 && usable(kernels)) check_lanes(kernels, *unit, *log, survivors);
    }
    done += kUnitBlocks;
    for (const Verdict& verdict : unit->verdicts) {
      left += verdict.left != 0;
      collisions += verdict.collisions != 0;
    }
  }
  std::printf("%llu blocks, %llu of them suspect, %llu of collisions\nkernels:",
              static_cast<unsigned long long>(done), static_cast<unsigned long long>(left),
              static_cast<unsigned long long>(collisions));
  for (const Single& single : kSingles) {
    if ((single.required & ~cpu_features()) == 0) std::printf(" %s", single.name);
  }
  for (const Kernels& kernels : all_kernels()) {
    if (kernels.lanes == 0) continue;
    std::printf(" %s%.*s", usable(kernels) ? "" : "(not here) ",
                static_cast<int>(kernels.name.size()), kernels.name.data());
  }
  std::printf("\n%llu differences\n", static_cast<unsigned long long>(differences));
  // Without collisions among them nothing would be shown.
  return differences == 0 && collisions != 0 ? 0 : 1;
}

}  // namespace
}  // namespace assay::sha1

int main(int argc, char** argv) {
  std::uint64_t blocks = 200000;
  std::uint64_t seed = 1;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc || (option != "--blocks" && option != "--seed")) {
      std::fprintf(stderr, "usage: sha1_exactness [--blocks N] [--seed S]\n");
      return 2;
    }
    (option == "--blocks" ? blocks : seed) = std::strtoull(argv[i + 1], nullptr, 10);
  }
  return assay::sha1::run(blocks, seed);
}
