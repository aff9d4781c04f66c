#include "store/codec/delta.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tests/support/guarded_bytes.h"
#include "tests/support/random.h"

namespace assay {
namespace {

using testing::GuardedBytes;
using testing::GuardedEdge;
using testing::Random;

// The obvious way to run a program, from the words of gitformat-pack: one byte at a time.
std::optional<Bytes> apply_slowly(ByteView base, ByteView program, std::size_t result_size) {
  Bytes result;
  std::size_t at = 0;
  const auto operand = [&](unsigned present, unsigned shift, std::uint64_t& value) {
    if (present == 0) return true;
    if (at == program.size()) return false;
    value += std::uint64_t{program[at++]} << shift;
    return true;
  };
  while (at < program.size()) {
    const unsigned code = program[at++];
    if (code == 0) return std::nullopt;
    if (code < 128) {
      for (unsigned i = 0; i < code; ++i) {
        if (at == program.size()) return std::nullopt;
        result.push_back(program[at++]);
      }
    } else {
      std::uint64_t offset = 0;
      std::uint64_t size = 0;
      if (!operand(code & 1, 0, offset) || !operand(code & 2, 8, offset) ||
          !operand(code & 4, 16, offset) || !operand(code & 8, 24, offset) ||
          !operand(code & 16, 0, size) || !operand(code & 32, 8, size) ||
          !operand(code & 64, 16, size)) {
        return std::nullopt;
      }
      if (size == 0) size = 65536;
      for (std::uint64_t i = 0; i < size; ++i) {
        if (offset + i >= base.size()) return std::nullopt;
        result.push_back(base[offset + i]);
      }
    }
    if (result.size() > result_size) return std::nullopt;
  }
  if (result.size() != result_size) return std::nullopt;
  return result;
}

// The same by the instructions that a DeltaCursor gives.
std::optional<Bytes> apply_by_cursor(ByteView base, ByteView program, std::size_t result_size) {
  Bytes result;
  DeltaCursor cursor(program);
  DeltaOperation operation;
  while (cursor.next(operation)) {
    const ByteView from = operation.copy ? base : program;
    if (operation.offset > from.size() || operation.size > from.size() - operation.offset ||
        operation.size > result_size - result.size()) {
      return std::nullopt;
    }
    const ByteView piece = from.subspan(operation.offset, operation.size);
    result.insert(result.end(), piece.begin(), piece.end());
  }
  if (cursor.bad() || result.size() != result_size) return std::nullopt;
  return result;
}

// Runs apply_delta where a step beyond the promised slack, or beyond the program, is fatal.
std::optional<Bytes> apply_guarded(ByteView base, ByteView program, std::size_t result_size,
                                   GuardedEdge edge) {
  const GuardedBytes guarded_base(base, kDeltaSlack, edge);
  const GuardedBytes guarded_program(program, 0, edge);
  GuardedBytes result(result_size, kDeltaSlack, edge);
  if (!apply_delta(guarded_base.view(), guarded_program.view(), result.span())) {
    return std::nullopt;
  }
  return Bytes(result.span().begin(), result.span().end());
}

void append_copy(Bytes& program, Random& random, std::uint32_t offset, std::uint32_t size) {
  std::uint8_t code = 0x80;
  Bytes operands;
  const auto operand = [&](std::uint32_t value, int bit) {
    // A zero byte may be left out or not; writers leave it out.
    if (value == 0 && !random.one_in(8)) return;
    code = static_cast<std::uint8_t>(code | 1 << bit);
    operands.push_back(static_cast<std::uint8_t>(value));
  };
  if (size == 0x10000) size = 0;
  for (int i = 0; i < 4; ++i) operand(offset >> (8 * i) & 0xff, i);
  for (int i = 0; i < 3; ++i) operand(size >> (8 * i) & 0xff, 4 + i);
  program.push_back(code);
  program.insert(program.end(), operands.begin(), operands.end());
}

void append_insert(Bytes& program, Random& random, std::size_t size) {
  program.push_back(static_cast<std::uint8_t>(size));
  const Bytes bytes = random.bytes(size);
  program.insert(program.end(), bytes.begin(), bytes.end());
}

struct Case {
  Bytes base;
  Bytes program;
  std::size_t result_size = 0;
};

std::size_t some_size(Random& random) {
  switch (random.below(8)) {
    case 0:
      return random.below(3);
    case 1:
      return 15 + random.below(4);
    case 2:
      return 250 + random.below(12);
    case 3:
      return random.below(3000);
    default:
      return random.below(130);
  }
}

Case sound_case(Random& random) {
  Case result;
  const std::size_t base_size = random.one_in(50) ? 65536 + random.below(70000) : some_size(random);
  result.base = random.bytes(base_size);
  for (std::uint64_t left = random.below(12); left > 0; --left) {
    if (base_size != 0 && random.below(3) != 0) {
      std::size_t size = std::min(base_size, std::max<std::size_t>(1, some_size(random)));
      if (base_size >= 65536 && random.one_in(4)) size = 65536;
      // Copies that end where the base ends are the ones that could read behind it.
      const std::size_t offset =
          random.one_in(3) ? base_size - size : random.below(base_size - size + 1);
      append_copy(result.program, random, static_cast<std::uint32_t>(offset),
                  static_cast<std::uint32_t>(size));
      result.result_size += size;
    } else {
      const std::size_t size = 1 + random.below(random.one_in(4) ? 127 : 20);
      append_insert(result.program, random, size);
      result.result_size += size;
    }
  }
  return result;
}

void damage(Case& sound, Random& random) {
  Bytes& program = sound.program;
  switch (random.below(7)) {
    case 0:
      program.resize(program.size() - random.below(program.size() + 1));
      break;
    case 1:
      sound.result_size += random.between(1, 300);
      break;
    case 2:
      sound.result_size -= std::min<std::size_t>(sound.result_size, random.between(1, 300));
      break;
    case 3:  // the reserved instruction
      program.insert(
          program.begin() + static_cast<std::ptrdiff_t>(random.below(program.size() + 1)), 0);
      break;
    case 4:
      sound.base.resize(sound.base.size() - random.below(sound.base.size() + 1));
      break;
    case 5:
      append_copy(program, random, static_cast<std::uint32_t>(random.next()),
                  static_cast<std::uint32_t>(random.below(1u << 24)));
      break;
    default:
      if (program.empty()) break;
      program[random.below(program.size())] ^= static_cast<std::uint8_t>(1u << random.below(8));
      break;
  }
}

TEST(Delta, RandomProgramsGiveWhatTheSlowModelGives) {
  Random random(1);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    Case tried = sound_case(random);
    if (i % 2 != 0) damage(tried, random);
    const auto expected = apply_slowly(tried.base, tried.program, tried.result_size);
    ++(expected ? accepted : refused);
    for (const GuardedEdge edge : {GuardedEdge::kFront, GuardedEdge::kBack}) {
      ASSERT_EQ(expected, apply_guarded(tried.base, tried.program, tried.result_size, edge))
          << "case " << i;
    }
    ASSERT_EQ(expected, apply_by_cursor(tried.base, tried.program, tried.result_size))
        << "case " << i;
  }
  EXPECT_GT(accepted, 9000);
  EXPECT_GT(refused, 5000);
}

TEST(Delta, EveryTruncationOfAProgramIsRefused) {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const Case sound = sound_case(random);
    ASSERT_TRUE(apply_guarded(sound.base, sound.program, sound.result_size, GuardedEdge::kBack));
    for (std::size_t size = 0; size < sound.program.size(); ++size) {
      ASSERT_FALSE(apply_guarded(sound.base, ByteView(sound.program).first(size), sound.result_size,
                                 GuardedEdge::kBack))
          << "case " << i << " cut to " << size;
    }
  }
}

TEST(Delta, OperandsAreNotReadBehindTheProgram) {
  const Bytes base(0x10000, 0x55);
  for (unsigned code = 0x80; code <= 0xff; ++code) {
    // All operands are zero: 64 KiB from the start.
    Bytes program{static_cast<std::uint8_t>(code)};
    program.resize(1 + static_cast<std::size_t>(std::popcount(code & 0x7f)));
    for (std::size_t size = 1; size <= program.size(); ++size) {
      EXPECT_EQ(size == program.size(),
                apply_guarded(base, ByteView(program).first(size), 0x10000, GuardedEdge::kBack)
                    .has_value())
          << code << " cut to " << size;
    }
  }
}

TEST(Delta, ResultSlackIsNotExceeded) {
  // A copy of each small size: the bytes behind the promised slack stay as they were.
  const Bytes base(400, 0x55);
  for (std::size_t size = 1; size <= 300; ++size) {
    Random random(size);
    Bytes program;
    append_copy(program, random, 0, static_cast<std::uint32_t>(size));
    Bytes result(size + kDeltaSlack + 64, 0xaa);
    ASSERT_TRUE(
        apply_delta({base.data(), base.size() - kDeltaSlack}, program, {result.data(), size}));
    EXPECT_EQ(static_cast<std::ptrdiff_t>(size),
              std::count(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(size), 0x55));
    EXPECT_EQ(64, std::count(result.end() - 64, result.end(), 0xaa)) << size;
  }
}

TEST(Delta, CopyWithoutSizeIs64KiB) {
  Random random(3);
  Bytes base = random.bytes(0x10000 + kDeltaSlack);
  const ByteView exact(base.data(), 0x10000);
  Bytes result(0x10000 + kDeltaSlack);
  const Bytes program{0x80};
  ASSERT_TRUE(apply_delta(exact, program, {result.data(), 0x10000}));
  EXPECT_TRUE(std::equal(exact.begin(), exact.end(), result.begin()));
  EXPECT_FALSE(apply_delta(exact.first(0xffff), program, {result.data(), 0x10000}));
}

TEST(Delta, LargestOperandsAreReadWhole) {
  // Copy 16,777,215 bytes from offset 0x01020304.
  const Bytes program{0xff, 0x04, 0x03, 0x02, 0x01, 0xff, 0xff, 0xff};
  DeltaCursor cursor(program);
  DeltaOperation operation;
  ASSERT_TRUE(cursor.next(operation));
  EXPECT_TRUE(operation.copy);
  EXPECT_EQ(0x01020304u, operation.offset);
  EXPECT_EQ(0xffffffu, operation.size);
  EXPECT_FALSE(cursor.next(operation));
  EXPECT_FALSE(cursor.bad());
}

TEST(Delta, CursorEndsAtTheReservedInstruction) {
  const Bytes program{1, 'a', 0, 1, 'b'};
  DeltaCursor cursor(program);
  DeltaOperation operation;
  ASSERT_TRUE(cursor.next(operation));
  EXPECT_FALSE(operation.copy);
  EXPECT_EQ(1u, operation.offset);
  EXPECT_FALSE(cursor.next(operation));
  EXPECT_TRUE(cursor.bad());
}

TEST(Delta, SizesAreGroupsOfSevenBits) {
  const Bytes bytes{0x85, 0x01,        // base: 5 + 128
                    0xff, 0xff, 0x03,  // result: 65535
                    0x91, 0x02, 0x03};
  const auto delta = parse_delta(bytes);
  ASSERT_TRUE(delta);
  EXPECT_EQ(133u, delta->base_size);
  EXPECT_EQ(65535u, delta->result_size);
  EXPECT_EQ(3u, delta->program.size());
  EXPECT_EQ(bytes.data() + 5, delta->program.data());
}

TEST(Delta, SizesThatDoNotFit64BitsAreRefused) {
  // Ten groups hold 70 bits; the tenth may only be 0 or 1.
  Bytes largest(9, 0xff);
  largest.push_back(0x01);
  largest.insert(largest.end(), {0x01, 0x01, 'a'});
  const auto delta = parse_delta(largest);
  ASSERT_TRUE(delta);
  EXPECT_EQ(~std::uint64_t{0}, delta->base_size);
  EXPECT_EQ(1u, delta->result_size);

  Bytes too_large = largest;
  too_large[9] = 0x02;
  EXPECT_FALSE(parse_delta(too_large));
  Bytes too_long = largest;
  too_long[9] = 0x81;
  too_long.insert(too_long.begin() + 10, 0x00);
  EXPECT_FALSE(parse_delta(too_long));
  // The same for the second size.
  too_large.insert(too_large.begin(), 0x01);
  EXPECT_FALSE(parse_delta(too_large));
}

TEST(Delta, SizesCutShortAreRefused) {
  const Bytes bytes{0x85, 0x81, 0x01, 0x84, 0x83, 0x01, 0x01, 'a'};
  ASSERT_TRUE(parse_delta(bytes));
  for (std::size_t size = 0; size < 6; ++size) {
    EXPECT_FALSE(parse_delta(ByteView(bytes).first(size))) << size;
  }
}

TEST(Delta, LessThanFourBytesAreNoDelta) {
  // git refuses it although nothing is missing: base of 5 bytes, empty result, no instruction.
  EXPECT_FALSE(parse_delta(Bytes{0x05, 0x00}));
  EXPECT_FALSE(parse_delta(Bytes{0x85, 0x00, 0x00}));
  EXPECT_TRUE(parse_delta(Bytes{0x85, 0x00, 0x80, 0x00}));
  EXPECT_TRUE(parse_delta(Bytes{0x05, 0x01, 0x01, 'a'}));
}

}  // namespace
}  // namespace assay
