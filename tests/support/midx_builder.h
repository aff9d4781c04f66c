// MidxBuilder: multi-pack-indexes made from pack indexes, as no installed git writes them all:
// either version, layers of a chain, with the chunks RIDX and BTMP.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "store/pack/pack_index.h"
#include "tests/support/chunk_text.h"

namespace assay::testing {

class MidxBuilder {
 public:
  explicit MidxBuilder(HashKind kind = HashKind::kSha1) : kind_(kind) {}

  MidxBuilder& version(int number) {
    version_ = number;
    return *this;
  }
  // `name`: "pack-....idx".
  MidxBuilder& pack(const std::string& name, const PackIndex& index) {
    names_.push_back(name);
    for (std::uint32_t i = 0; i < index.count(); ++i) {
      objects_.push_back({raw_text(index.id({i})), static_cast<std::uint32_t>(names_.size() - 1),
                          static_cast<std::uint32_t>(index.offset({i})->value)});
    }
    return *this;
  }
  // Leaves objects out that lower layers have: raw ids.
  MidxBuilder& without(const std::vector<std::string>& raw_ids) {
    left_out_.insert(raw_ids.begin(), raw_ids.end());
    return *this;
  }
  // The layer stands on layers with so many objects.
  MidxBuilder& base(std::uint32_t objects) {
    base_ = objects;
    return *this;
  }
  MidxBuilder& bit_order(bool chunks) {
    bit_order_ = chunks;
    return *this;
  }

  std::string build() {
    std::sort(objects_.begin(), objects_.end());
    std::vector<Object> kept;
    for (const Object& object : objects_) {
      if (left_out_.contains(object.id)) continue;
      if (kept.empty() || kept.back().id != object.id) kept.push_back(object);
    }
    ids_.clear();
    std::string ids;
    std::string offsets;
    for (const Object& object : kept) {
      ids_.push_back(object.id);
      ids += object.id;
      offsets += be32_text(object.pack) + be32_text(object.offset);
    }
    std::string names;
    for (const std::string& name : names_) names += name + '\0';
    names.append((4 - names.size() % 4) % 4, '\0');
    std::vector<ChunkText> chunks = {
        {"PNAM", names}, {"OIDF", fanout_text(ids_)}, {"OIDL", ids}, {"OOFF", offsets}};
    if (bit_order_) add_bit_order(kept, chunks);
    const std::string header =
        "MIDX" +
        std::string{static_cast<char>(version_), kind_ == HashKind::kSha1 ? '\1' : '\2',
                    static_cast<char>(chunks.size()), '\0'} +
        be32_text(static_cast<std::uint32_t>(names_.size()));
    return chunk_file(header, chunks, kind_);
  }
  // Of the file built last, sorted.
  const std::vector<std::string>& raw_ids() const { return ids_; }

 private:
  struct Object {
    std::string id;
    std::uint32_t pack;
    std::uint32_t offset;
    friend auto operator<=>(const Object&, const Object&) = default;
  };

  // Bits follow packs, and offsets within a pack.
  void add_bit_order(const std::vector<Object>& kept, std::vector<ChunkText>& chunks) const {
    std::vector<std::uint32_t> order(kept.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(kept[a].pack, kept[a].offset) < std::tuple(kept[b].pack, kept[b].offset);
    });
    std::string rows;
    std::vector<std::uint32_t> first(names_.size(), 0);
    std::vector<std::uint32_t> count(names_.size(), 0);
    for (std::uint32_t bit = 0; bit < order.size(); ++bit) {
      rows += be32_text(order[bit] + base_);
      if (count[kept[order[bit]].pack]++ == 0) first[kept[order[bit]].pack] = bit + base_;
    }
    std::string packs;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      packs += be32_text(first[i]) + be32_text(count[i]);
    }
    chunks.emplace_back("RIDX", rows);
    chunks.emplace_back("BTMP", packs);
  }

  HashKind kind_;
  int version_ = 1;
  std::uint32_t base_ = 0;
  bool bit_order_ = false;
  std::vector<std::string> names_;
  std::vector<Object> objects_;
  std::set<std::string> left_out_;
  std::vector<std::string> ids_;
};

}  // namespace assay::testing
