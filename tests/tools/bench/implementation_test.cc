#include "tools/bench/implementation.h"

#include <gtest/gtest.h>

#include "store/base/object_id.h"
#include "tools/bench/rivals.h"

namespace assay::tools {
namespace {

std::vector<std::string> digests_of(Implementation& implementation) {
  std::vector<std::vector<std::uint8_t>> texts;
  for (std::size_t size = 0; size < 200; ++size) texts.emplace_back(size, std::uint8_t{'a'});
  const std::vector<Message> messages(texts.begin(), texts.end());
  std::vector<sha1::Digest> digests(messages.size());
  implementation.hash(messages, digests);
  std::vector<std::string> hex;
  for (const sha1::Digest& digest : digests) hex.push_back(to_hex(digest));
  return hex;
}

TEST(ImplementationTest, NamesOfRows) {
  const sha1::Kernels& portable = *sha1::find_kernels("portable");
  EXPECT_EQ(make_one(portable, sha1::Detect::kOff)->row_prefix(), "sha1/one/portable/plain/");
  EXPECT_EQ(make_one(portable, sha1::Detect::kOn)->row_prefix(), "sha1/one/portable/detect/");
  EXPECT_EQ(make_batch(portable, sha1::Detect::kOn)->row_prefix(), "sha1/batch/portable/detect/");
}

TEST(ImplementationTest, AllGiveTheSameDigests) {
  const auto expected = digests_of(*make_one(*sha1::find_kernels("portable"), sha1::Detect::kOff));
  EXPECT_EQ(expected[1], "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8");  // "a"
  for (const sha1::Kernels& kernels : sha1::all_kernels()) {
    if (!sha1::usable(kernels)) continue;  // tests/sha1 names them
    for (const sha1::Detect detect : {sha1::Detect::kOff, sha1::Detect::kOn}) {
      EXPECT_EQ(digests_of(*make_one(kernels, detect)), expected) << kernels.name;
      const auto batch = make_batch(kernels, detect);
      EXPECT_EQ(digests_of(*batch), expected) << kernels.name;
      EXPECT_EQ(digests_of(*batch), expected) << kernels.name << " used again";
    }
  }
  for (const auto& rival : find_rivals().implementations) {
    EXPECT_EQ(digests_of(*rival), expected) << rival->name();
    EXPECT_EQ(digests_of(*rival), expected) << rival->name() << " used again";
    EXPECT_TRUE(rival->is_rival());
    EXPECT_FALSE(rival->detecting());
  }
}

// Whether a library is installed or not: each rival is there, with its version, or absent, with a
// reason.
TEST(RivalsTest, EachIsThereOrAbsentForAReason) {
  const Rivals rivals = find_rivals();
  EXPECT_EQ(rivals.versions.size() + rivals.absent.size(), 3u);
  EXPECT_EQ(rivals.implementations.size(), rivals.versions.size());
  for (std::size_t i = 0; i < rivals.versions.size(); ++i) {
    EXPECT_EQ(rivals.implementations[i]->name(), rivals.versions[i].first);
    EXPECT_NE(rivals.versions[i].second.find_first_of("0123456789"), std::string::npos);
  }
  for (const auto& [name, why] : rivals.absent) EXPECT_FALSE(why.empty()) << name;
}

}  // namespace
}  // namespace assay::tools
