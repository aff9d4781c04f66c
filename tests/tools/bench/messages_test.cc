#include "tools/bench/messages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sha1/sha1.h"
#include "store/base/object_id.h"

namespace assay::tools {
namespace {

std::string digest_of_all(const MessageSet& set) {
  sha1::Hasher hasher;
  for (const Message message : set.messages()) hasher.update(message);
  return to_hex(hasher.finish().digest);
}

TEST(MessagesTest, OfOneSize) {
  for (const std::uint64_t size :
       {0u, 1u, 8u, 64u, 100u, 1024u, 16384u, 65536u, 1u << 20, 5u << 20}) {
    const MessageSet set = MessageSet::of_size(size);
    EXPECT_EQ(set.name(), std::to_string(size));
    EXPECT_EQ(set.messages().size() % 16, 0u) << "lanes would stay empty";
    EXPECT_EQ(set.total_bytes(), size * set.messages().size());
    std::set<const std::uint8_t*> begins;
    for (const Message message : set.messages()) {
      EXPECT_EQ(message.size(), size);
      begins.insert(message.data());
    }
    if (size > 0) {
      EXPECT_EQ(begins.size(), set.messages().size()) << "lanes would share bytes";
    }
  }
}

TEST(MessagesTest, MixesHaveTheMediansOfTheirNames) {
  const auto median_of = [](std::string_view name) {
    const MessageSet set = MessageSet::of_mix(name);
    EXPECT_EQ(set.name(), name);
    std::vector<std::size_t> sizes;
    for (const Message message : set.messages()) sizes.push_back(message.size());
    EXPECT_FALSE(std::is_sorted(sizes.begin(), sizes.end()));
    std::sort(sizes.begin(), sizes.end());
    return static_cast<double>(sizes[sizes.size() / 2]);
  };
  EXPECT_NEAR(median_of("mix_250"), 250, 40);
  EXPECT_NEAR(median_of("mix_700"), 700, 110);
  EXPECT_NEAR(median_of("mix_2000"), 2000, 300);
  EXPECT_NEAR(median_of("mix_tail"), 700, 110);
  // Few messages hold most of the bytes.
  EXPECT_GT(MessageSet::of_mix("mix_tail").mean_bytes(),
            1.5 * MessageSet::of_mix("mix_700").mean_bytes());
}

// Figures of different machines are of the same messages: these digests never change.
TEST(MessagesTest, AreTheSameEverywhere) {
  EXPECT_EQ(digest_of_all(MessageSet::of_size(64)), "047f78658f05bb1378c0bc6ae29ee3eb613177b9");
  EXPECT_EQ(digest_of_all(MessageSet::of_mix("mix_700")),
            "cdd307f2886d1c91e130b95fe4a62d810d95e26f");
}

}  // namespace
}  // namespace assay::tools
