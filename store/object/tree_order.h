// TreeOrder: the order of the entries of one tree, watched in a few cycles an entry.
//
// git's order is that of the names as bytes, a directory as if its name ended in '/'. Duplicates
// need not be neighbours: "x", "x.1", "x/" is in order, pair by pair. Such a duplicate has a pair
// that opens (file "x", then "x.1") and a later one that closes ("x.1", then directory "x").
//
// All entries must come from parse_tree_entry(): what follows a name, a NUL and an id, is read too.
#pragma once

#include "store/object/tree_entry.h"

namespace assay {

// How two neighbours stand to each other, as bits that may be or-ed over all pairs of a tree.
enum PairOrder : std::uint32_t {
  kPairWrong = 1U << 0,   // same name or not ascending
  kPairOpens = 1U << 1,   // a file, then its name and a byte below '/'
  kPairCloses = 1U << 2,  // an entry, then a directory of which it is the name and a byte below '/'
};

namespace tree_order_detail {

struct Name {
  const char* text = nullptr;
  std::size_t size = 0;
  bool is_directory = false;
};

inline Name name_of(const TreeEntry& entry) {
  return {entry.name.data(), entry.name.size(), is_directory_mode(entry.mode)};
}

// The rest of pair_order() for names of which one is the start of the other.
inline std::uint32_t pair_order_of_prefix(Name prev, Name next) {
  const std::size_t shared = prev.size < next.size ? prev.size : next.size;
  auto after_prev = static_cast<std::uint8_t>(prev.text[shared]);
  auto after_next = static_cast<std::uint8_t>(next.text[shared]);
  if (after_prev == 0 && after_next == 0) return kPairWrong;
  if (after_prev == 0 && prev.is_directory) after_prev = '/';
  if (after_next == 0 && next.is_directory) after_next = '/';
  if (after_prev >= after_next) return kPairWrong;
  if (after_prev == 0 && after_next < '/') return kPairOpens;
  if (after_next == '/' && next.size == shared) return kPairCloses;
  return 0;
}

inline std::uint32_t pair_order(Name prev, Name next) {
  const std::size_t shared = prev.size < next.size ? prev.size : next.size;
  // Eight bytes may be read at each byte of a name, for a NUL and an id follow it.
  for (std::size_t i = 0; i < shared; i += 8) {
    const std::uint64_t x = tree_entry_detail::load_be64(prev.text + i);
    const std::uint64_t y = tree_entry_detail::load_be64(next.text + i);
    if (x == y) continue;
    const auto differs = i + static_cast<std::size_t>(std::countl_zero(x ^ y)) / 8;
    if (differs < shared) return x < y ? 0U : static_cast<std::uint32_t>(kPairWrong);
    break;
  }
  return pair_order_of_prefix(prev, next);
}

}  // namespace tree_order_detail

// Returns: 0 for most pairs of a sound tree. Over all pairs of a tree, one that is not in order or
// holds a name twice has kPairWrong, or both kPairOpens and kPairCloses.
inline std::uint32_t pair_order(const TreeEntry& prev, const TreeEntry& next) {
  return tree_order_detail::pair_order(tree_order_detail::name_of(prev),
                                       tree_order_detail::name_of(next));
}

// Watches the order of all entries of one tree, duplicates that are not neighbours included.
class TreeOrder {
 public:
  // Returns: true when the tree needs the exact check. Requires: the entries of one tree, in turn;
  // the tree stays where it is.
  bool add(const TreeEntry& entry) {
    const tree_order_detail::Name next = tree_order_detail::name_of(entry);
    std::uint32_t order = 0;
    if (previous_.text != nullptr) order = tree_order_detail::pair_order(previous_, next);
    const bool unusual = order != 0 && settle(order, next);
    previous_ = next;
    return unusual;
  }

 private:
  bool settle(std::uint32_t order, tree_order_detail::Name next) {
    if (order == kPairOpens) {
      if (open_count_ == open_.size()) return true;
      open_[open_count_++] = {previous_.text, previous_.size};
      return false;
    }
    if (order != kPairCloses) return true;
    for (std::size_t i = 0; i < open_count_; ++i) {
      if (open_[i] == std::string_view(next.text, next.size)) return true;
    }
    return false;
  }

  tree_order_detail::Name previous_;
  std::size_t open_count_ = 0;
  std::array<std::string_view, 16> open_;  // files whose name some later directory might repeat
};

}  // namespace assay
