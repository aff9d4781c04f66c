// The RC4 of other libraries, in the same process; see rivals.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace assay::tools {

struct Rc4Rival {
  std::string name;  // "openssl" or "nettle"
  // XORs the next bytes of the key's stream with the buffer.
  std::function<void(std::uint8_t* buffer, std::size_t size)> xor_bytes;
};

// Those that were known when assay was built and are there now. Requires: the key has 16 bytes.
std::vector<Rc4Rival> find_rc4_rivals(std::span<const std::uint8_t> key);

}  // namespace assay::tools
