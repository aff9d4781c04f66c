#include "store/object/object_header.h"

#include <limits>

namespace assay {

tl::expected<ObjectHeader, HeaderProblem> parse_object_header(ByteView bytes) {
  const std::string_view text = as_text(
      bytes.first(bytes.size() < kMaxObjectHeaderSize ? bytes.size() : kMaxObjectHeaderSize));
  const std::size_t end = text.find('\0');
  if (end == std::string_view::npos) return tl::unexpected(HeaderProblem::kUnterminated);
  const std::size_t blank = text.substr(0, end).find(' ');
  if (blank == std::string_view::npos) return tl::unexpected(HeaderProblem::kGrammar);
  const std::string_view digits = text.substr(blank + 1, end - blank - 1);
  if (digits.empty() || (digits[0] == '0' && digits.size() > 1)) {
    return tl::unexpected(HeaderProblem::kGrammar);
  }

  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t size = 0;
  bool overflow = false;
  for (const char c : digits) {
    if (c < '0' || c > '9') return tl::unexpected(HeaderProblem::kGrammar);
    const auto digit = static_cast<std::uint64_t>(c - '0');
    overflow = overflow || size > (kMax - digit) / 10;
    size = size * 10 + digit;
  }
  if (overflow) return tl::unexpected(HeaderProblem::kSizeOverflow);
  const auto type = parse_type_name(text.substr(0, blank));
  if (!type) return tl::unexpected(HeaderProblem::kUnknownType);
  return ObjectHeader{*type, size, end + 1};
}

ObjectHeaderText::ObjectHeaderText(ObjectType type, std::uint64_t body_size) {
  const std::string_view word = type_name(type);
  for (const char c : word) buffer_[size_++] = static_cast<std::uint8_t>(c);
  buffer_[size_++] = ' ';
  std::array<std::uint8_t, 20> digits;  // least significant first
  std::size_t count = 0;
  do {
    digits[count++] = static_cast<std::uint8_t>('0' + body_size % 10);
    body_size /= 10;
  } while (body_size != 0);
  while (count > 0) buffer_[size_++] = digits[--count];
  buffer_[size_++] = 0;
}

}  // namespace assay
