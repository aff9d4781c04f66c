#include "store/fsck/check_bit_order.h"

#include <fmt/format.h>

#include <tuple>

#include "store/fsck/map_file.h"
#include "store/object/file_checksum.h"
#include "store/pack/reverse_index.h"

namespace assay {
namespace {

constexpr std::size_t kBitmappedPackSize = 8;

// Returns: false when a number is no row, or stands twice.
bool is_permutation(const std::vector<std::uint32_t>& order) {
  std::vector<bool> seen(order.size(), false);
  for (const std::uint32_t row : order) {
    if (row >= order.size() || seen[row]) return false;
    seen[row] = true;
  }
  return true;
}

// Rows of the chunk RIDX, which counts through all layers. Requires: the size is right.
std::vector<std::uint32_t> read_order(const MultiPackIndexChain::Layer& layer) {
  const ByteView chunk = *layer.index.reverse_index();
  std::vector<std::uint32_t> order(layer.index.count());
  for (std::size_t i = 0; i < order.size(); ++i) {
    // What points below the layer wraps to a number that is no row.
    order[i] = read_be32(chunk.data() + 4 * i) - layer.first_position;
  }
  return order;
}

bool has_order(const MultiPackIndex& index) {
  return index.reverse_index() && index.reverse_index()->size() == std::uint64_t{index.count()} * 4;
}

// Objects of the preferred pack come first, then pack by pack; within a pack by offset.
// Returns: the first bit that is out of order. Requires: a permutation of the rows.
std::optional<std::uint32_t> first_out_of_order(const MultiPackIndex& index,
                                                const std::vector<std::uint32_t>& order) {
  const std::uint32_t preferred = index.pack(order[0]);
  const auto key = [&](std::uint32_t row) {
    const std::uint32_t pack = index.pack(row);
    return std::tuple(pack != preferred, pack, index.offset(row).value_or(PackOffset{}).value);
  };
  for (std::uint32_t bit = 1; bit < order.size(); ++bit) {
    if (key(order[bit]) < key(order[bit - 1])) return bit;
  }
  return std::nullopt;
}

void check_bitmapped_packs(const MultiPackIndexChain::Layer& layer,
                           const std::vector<std::uint32_t>& order, FloodGate& gate) {
  struct Bits {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  const MultiPackIndex& index = layer.index;
  const ByteView chunk = *index.bitmapped_packs();
  const std::size_t packs = index.pack_names().size();
  if (chunk.size() != std::uint64_t{packs} * kBitmappedPackSize) {
    gate.report(MessageId::kMultiPackIndexUntrue,
                "multi-pack-index bitmapped-packs chunk is the wrong size");
    return;
  }
  std::vector<Bits> bits(packs);
  for (std::uint32_t bit = 0; bit < order.size(); ++bit) {
    const std::uint32_t pack = index.pack(order[bit]);
    if (pack >= packs) return;  // reported where the object is
    if (bits[pack].count++ == 0) bits[pack].first = layer.first_position + bit;
  }
  for (std::size_t pack = 0; pack < packs; ++pack) {
    const std::uint8_t* row = chunk.data() + pack * kBitmappedPackSize;
    const Bits said{read_be32(row), read_be32(row + 4)};
    // Where the bits of a pack without any begin means nothing.
    if (said.count == bits[pack].count && (said.count == 0 || said.first == bits[pack].first)) {
      continue;
    }
    gate.report(MessageId::kMultiPackIndexUntrue,
                fmt::format("multi-pack-index says that {} has {} bits from {} on, not {} from {}",
                            index.pack_names()[pack], said.count, said.first, bits[pack].count,
                            bits[pack].first));
  }
}

// The .rev file beside a multi-pack-index that has no chunk RIDX.
std::optional<std::vector<std::uint32_t>> read_file(const StoredMultiPackIndex& stored,
                                                    std::size_t layer, os::System& system,
                                                    FloodGate* gate) {
  const StoredMultiPackIndex::Layer& files = stored.layers[layer];
  const MultiPackIndex& index = stored.chain.layers()[layer].index;
  const auto mapped = map_file(system, files.stem + ".rev");
  if (!mapped) return std::nullopt;
  const std::string shown = files.shown_stem + ".rev";
  const auto report = [&](const std::string& text) {
    if (gate != nullptr) gate->report(MessageId::kMultiPackIndexUntrue, text);
  };
  const auto file = ReverseIndex::parse(mapped->bytes(), index.kind(), index.count(), shown);
  if (!file) {
    report(file.error().text);
    return std::nullopt;
  }
  if (!checksum_holds(mapped->bytes(), index.kind())) {
    report(fmt::format("reverse-index file {} has an invalid checksum", shown));
  } else if (ObjectId::from_raw(file->pack_checksum().data(), index.kind()) != index.checksum()) {
    report(fmt::format("reverse-index file {} was made for another multi-pack-index", shown));
  }
  std::vector<std::uint32_t> order(index.count());
  for (std::uint32_t i = 0; i < index.count(); ++i) order[i] = file->at({i}).value;
  return order;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> bit_order(const StoredMultiPackIndex& stored,
                                                    std::size_t layer, os::System& system) {
  const MultiPackIndexChain::Layer& chained = stored.chain.layers()[layer];
  std::optional<std::vector<std::uint32_t>> order;
  if (has_order(chained.index)) {
    order = read_order(chained);
  } else {
    order = read_file(stored, layer, system, nullptr);
  }
  if (order && !is_permutation(*order)) return std::nullopt;
  return order;
}

void check_bit_order(const StoredMultiPackIndex& stored, std::size_t layer, const Storage& storage,
                     FloodGate& gate) {
  const MultiPackIndexChain::Layer& chained = stored.chain.layers()[layer];
  const MultiPackIndex& index = chained.index;
  std::optional<std::vector<std::uint32_t>> order;
  constexpr MessageId kId = MessageId::kMultiPackIndexUntrue;
  if (has_order(index)) {
    order = read_order(chained);
  } else {
    if (index.reverse_index()) {
      gate.report(kId, "multi-pack-index reverse-index chunk is the wrong size");
    }
    order = read_file(stored, layer, storage.system(), &gate);
  }
  if (!order) return;
  if (!is_permutation(*order)) {
    gate.report(kId, fmt::format("the reverse index of {} does not name each object once",
                                 stored.layers[layer].shown));
    return;
  }
  if (const auto bit = first_out_of_order(index, *order)) {
    gate.report(kId, fmt::format("the reverse index of {} is not in the order of packs at {}",
                                 stored.layers[layer].shown, *bit));
  }
  if (index.bitmapped_packs()) check_bitmapped_packs(chained, *order, gate);
}

}  // namespace assay
