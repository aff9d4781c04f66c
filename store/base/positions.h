// Ways to count that must never be mixed up: each is a type of its own.
#pragma once

#include <compare>
#include <cstdint>

namespace assay {

template <typename Tag, typename Value>
struct Position {
  Value value{};
  friend auto operator<=>(const Position&, const Position&) = default;
};

// Bytes from the start of a pack file to the header of an entry.
using PackOffset = Position<struct PackOffsetTag, std::uint64_t>;
// Rank of an object among the sorted ids of a pack index.
using IndexPosition = Position<struct IndexPositionTag, std::uint32_t>;
// Rank of an entry among the entries of a pack, by offset.
using PackPosition = Position<struct PackPositionTag, std::uint32_t>;
// Rank of a commit in a chain of commit-graphs, those of lower layers first.
using GraphPosition = Position<struct GraphPositionTag, std::uint32_t>;

}  // namespace assay
