// A pack and its index (version 2) made by hand, entry by entry. Ids and offsets may lie.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/object_type.h"
#include "tests/support/loose_files.h"

namespace assay::testing {

inline std::string be32_text(std::uint64_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
  return text;
}

// A size as deltas have it: groups of seven bits, the lowest first.
inline std::string delta_size(std::uint64_t size) {
  std::string text;
  for (; size >= 0x80; size >>= 7) text += static_cast<char>(0x80 | (size & 0x7f));
  return text + static_cast<char>(size);
}

// Copies `copied` bytes from the start of the base, then inserts the text (up to 127 bytes).
inline std::string simple_delta(std::size_t base_size, std::size_t copied,
                                std::string_view inserted) {
  std::string delta = delta_size(base_size) + delta_size(copied + inserted.size());
  if (copied > 0) {
    delta += '\xf0';  // size in three bytes, offset 0
    for (int shift = 0; shift < 24; shift += 8) delta += static_cast<char>(copied >> shift);
  }
  if (!inserted.empty()) delta += static_cast<char>(inserted.size());
  return delta.append(inserted);
}

class SmallPack {
 public:
  // Each returns the offset of the entry. `id` is what the index calls it.
  std::uint64_t add_whole(ObjectType type, std::string_view content, const ObjectId& id) {
    return add(static_cast<unsigned>(type), content.size(), "", content, id);
  }
  std::uint64_t add_blob(std::string_view content) {
    return add_whole(ObjectType::kBlob, content, id_of(with_header("blob", content)));
  }
  std::uint64_t add_offset_delta(std::uint64_t base, std::string_view delta, const ObjectId& id) {
    std::uint64_t distance = offset() - base;
    std::string reversed(1, static_cast<char>(distance & 0x7f));
    while ((distance >>= 7) != 0) {
      --distance;
      reversed += static_cast<char>(0x80 | (distance & 0x7f));
    }
    std::reverse(reversed.begin(), reversed.end());
    return add(6, delta.size(), reversed, delta, id);
  }
  std::uint64_t add_ref_delta(const ObjectId& base, std::string_view delta, const ObjectId& id) {
    return add(7, delta.size(), as_text(base.bytes()), delta, id);
  }
  // An entry with any header: `kind` 0 to 7, a size that may lie, any bytes behind it.
  std::uint64_t add_raw(unsigned kind, std::uint64_t size, std::string_view bytes,
                        const ObjectId& id) {
    const std::uint64_t at = offset();
    entries_.push_back({id, at});
    std::uint64_t rest = size >> 4;
    body_ += static_cast<char>((rest != 0 ? 0x80 : 0) | (kind << 4) | (size & 15));
    for (; rest != 0; rest >>= 7) {
      body_ += static_cast<char>((rest >> 7 != 0 ? 0x80 : 0) | (rest & 0x7f));
    }
    body_ += bytes;
    return at;
  }
  std::uint64_t offset() const { return 12 + body_.size(); }

  std::string pack() const {
    const std::string text = "PACK" + be32_text(2) + be32_text(entries_.size()) + body_;
    return text + std::string(as_text(id_of(text).bytes()));
  }
  // CRCs are left zero: reading does not look at them.
  std::string index() const {
    auto sorted = entries_;
    std::sort(sorted.begin(), sorted.end(),
              [](const Entry& a, const Entry& b) { return a.id < b.id; });
    std::string text = "\377tOc" + be32_text(2);
    for (unsigned byte = 0; byte < 256; ++byte) {
      text += be32_text(static_cast<std::uint64_t>(
          std::count_if(sorted.begin(), sorted.end(),
                        [&](const Entry& entry) { return entry.id.data()[0] <= byte; })));
    }
    for (const Entry& entry : sorted) text += as_text(entry.id.bytes());
    text += std::string(4 * sorted.size(), '\0');
    for (const Entry& entry : sorted) text += be32_text(entry.offset);
    text += pack().substr(pack().size() - 20);
    return text + std::string(as_text(id_of(text).bytes()));
  }
  // Writes both below `directory`/pack.
  void write(const TemporaryDirectory& root, const std::string& directory,
             const std::string& name = "pack-small") const {
    root.write(directory + "/pack/" + name + ".pack", pack());
    root.write(directory + "/pack/" + name + ".idx", index());
  }

 private:
  struct Entry {
    ObjectId id;
    std::uint64_t offset;
  };

  std::uint64_t add(unsigned kind, std::uint64_t size, std::string_view before,
                    std::string_view content, const ObjectId& id) {
    return add_raw(kind, size, std::string(before) + deflated(content), id);
  }

  std::vector<Entry> entries_;
  std::string body_;
};

}  // namespace assay::testing
