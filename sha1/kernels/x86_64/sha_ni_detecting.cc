// SHA-1 of one message with collision detection, with the SHA extensions and SSE4.1: for the few
// processors that have no AVX2. Each block is judged by the portable code, one block behind.

#if defined(__x86_64__)

#include "sha1/kernels/x86_64/sha_ni.h"

#include <bit>
#include <utility>

#include "sha1/collision/families.h"
#include "sha1/kernels/kernels.h"
#include "sha1/kernels/x86_64/block_log.h"
#include "sha1/kernels/x86_64/sha_ni_logged.h"

namespace assay::sha1 {
namespace {

using collision::Suspects;

constexpr std::size_t kPrefetchDistance = 1024;

// The vectors that are excluded, by collision::result_bit.
std::uint32_t judge(const BlockLog& log) {
  std::uint32_t words[80];
  for (unsigned t = collision::kFirstWord; t <= collision::kLastWord; ++t) words[t] = log.word(t);
  return collision::excluded(judge_by_runs(words));
}

}  // namespace

ASSAY_SHA_NI bool compress_queuing_sha_ni(std::uint32_t state[5], const std::uint8_t* blocks,
                                          std::size_t n, Suspects& suspects) {
  BlockLog logs[2];
  bool found = false;
  __m128i* words = reinterpret_cast<__m128i*>(state);
  sha_ni::Stream s;
  s.abcd = _mm_shuffle_epi32(_mm_loadu_si128(words), 0x1b);
  __m128i e = _mm_set_epi32(static_cast<int>(state[4]), 0, 0, 0);
  for (std::size_t i = 0; i < n; ++i, blocks += kBlockSize) {
    BlockLog& log = logs[i % 2];
    const __m128i abcd = s.abcd;
    _mm_prefetch(reinterpret_cast<const char*>(blocks + kPrefetchDistance), _MM_HINT_T0);
    sha_ni::all_logged_steps(s, e, blocks, log, std::make_index_sequence<20>());
    s.abcd = _mm_add_epi32(s.abcd, abcd);
    e = _mm_sha1nexte_epu32(s.previous, e);
    sha_ni::store(log.out_abcd, s.abcd);
    sha_ni::store(log.out_e, e);
    if (i == 0) continue;
    const BlockLog& before = logs[(i - 1) % 2];
    const std::uint32_t result = judge(before);
    if (result != 0xffffffff) {
      found |= take_suspect(before, blocks - kBlockSize, result, suspects, recompress_sha_ni);
    }
  }
  const BlockLog& last = logs[(n - 1) % 2];
  const std::uint32_t result = judge(last);
  if (result != 0xffffffff) {
    found |= take_suspect(last, blocks - kBlockSize, result, suspects, recompress_sha_ni);
  }
  _mm_storeu_si128(words, _mm_shuffle_epi32(s.abcd, 0x1b));
  state[4] = static_cast<std::uint32_t>(_mm_extract_epi32(e, 3));
  return found;
}

bool compress_detecting_sha_ni(std::uint32_t state[5], const std::uint8_t* blocks, std::size_t n) {
  if (n == 0) return false;
  Suspects suspects;
  const bool found = compress_queuing_sha_ni(state, blocks, n, suspects);
  return (suspects.count != 0 && recompress_sha_ni(suspects) != 0) || found;
}

}  // namespace assay::sha1

#endif
