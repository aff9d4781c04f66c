// Index files made by hand: any version, any extension, sealed with a checksum or not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/base/object_id.h"
#include "store/object/object_hash.h"

namespace assay::testing {

inline std::string be16_text(std::uint32_t value) {
  return {static_cast<char>(value >> 8), static_cast<char>(value)};
}
inline std::string be32_text(std::uint32_t value) {
  return be16_text(value >> 16) + be16_text(value & 0xffff);
}
inline std::string raw_text(const ObjectId& id) { return std::string(as_text(id.bytes())); }

struct IndexEntryText {
  ObjectId id;
  std::string path;
  std::uint32_t mode = 0100644;
  std::uint32_t stage = 0;
  std::uint32_t extended = 0;  // the second flag word; written when it is not 0
};

class IndexBuilder {
 public:
  explicit IndexBuilder(std::uint32_t version, HashKind kind = HashKind::kSha1)
      : version_(version), kind_(kind) {}

  IndexBuilder& entry(const IndexEntryText& entry) {
    std::string text(24, '\0');  // times, device, inode
    text += be32_text(entry.mode) + std::string(12, '\0') + raw_text(entry.id);
    const auto name_size =
        static_cast<std::uint32_t>(std::min<std::size_t>(entry.path.size(), 0xfff));
    text += be16_text(entry.stage << 12 | (entry.extended != 0 ? 0x4000 : 0) | name_size);
    if (entry.extended != 0) text += be16_text(entry.extended);
    if (version_ == 4) {
      std::size_t same = 0;
      while (same < path_before_.size() && same < entry.path.size() &&
             path_before_[same] == entry.path[same]) {
        ++same;
      }
      text += varint(path_before_.size() - same) + entry.path.substr(same) + '\0';
    } else {
      text += entry.path;
      text.append(8 - text.size() % 8, '\0');
    }
    path_before_ = entry.path;
    entries_ += text;
    ++count_;
    return *this;
  }
  IndexBuilder& extension(std::string_view name, std::string_view data) {
    extensions_ += std::string(name) + be32_text(static_cast<std::uint32_t>(data.size()));
    extensions_ += data;
    return *this;
  }

  std::string content() const {
    return "DIRC" + be32_text(version_) + be32_text(count_) + entries_ + extensions_;
  }
  std::string sealed() const { return seal(content(), kind_); }
  // The zeros that index.skipHash leaves instead of a checksum.
  std::string unhashed() const { return content() + std::string(id_size(kind_), '\0'); }

  static std::string seal(const std::string& content, HashKind kind = HashKind::kSha1) {
    ObjectHasher hasher(kind, false);
    hasher.update(as_bytes(content));
    return content + raw_text(hasher.finish().id);
  }
  // The id in the trailer of a sealed file, by which a split index names it.
  ObjectId checksum() const {
    const std::string file = sealed();
    return ObjectId::from_raw(
        reinterpret_cast<const std::uint8_t*>(file.data()) + file.size() - id_size(kind_), kind_);
  }

  // The numbers of version 4: seven bits a byte, the highest first, one added at each step.
  static std::string varint(std::uint64_t value) {
    std::string text(1, static_cast<char>(value & 127));
    while ((value >>= 7) != 0) {
      --value;
      text.insert(text.begin(), static_cast<char>(128 | (value & 127)));
    }
    return text;
  }

 private:
  std::uint32_t version_;
  HashKind kind_;
  std::uint32_t count_ = 0;
  std::string entries_;
  std::string extensions_;
  std::string path_before_;
};

// An EWAH bitmap of the given words, the first of which must be a marker.
inline std::string ewah_text(std::uint32_t bits, std::initializer_list<std::uint64_t> words) {
  std::string text = be32_text(bits) + be32_text(static_cast<std::uint32_t>(words.size()));
  for (const std::uint64_t word : words) {
    text += be32_text(static_cast<std::uint32_t>(word >> 32)) +
            be32_text(static_cast<std::uint32_t>(word));
  }
  return text + be32_text(0);
}
// A marker: `run` words of `bit`, then `literals` words.
constexpr std::uint64_t ewah_marker(bool bit, std::uint64_t run, std::uint64_t literals) {
  return (bit ? 1 : 0) | run << 1 | literals << 33;
}

}  // namespace assay::testing
