// Deltas of packs: a base size, a result size, and a program that copies from the base or inserts
// bytes of its own (gitformat-pack, "Deltified representation").
#pragma once

#include <optional>
#include <span>

#include "store/base/bytes.h"

namespace assay {

struct Delta {
  std::uint64_t base_size = 0;    // bytes the base must have
  std::uint64_t result_size = 0;  // bytes the program must give
  ByteView program;               // a view into the parsed bytes
};

// Returns: nothing when the two sizes are cut short or do not fit 64 bits, and for less than four
// bytes, which git takes for no delta.
std::optional<Delta> parse_delta(ByteView bytes);

// One instruction of a program. For a copy `offset` and `size` are a range of the base that has
// not been checked against it yet; for an insert they are a range of the program.
struct DeltaOperation {
  bool copy = false;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

// Walks the instructions of a program: `while (cursor.next(op))`, then `cursor.bad()`.
class DeltaCursor {
 public:
  explicit DeltaCursor(ByteView program) : program_(program) {}

  bool next(DeltaOperation& operation) {
    if (position_ >= program_.size()) return false;
    const std::uint8_t code = program_[position_++];
    if ((code & 0x80) == 0) {
      operation = {false, static_cast<std::uint32_t>(position_), code};
      if (code == 0 || code > program_.size() - position_) return fail();
      position_ += code;
      return true;
    }
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    for (int i = 0; i < 4; ++i) {
      if ((code >> i & 1) != 0 && !take(offset, 8 * i)) return fail();
    }
    for (int i = 0; i < 3; ++i) {
      if ((code >> (4 + i) & 1) != 0 && !take(size, 8 * i)) return fail();
    }
    operation = {true, offset, size == 0 ? 0x10000 : size};
    return true;
  }

  // True when the program ended in the middle of an instruction or had a reserved one.
  bool bad() const { return bad_; }

 private:
  bool take(std::uint32_t& value, int shift) {
    if (position_ >= program_.size()) return false;
    value |= std::uint32_t{program_[position_++]} << shift;
    return true;
  }
  bool fail() {
    bad_ = true;
    return false;
  }

  ByteView program_;
  std::size_t position_ = 0;
  bool bad_ = false;
};

// Returns: true when the delta is for a base of that size, every instruction is in range, and all
// together give the size declared: the result may be allocated.
bool is_sound(const Delta& delta, std::uint64_t base_size);

// Bytes that must be allocated behind the base and behind the result: small copies are done in
// whole steps that may read and write past the end (never past this).
constexpr std::size_t kDeltaSlack = 64;

// Runs the program. Requires: kDeltaSlack readable bytes behind `base` and writable ones behind
// `result`; the ranges do not overlap.
// Returns: true when every instruction was in range and gave exactly result.size() bytes.
bool apply_delta(ByteView base, ByteView program, std::span<std::uint8_t> result);

}  // namespace assay
