// check_bit_order: the order of bits of the bitmap of a multi-pack-index: the chunks RIDX and BTMP,
// or the .rev file of older versions. git never verifies them; a bitmap read in another order names
// the wrong objects.
#pragma once

#include "store/fsck/flood_gate.h"
#include "store/fsck/multi_pack_indexes.h"

namespace assay {

// Reports kMultiPackIndexUntrue to the gate, in the file that is entered.
void check_bit_order(const StoredMultiPackIndex& stored, std::size_t layer, const Storage& storage,
                     FloodGate& gate);

// Returns: the row of every bit, as far as the layer says; nothing when it has no order or one that
// is no permutation of its rows.
std::optional<std::vector<std::uint32_t>> bit_order(const StoredMultiPackIndex& stored,
                                                    std::size_t layer, os::System& system);

}  // namespace assay
