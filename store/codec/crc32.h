// CRC-32 as in ISO 3309 and zlib; pack index version 2 keeps one for every entry.
#pragma once

#include "store/base/bytes.h"

namespace assay {

std::uint32_t crc32_of(ByteView bytes);

}  // namespace assay
