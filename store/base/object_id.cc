#include "store/base/object_id.h"

namespace assay {

std::optional<ObjectId> ObjectId::from_hex(std::string_view hex, HashKind kind) {
  if (hex.size() != id_hex_size(kind)) return std::nullopt;
  ObjectId id = null(kind);
  for (std::size_t i = 0; i < id_size(kind); ++i) {
    const int high = hex_digit_value(hex[2 * i]);
    const int low = hex_digit_value(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    id.bytes_[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return id;
}

bool ObjectId::is_null() const {
  for (const std::uint8_t byte : bytes_) {
    if (byte != 0) return false;
  }
  return true;
}

std::string ObjectId::hex() const { return to_hex(bytes()); }

std::string to_hex(ByteView bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(2 * bytes.size(), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text[2 * i] = kDigits[bytes[i] >> 4];
    text[2 * i + 1] = kDigits[bytes[i] & 15];
  }
  return text;
}

ObjectId empty_tree_id(HashKind kind) {
  return *ObjectId::from_hex(
      kind == HashKind::kSha1 ? "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
                              : "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
      kind);
}

}  // namespace assay
