#include "store/codec/crc32.h"

#include <libdeflate.h>

namespace assay {

std::uint32_t crc32_of(ByteView bytes) { return ::libdeflate_crc32(0, bytes.data(), bytes.size()); }

}  // namespace assay
