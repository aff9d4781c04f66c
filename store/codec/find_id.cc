#include "store/codec/find_id.h"

#include <cstring>

#include "store/base/bytes.h"

namespace assay {

std::optional<std::uint32_t> find_id(const std::uint8_t* fanout, const std::uint8_t* ids,
                                     std::size_t stride, std::size_t size,
                                     const std::uint8_t* wanted) {
  std::uint32_t low = wanted[0] == 0 ? 0 : read_be32(fanout + 4 * (wanted[0] - 1u));
  std::uint32_t high = read_be32(fanout + std::size_t{4} * wanted[0]);
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const int order = std::memcmp(wanted, ids + middle * stride, size);
    if (order == 0) return middle;
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return std::nullopt;
}

}  // namespace assay
