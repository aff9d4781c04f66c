// Unpacks entries that are larger than memory may be into a SpillSpace, a piece at a time.
//
// Thread safety: functions of one entry; a buffer may be read by several threads.
#pragma once

#include <functional>

#include "store/pack/spill_space.h"

namespace assay {

// Inflates a stream of exactly `size` bytes. `used`: receives its length.
// Errors: kEntryUnpackable, and those of SpillSpace::make().
Result<BufferRef> inflate_spilled(ByteView deflated, std::uint64_t size, SpillSpace& space,
                                  BufferPool& pool, std::size_t& used);

// Runs the delta on its base. Errors: as above; nothing is set aside for a delta that lies.
Result<BufferRef> patch_spilled(Buffer& delta, Buffer& base, SpillSpace& space);

// Gives all bytes of the buffer, in order.
void read_in_pieces(Buffer& buffer, const std::function<void(ByteView)>& take);

}  // namespace assay
