// Object ids: the name of an object, 20 bytes of SHA-1 or 32 of SHA-256.
//
// This header is the only place that knows the two sizes. Everything else asks `id_size(kind)`.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>

#include "store/base/bytes.h"

namespace assay {

enum class HashKind : std::uint8_t { kSha1, kSha256 };

constexpr std::size_t kMaxIdSize = 32;

constexpr std::size_t id_size(HashKind kind) { return kind == HashKind::kSha1 ? 20 : 32; }
constexpr std::size_t id_hex_size(HashKind kind) { return 2 * id_size(kind); }
// The value of extensions.objectFormat: "sha1" or "sha256".
constexpr std::string_view hash_name(HashKind kind) {
  return kind == HashKind::kSha1 ? "sha1" : "sha256";
}
// Returns: the hash of that name, if there is one.
constexpr std::optional<HashKind> parse_hash_name(std::string_view name) {
  for (const HashKind kind : {HashKind::kSha1, HashKind::kSha256}) {
    if (name == hash_name(kind)) return kind;
  }
  return std::nullopt;
}

class ObjectId {
 public:
  ObjectId() = default;  // the null SHA-1 id

  // Requires: raw has id_size(kind) readable bytes.
  static ObjectId from_raw(const std::uint8_t* raw, HashKind kind) {
    ObjectId id;
    id.kind_ = kind;
    std::memcpy(id.bytes_.data(), raw, id_size(kind));
    return id;
  }

  // Returns: the id that the text spells in full (upper or lower case), or nothing.
  static std::optional<ObjectId> from_hex(std::string_view hex, HashKind kind);

  static ObjectId null(HashKind kind) {
    ObjectId id;
    id.kind_ = kind;
    return id;
  }

  HashKind kind() const { return kind_; }
  std::size_t size() const { return id_size(kind_); }
  const std::uint8_t* data() const { return bytes_.data(); }
  ByteView bytes() const { return {bytes_.data(), size()}; }
  bool is_null() const;
  std::string hex() const;

  friend bool operator==(const ObjectId&, const ObjectId&) = default;
  friend std::strong_ordering operator<=>(const ObjectId& a, const ObjectId& b) {
    return a.bytes_ <=> b.bytes_;
  }

 private:
  // Bytes past size() are zero, so that comparing all of them compares the ids.
  std::array<std::uint8_t, kMaxIdSize> bytes_{};
  HashKind kind_ = HashKind::kSha1;
};

// Returns: the value of one hex digit, or -1.
constexpr int hex_digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string to_hex(ByteView bytes);

// The id that git treats as always present, whether or not a file holds it.
ObjectId empty_tree_id(HashKind kind);

struct ObjectIdHash {
  std::size_t operator()(const ObjectId& id) const {
    std::size_t value;
    std::memcpy(&value, id.data(), sizeof value);
    return value;
  }
};

}  // namespace assay
