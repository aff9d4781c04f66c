// Damage that every parser must survive: each truncation, each byte changed in several ways.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "store/base/bytes.h"

namespace assay::testing {

// Calls `parse(bytes)` with every prefix of `bytes` and with every byte inverted, zeroed, and each
// of its bits flipped. The copies are exactly as large as their content, so that an address
// sanitizer sees a step outside them.
// Returns: the number of calls.
template <typename Parse>
std::size_t for_each_damage(ByteView bytes, Parse parse) {
  std::size_t calls = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size, ++calls) {
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    parse(ByteView(cut));
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    Bytes changed(bytes.begin(), bytes.end());
    for (const int mask : {0xff, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80}) {
      changed[i] = static_cast<std::uint8_t>(bytes[i] ^ mask);
      parse(ByteView(changed));
      ++calls;
    }
    changed[i] = 0;
    parse(ByteView(changed));
    ++calls;
  }
  return calls;
}

}  // namespace assay::testing
