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

// The first 320 bytes of shattered-1.pdf (M. Stevens, E. Bursztein, P. Karpman, A. Albertini,
// Y. Markov, "The first collision for full SHA-1", 2017): a collision attack that must be seen.
inline constexpr std::string_view kCollisionHex =
    "255044462d312e330a25e2e3cfd30a0a0a312030206f626a0a3c3c2f57696474682032203020522f48656967"
    "68742033203020522f547970652034203020522f537562747970652035203020522f46696c74657220362030"
    "20522f436f6c6f7253706163652037203020522f4c656e6774682038203020522f42697473506572436f6d70"
    "6f6e656e7420383e3e0a73747265616d0affd8fffe00245348412d3120697320646561642121212121852fec"
    "092339759c39b1a1c63c4c97e1fffe017346dc9166b67e118f029ab621b2560ff9ca67cca8c7f85ba84c7903"
    "0c2b3de218f86db3a90901d5df45c14f26fedfb3dc38e96ac22fe7bd728f0e45bce046d23c570feb141398bb"
    "552ef5a0a82be331fea48037b8b5d71f0e332edf93ac3500eb4ddc0decc1a864790c782c76215660dd309791"
    "d06bd0af3f98cda4bc4629b1";
inline constexpr std::string_view kCollisionDigest = "f92d74e3874587aaf443d1db961d4e26dde13e9c";

}  // namespace assay::tools
