// Object header: "blob 123\0", the words before the body of a loose object, and the bytes that
// are hashed before the body of every object.
//
// Grammar: type word, one space, size in bytes as canonical decimal (no sign, no leading zero),
// NUL. Source of the format: git's gitformat-loose and object-file.c.
#pragma once

#include <array>

#include <tl/expected.hpp>

#include "store/base/bytes.h"
#include "store/base/object_type.h"

namespace assay {

// git reads a header into a buffer of 32 bytes, terminator included; a longer one is refused.
constexpr std::size_t kMaxObjectHeaderSize = 32;

struct ObjectHeader {
  ObjectType type = ObjectType::kUnknown;
  std::uint64_t body_size = 0;  // bytes of the body, as declared
  std::size_t header_size = 0;  // bytes of the header with its NUL
};

// Why a header was refused, in the order in which git looks.
enum class HeaderProblem : std::uint8_t {
  kUnterminated,  // no NUL within the first 32 bytes: git's "unable to unpack header"
  kGrammar,       // git's "unable to parse header"
  kSizeOverflow,  // the number does not fit 64 bits; git dies here
  kUnknownType,   // well formed, but no type of git: "unable to parse type from header"
};

// Parses the header at the start of `bytes`; what follows it is not looked at.
tl::expected<ObjectHeader, HeaderProblem> parse_object_header(ByteView bytes);

// The header of one object, in a buffer of its own.
class ObjectHeaderText {
 public:
  // Requires: type is one of the four types.
  ObjectHeaderText(ObjectType type, std::uint64_t body_size);

  // The header with its NUL; valid as long as this object.
  ByteView bytes() const { return {buffer_.data(), size_}; }

 private:
  std::array<std::uint8_t, kMaxObjectHeaderSize> buffer_{};
  std::size_t size_ = 0;
};

}  // namespace assay
