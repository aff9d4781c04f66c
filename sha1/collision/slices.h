#ifndef ASSAY_SHA1_COLLISION_SLICES_H_
#define ASSAY_SHA1_COLLISION_SLICES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "sha1/collision/conditions.h"
#include "sha1/collision/vectors.h"

/// The conditions bit-sliced: instead of testing all conditions of one block, take one bit of many
/// blocks into a word, and test each condition once for all of them.
///
/// Everything here is derived from kConditions at compile time.
namespace assay::sha1::collision {

/// A bit of a word of the expanded message.
struct Bit {
  std::uint8_t word;
  std::uint8_t bit;
};

/// The bits that conditions read, in order of their words; and for each condition its two.
struct Slices {
  unsigned count = 0;
  Bit bits[2 * kConditionCount] = {};
  std::uint8_t first[kConditionCount] = {};
  std::uint8_t second[kConditionCount] = {};

  constexpr unsigned find(unsigned word, unsigned bit) const {
    for (unsigned i = 0; i < count; ++i) {
      if (bits[i].word == word && bits[i].bit == bit) return i;
    }
    return count;
  }
  /// Index of the first bit of `word` or a later one.
  constexpr unsigned begin_of(unsigned word) const {
    unsigned i = 0;
    while (i < count && bits[i].word < word) ++i;
    return i;
  }
};

constexpr Slices make_slices() {
  Slices slices;
  for (unsigned word = kFirstWord; word <= kLastWord; ++word) {
    for (const Condition& c : kConditions) {
      const Bit both[2] = {{c.i, c.p}, {c.j, c.q}};
      for (const Bit& b : both) {
        if (b.word == word && slices.find(word, b.bit) == slices.count) {
          slices.bits[slices.count++] = b;
        }
      }
    }
  }
  for (unsigned i = 0; i < kConditionCount; ++i) {
    const Condition& c = kConditions[i];
    slices.first[i] = static_cast<std::uint8_t>(slices.find(c.i, c.p));
    slices.second[i] = static_cast<std::uint8_t>(slices.find(c.j, c.q));
  }
  return slices;
}

inline constexpr Slices kSlices = make_slices();

/// How many conditions list a vector, and which.
struct ConditionList {
  unsigned count = 0;
  std::uint8_t index[kConditionCount] = {};
};

constexpr ConditionList conditions_of(unsigned vector) {
  ConditionList list;
  for (unsigned i = 0; i < kConditionCount; ++i) {
    if (((kConditions[i].vectors >> vector) & 1) != 0) {
      list.index[list.count++] = static_cast<std::uint8_t>(i);
    }
  }
  return list;
}

/// Judges 64 blocks at once: bit n of slices[i] is bit kSlices.bits[i] of block n.
/// Writes to broken[d] the blocks for which vector d is excluded.
/// Returns: the blocks for which some vector remains.
std::uint64_t judge_slices(const std::uint64_t slices[], std::uint64_t broken[kVectorCount]);

/// Four bits of one word, taken together: *slots* 0 to 3.
struct Pick {
  std::uint8_t word;
  std::uint8_t bit[4];
};

/// Where a bit is found among the picks.
struct Place {
  std::uint8_t pick;
  std::uint8_t slot;
};

/// As Slices, for picks instead of bits.
///
/// A condition is tested in its *home* slot, to which bits from other slots are shifted. All
/// conditions of a vector have the same home.
struct Picks {
  static constexpr std::uint8_t kUnused = 0xff;

  unsigned count = 0;
  Pick picks[kConditionCount] = {};
  Place first[kConditionCount] = {};
  Place second[kConditionCount] = {};

  constexpr unsigned begin_of(unsigned word) const {
    unsigned i = 0;
    while (i < count && picks[i].word < word) ++i;
    return i;
  }

  // Finds a bit among the picks from `begin` on, which are those of its word; adds it if it is
  // missing: in the slot it prefers, in any other, in a new pick.
  constexpr Place place(unsigned begin, std::uint8_t word, std::uint8_t bit) {
    for (unsigned i = begin; i < count; ++i) {
      for (std::uint8_t slot = 0; slot < 4; ++slot) {
        if (picks[i].bit[slot] == bit) return {static_cast<std::uint8_t>(i), slot};
      }
    }
    const std::uint8_t preferred = preferred_slot(bit);
    for (unsigned i = begin; i < count; ++i) {
      for (std::uint8_t n = 0; n < 4; ++n) {
        const std::uint8_t slot = (preferred + n) % 4;
        if (picks[i].bit[slot] != kUnused) continue;
        picks[i].bit[slot] = bit;
        return {static_cast<std::uint8_t>(i), slot};
      }
    }
    picks[count] = {word, {kUnused, kUnused, kUnused, kUnused}};
    picks[count].bit[preferred] = bit;
    return {static_cast<std::uint8_t>(count++), preferred};
  }

  // Most conditions compare bits 29 with each other, then 4 with 29; those of the vectors with b =
  // 2 compare bits 6 with each other and 1 with 6.
  static constexpr std::uint8_t preferred_slot(unsigned bit) {
    switch (bit) {
      case 29:
      case 28:
        return 0;
      case 4:
      case 3:
        return 1;
      case 6:
      case 30:
        return 2;
      default:
        return 3;
    }
  }
};

/// The home slot of a vector.
constexpr unsigned home_slot(unsigned vector) { return kVectors[vector].b == 0 ? 0 : 2; }

constexpr Picks make_picks() {
  Picks picks;
  for (unsigned word = kFirstWord; word <= kLastWord; ++word) {
    const unsigned begin = picks.count;
    // The common bits first, so that they get the slots they prefer.
    for (const bool common : {true, false}) {
      for (unsigned i = 0; i < kConditionCount; ++i) {
        const Condition& c = kConditions[i];
        const auto is_common = [](unsigned bit) {
          return bit == 29 || bit == 4 || bit == 6 || bit == 1;
        };
        if (c.i == word && is_common(c.p) == common) picks.first[i] = picks.place(begin, c.i, c.p);
        if (c.j == word && is_common(c.q) == common) picks.second[i] = picks.place(begin, c.j, c.q);
      }
    }
  }
  for (unsigned i = 0; i < picks.count; ++i) {
    constexpr std::uint8_t kAny[4] = {29, 4, 6, 1};
    for (unsigned slot = 0; slot < 4; ++slot) {
      if (picks.picks[i].bit[slot] == Picks::kUnused) picks.picks[i].bit[slot] = kAny[slot];
    }
  }
  return picks;
}

inline constexpr Picks kPicks = make_picks();

/// The home slot of a condition: of its vectors, which agree.
constexpr unsigned condition_home(unsigned condition) {
  return home_slot(static_cast<unsigned>(std::countr_zero(kConditions[condition].vectors)));
}

namespace internal {

constexpr bool homes_agree() {
  for (unsigned i = 0; i < kConditionCount; ++i) {
    for (unsigned d = 0; d < kVectorCount; ++d) {
      if (((kConditions[i].vectors >> d) & 1) != 0 && home_slot(d) != condition_home(i))
        return false;
    }
  }
  return true;
}
static_assert(homes_agree());

}  // namespace internal

}  // namespace assay::sha1::collision

#endif  // ASSAY_SHA1_COLLISION_SLICES_H_
