#ifndef ASSAY_SHA1_KERNEL_H_
#define ASSAY_SHA1_KERNEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sha1/cpu_features.h"

/// The contract of the SHA-1 kernels and the one table of them.
///
/// A *kernel* is the compression function of SHA-1 (FIPS 180-4, section 6.1.2) for one kind of
/// processor, as a pure function over the caller's state: whole blocks of 64 bytes in any
/// alignment, no read outside them, no allocation, no global state, no exception. A *row of the
/// table* (`Kernels`) bundles the kernels that belong together on one kind of processor: one for a
/// single message, one for many messages in lanes, and the detecting form of both.
///
/// To add one: write `sha1/kernels/<arch>/<isa>[_x<lanes>].cc`, add its row in `sha1/dispatch.cc`
/// (best first; behind "portable" when it is for comparison only), run the tests, which include it
/// by themselves, and note the figures of the benchmark.
///
/// Thread safety: everything here is immutable after first use and may be used from any thread.
namespace assay::sha1 {

/// Size of a message block, in bytes.
inline constexpr std::size_t kBlockSize = 64;

/// The most lanes any kernel has.
inline constexpr unsigned kMaxLanes = 16;

/// Initial chaining value (FIPS 180-4, section 5.3.1).
inline constexpr std::array<std::uint32_t, 5> kInitialState = {0x67452301, 0xefcdab89, 0x98badcfe,
                                                               0x10325476, 0xc3d2e1f0};

/// Whether to look for collision attacks while hashing. The digest is the same either way.
enum class Detect : bool { kOff = false, kOn = true };

/// Compresses `n` blocks (64 * n bytes at `blocks`) into `state`. n may be 0.
using Compress = void(std::uint32_t state[5], const std::uint8_t* blocks, std::size_t n);

/// As Compress, and examines every block for a collision attack.
///
/// Returns: true when at least one block is one half of a near-collision pair; settled on return.
using CompressDetecting = bool(std::uint32_t state[5], const std::uint8_t* blocks, std::size_t n);

/// Chaining values of up to kMaxLanes messages as a struct of arrays: word[i][lane].
struct alignas(64) LaneState {
  std::uint32_t word[5][kMaxLanes];
};

/// Compresses `rows` blocks of every lane: lane L reads 64 * rows bytes at blocks[L]. The pointers
/// are left as they are. Every lane of the kernel takes part: for a lane that has nothing to hash
/// give the pointer of a lane that has, and ignore its state.
using CompressLanes = void(LaneState& state, const std::uint8_t* const blocks[kMaxLanes],
                           std::size_t rows);

namespace collision {
struct LaneLog;
struct Survivor;
struct Suspects;
}  // namespace collision

/// As CompressLanes, and appends to `log` what is needed to judge these rows later.
///
/// Requires: log.rows + rows <= collision::kLogRows.
using CompressLanesLogging = void(LaneState& state, const std::uint8_t* const blocks[kMaxLanes],
                                  std::size_t rows, collision::LaneLog& log);

/// Says which disturbance vectors remain possible for the blocks of `log`; see collision/judge.h.
///
/// Writes every block and vector that remain to `survivors`, in any order; there must be room for
/// collision::kMaxSurvivors. Leaves the log as it is.
/// Returns: their number.
using JudgeLanes = unsigned(const collision::LaneLog& log, collision::Survivor* survivors);

/// Recompresses suspects. Returns: bit i set when entry i is a collision.
using Recompress = std::uint32_t(const collision::Suspects& suspects);

struct LaneHelpers;  // kernels/lane_helpers.h

/// One row of the table: the kernels for one kind of processor.
struct Kernels {
  std::string_view name;         ///< e.g. "avx512_x16"; unique, stable, for people and files.
  CpuFeatures required = 0;      ///< What the processor must offer.
  Compress* compress = nullptr;  ///< One message. Never null.
  CompressDetecting* compress_detecting = nullptr;  ///< One message, detecting. Never null.
  unsigned lanes = 0;             ///< 0: no lane kernel, everything goes through `compress`.
  unsigned worthwhile_lanes = 0;  ///< With fewer live lanes than this, `compress` is faster.
  CompressLanes* compress_lanes = nullptr;                 ///< Null when lanes is 0.
  CompressLanesLogging* compress_lanes_logging = nullptr;  ///< Null when lanes is 0.
  JudgeLanes* judge_lanes = nullptr;                       ///< Null when lanes is 0.
  Recompress* recompress = nullptr;                        ///< Never null.
  const LaneHelpers* lane_helpers = nullptr;               ///< Null: the portable ones.
};

/// All rows compiled into this program: best first up to "portable", which needs nothing; then rows
/// for comparison (older ways to write SHA-1, scalar assembly), which are used only when they are
/// asked for by name. These detect as every row does, by the portable detector after each block.
std::span<const Kernels> all_kernels();

/// Returns: the row of that name, or null.
const Kernels* find_kernels(std::string_view name);

/// Returns: whether this processor can run that row.
bool usable(const Kernels& kernels);

/// Which row is used, and why.
struct Choice {
  enum class Problem { kNone, kUnknownName, kUnusable };
  const Kernels* kernels = nullptr;  ///< Never null in a Choice that `choose` returns.
  std::string requested;             ///< The name asked for, or empty.
  Problem problem = Problem::kNone;  ///< Why `requested` was not followed.
};

/// Chooses the row named `requested`; when that is empty, unknown or unusable here, the best
/// usable row, and says so in `problem`.
Choice choose(std::string_view requested);

/// The choice of this process: `choose` of the environment variable ASSAY_SHA1_KERNEL, read once
/// at the first call. A tool shows `describe_problem` of it to the user.
const Choice& process_choice();

/// Returns: one line without newline for the user, or an empty string when there is no problem.
std::string describe_problem(const Choice& choice);

/// The row that this process uses: `*process_choice().kernels`.
const Kernels& best();

}  // namespace assay::sha1

#endif  // ASSAY_SHA1_KERNEL_H_
