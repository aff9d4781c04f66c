// Inflater: whole zlib streams (RFC 1950) whose inflated size is known, as in pack entries.
//
// libdeflate does the work (1.6-2.5 times as fast as zlib on pack entries); a stream that it
// refuses goes through zlib again, whose word is final and whose reason is reported. libdeflate
// accepts a few damaged streams that zlib refuses, always with the right content: see
// docs/differences-from-git.md.
//
// Thread safety: one Inflater a thread.
#pragma once

#include <memory>
#include <span>

#include "store/base/bytes.h"
#include "store/report/fault.h"

namespace assay {

// The largest ratio by which deflate can expand its input (RFC 1951: 258 bytes from 2 bits), with
// room for the header of the stream. A declared size beyond it is a lie.
constexpr std::uint64_t max_inflated_size(std::uint64_t deflated_size) {
  return deflated_size >= (~std::uint64_t{0} >> 11) ? ~std::uint64_t{0} : deflated_size * 1032 + 64;
}

class Inflater {
 public:
  Inflater();
  ~Inflater();
  Inflater(Inflater&&) noexcept;
  Inflater& operator=(Inflater&&) noexcept;

  // Inflates the stream at the start of `deflated` into exactly out.size() bytes.
  // Returns: the bytes of `deflated` that the stream takes; what follows is not looked at.
  // On a fault `out` holds anything.
  Result<std::size_t> inflate(ByteView deflated, std::span<std::uint8_t> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay
