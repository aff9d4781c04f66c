#ifndef ASSAY_SHA1_COLLISION_FAMILIES_H_
#define ASSAY_SHA1_COLLISION_FAMILIES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "sha1/collision/conditions.h"
#include "sha1/collision/vectors.h"

/// The conditions of one block, many at a time.
///
/// Conditions of vectors that differ in K only are shifted copies of each other: what II(45,0) asks
/// of words 44 and 45, II(46,0) asks of 45 and 46. Such a set is a *family*. If the bits b of words
/// 33 to 64 are gathered into one 32-bit word S[b], a family is tested for all its vectors by one
/// expression, ((S[p] rotated) ^ (S[q] rotated) ^ c) & mask, and families are independent of each
/// other: they fill the lanes of a vector in any order.
///
/// Each vector owns one bit of the result, which is set when some condition of it is broken; the
/// results of all families are united.
///
/// Everything here is derived from kConditions at compile time.
namespace assay::sha1::collision {

/// The word that bit 0 of each S stands for.
inline constexpr unsigned kSliceBase = kLastWord - 31;

/// The bit that a vector owns in the result. Vectors that differ in K only own neighbouring bits.
constexpr unsigned result_bit(unsigned vector) {
  const Vector& v = kVectors[vector];
  if (v.kind == Kind::kOne) return v.b == 0 ? v.k - 43U : 22U + v.k - 46U;
  if (v.b == 0) return 10U + v.k - 45U;
  return v.k == 46 ? 31U : 28U + v.k - 49U;  // II(46,2) stands apart: II(47,2) is not there
}

/// All vectors but those of the set, by result_bit: what take_suspect() is given.
constexpr std::uint32_t excluded(VectorSet set) {
  std::uint32_t result = ~std::uint32_t{0};
  for (; set != 0; set &= set - 1) {
    result ^= std::uint32_t{1} << result_bit(static_cast<unsigned>(std::countr_zero(set)));
  }
  return result;
}

struct Family {
  std::uint8_t p;
  std::uint8_t q;
  std::uint8_t c;
  std::uint8_t rotate_p;  ///< Left, so that the words' bits fall on the bits of their vectors.
  std::uint8_t rotate_q;
  std::uint32_t mask;  ///< The vectors, by result bit.
};

struct Families {
  unsigned count = 0;
  Family families[kConditionCount] = {};
};

constexpr Families make_families() {
  Families all;
  for (const Condition& c : kConditions) {
    for (VectorSet set = c.vectors; set != 0; set &= set - 1) {
      const unsigned bit = result_bit(static_cast<unsigned>(std::countr_zero(set)));
      const std::uint8_t rotate_p = static_cast<std::uint8_t>((bit + kSliceBase + 32 - c.i) % 32);
      const std::uint8_t rotate_q = static_cast<std::uint8_t>((bit + kSliceBase + 32 - c.j) % 32);
      unsigned f = 0;
      while (f < all.count) {
        const Family& other = all.families[f];
        if (other.p == c.p && other.q == c.q && other.c == c.c && other.rotate_p == rotate_p &&
            other.rotate_q == rotate_q) {
          break;
        }
        ++f;
      }
      if (f == all.count) {
        all.families[f] = {c.p, c.q, c.c, rotate_p, rotate_q, 0};
        ++all.count;
      }
      all.families[f].mask |= VectorSet{1} << bit;
    }
  }
  return all;
}

inline constexpr Families kFamilies = make_families();

namespace internal {

constexpr auto make_vector_of_bit() {
  std::array<std::uint8_t, 32> vectors{};
  for (unsigned d = 0; d < kVectorCount; ++d) {
    vectors[result_bit(d)] = static_cast<std::uint8_t>(d);
  }
  return vectors;
}

}  // namespace internal

/// The vector that owns a bit of the result.
inline constexpr std::array<std::uint8_t, 32> kVectorOfBit = internal::make_vector_of_bit();

namespace internal {

constexpr bool result_bits_are_distinct() {
  std::uint32_t used = 0;
  for (unsigned d = 0; d < kVectorCount; ++d) used |= std::uint32_t{1} << result_bit(d);
  return used == 0xffffffff;
}
static_assert(result_bits_are_distinct());

}  // namespace internal

/// How families are laid out in vectors of 8 lanes. In a layout each lane has a fixed pair of bits,
/// so that S[p] and S[q] are arranged once for several rounds.
inline constexpr unsigned kFamilyLanes = 8;

struct Layout {
  unsigned rounds;
  std::uint8_t p[kFamilyLanes];
  std::uint8_t q[kFamilyLanes];
};

/// Chosen by hand from the number of families of each pair; 79 families in 88 places.
inline constexpr Layout kLayouts[3] = {
    {5, {29, 29, 29, 29, 29, 29, 6, 6}, {29, 29, 29, 4, 4, 4, 1, 1}},
    {3, {1, 1, 4, 4, 6, 6, 6, 6}, {1, 1, 4, 4, 6, 6, 1, 1}},
    {3, {6, 29, 30, 5, 7, 28, 30, 30}, {1, 29, 5, 0, 2, 3, 0, 28}},
};
inline constexpr unsigned kFamilyRounds = 11;

/// Place f of round r is a family, or has an empty mask.
struct FamilyPlan {
  Family round[kFamilyRounds][kFamilyLanes] = {};
  bool complete = false;
};

constexpr FamilyPlan make_family_plan() {
  FamilyPlan plan;
  bool used[kConditionCount] = {};
  unsigned placed = 0;
  unsigned first = 0;
  for (const Layout& layout : kLayouts) {
    for (unsigned lane = 0; lane < kFamilyLanes; ++lane) {
      unsigned round = first;
      for (unsigned f = 0; f < kFamilies.count && round < first + layout.rounds; ++f) {
        if (used[f]) continue;
        Family family = kFamilies.families[f];
        if (family.p != layout.p[lane] || family.q != layout.q[lane]) {
          // The two bits of a condition may change places.
          family = {family.q, family.p, family.c, family.rotate_q, family.rotate_p, family.mask};
          if (family.p != layout.p[lane] || family.q != layout.q[lane]) continue;
        }
        used[f] = true;
        ++placed;
        plan.round[round++][lane] = family;
      }
    }
    first += layout.rounds;
  }
  plan.complete = placed == kFamilies.count && first == kFamilyRounds;
  return plan;
}

inline constexpr FamilyPlan kFamilyPlan = make_family_plan();
static_assert(kFamilyPlan.complete);

}  // namespace assay::sha1::collision

#endif  // ASSAY_SHA1_COLLISION_FAMILIES_H_
