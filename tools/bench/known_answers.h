// SHA-1 digests that were published, for `assay bench --self-test`.
#pragma once

#include <string_view>

namespace assay::tools {

struct KnownAnswer {
  std::string_view text;  // repeated so often:
  unsigned times;
  std::string_view digest;
};

// FIPS 180-4's examples, and the empty message.
inline constexpr KnownAnswer kKnownAnswers[] = {
    {"", 0, "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
    {"abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
     "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
    {"a", 1'000'000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"},
};

}  // namespace assay::tools
