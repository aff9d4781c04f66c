#include "sha1/collision/slices.h"

#include <utility>

namespace assay::sha1::collision {
namespace {

template <unsigned kIndex>
[[gnu::always_inline]] inline std::uint64_t test(const std::uint64_t slices[]) {
  const std::uint64_t differ = slices[kSlices.first[kIndex]] ^ slices[kSlices.second[kIndex]];
  return kConditions[kIndex].c == 0 ? differ : ~differ;
}

template <std::size_t... kIndex>
[[gnu::always_inline]] inline void test_all(const std::uint64_t slices[], std::uint64_t out[],
                                            std::index_sequence<kIndex...>) {
  ((out[kIndex] = test<kIndex>(slices)), ...);
}

template <unsigned kVector, std::size_t... kIndex>
[[gnu::always_inline]] inline std::uint64_t any_of(const std::uint64_t conditions[],
                                                   std::index_sequence<kIndex...>) {
  constexpr ConditionList kList = conditions_of(kVector);
  return (conditions[kList.index[kIndex]] | ...);
}

template <std::size_t... kVector>
[[gnu::always_inline]] inline std::uint64_t all_vectors(const std::uint64_t conditions[],
                                                        std::uint64_t broken[],
                                                        std::index_sequence<kVector...>) {
  std::uint64_t left = 0;
  ((broken[kVector] =
        any_of<kVector>(conditions, std::make_index_sequence<conditions_of(kVector).count>()),
    left |= ~broken[kVector]),
   ...);
  return left;
}

}  // namespace

std::uint64_t judge_slices(const std::uint64_t slices[], std::uint64_t broken[kVectorCount]) {
  std::uint64_t conditions[kConditionCount];
  test_all(slices, conditions, std::make_index_sequence<kConditionCount>());
  return all_vectors(conditions, broken, std::make_index_sequence<kVectorCount>());
}

}  // namespace assay::sha1::collision
