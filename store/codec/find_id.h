// find_id: the lookup of pack indexes, multi-pack-indexes and commit-graphs. All three keep ids
// ascending, with a fanout table of 256 big-endian numbers: at byte B, how many ids begin with a
// byte of at most B. Format: gitformat-pack(5), gitformat-commit-graph(5).
#pragma once

#include <cstdint>
#include <optional>

namespace assay {

// Halves between two numbers of the fanout, as git does: an id that is out of order, or in a range
// that the fanout does not tell, may be missed.
// `ids`: the first id; the next ones begin `stride` bytes further each. `wanted`: `size` bytes.
// Returns: the row of an equal id. Requires: the fanout never decreases, and there are as many ids
// as its last number says.
std::optional<std::uint32_t> find_id(const std::uint8_t* fanout, const std::uint8_t* ids,
                                     std::size_t stride, std::size_t size,
                                     const std::uint8_t* wanted);

}  // namespace assay
