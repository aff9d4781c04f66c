// Every object that one of the two writes, the other reads: same id, type, size and bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "store/repository.h"
#include "tests/oracle/libgit2.h"
#include "tests/support/random.h"
#include "tests/support/run_tool.h"

namespace assay {
namespace {

using testing::OracleRepository;
using testing::Random;
using testing::run_tool;

constexpr std::uint64_t kLimit = std::uint64_t{1} << 30;
constexpr ObjectType kTypes[] = {ObjectType::kBlob, ObjectType::kTree, ObjectType::kCommit,
                                 ObjectType::kTag};

class OracleObjectsTest : public ::testing::Test {
 protected:
  OracleObjectsTest() {
    EXPECT_EQ(0, run_tool({"init", "-q", "--bare", "r.git"}, root_.path()).status);
  }

  std::unique_ptr<ObjectStore> open_store() {
    OpenOptions options;
    options.directory = root_.path("r.git");
    auto store = ObjectStore::open(os::System::real(), options);
    EXPECT_TRUE(store.has_value()) << store.error().text;
    return std::move(*store);
  }

  // Random content: noise, text that compresses, or a variation of an earlier one.
  std::string content(Random& random, std::size_t max_size) {
    std::string text;
    if (!earlier_.empty() && random.one_in(2)) {
      text = earlier_[random.below(earlier_.size())];
      for (int i = 0; i < 3 && !text.empty(); ++i) {
        text[random.below(text.size())] = static_cast<char>(random.next());
      }
      text.insert(random.below(text.size() + 1), "inserted " + std::to_string(random.below(100)));
    } else {
      const std::uint64_t alphabet = random.one_in(3) ? 256 : 16;
      // Small sizes are as likely as large ones.
      text.resize(random.below((std::size_t{1} << random.below(18)) % max_size + 1));
      for (char& c : text) c = static_cast<char>('a' + random.below(alphabet));
    }
    earlier_.push_back(text);
    return text;
  }

  testing::TemporaryDirectory root_;
  std::vector<std::string> earlier_;
};

TEST_F(OracleObjectsTest, WhatWeWriteLibgit2Reads) {
  Random random(1);
  const auto store = open_store();
  for (const int compression : {-1, 0, 1, 9}) {
    WriteSettings settings;
    settings.options.compression = compression;
    const auto writer = store->writer(settings);
    ASSERT_TRUE(writer.has_value());
    const OracleRepository oracle(root_.path("r.git"));
    for (int i = 0; i < 150; ++i) {
      const ObjectType type = kTypes[random.below(4)];
      const std::string text = content(random, 200000);
      ObjectId id;
      if (random.one_in(2)) {
        id = name_object(type, as_bytes(text), HashKind::kSha1).id;
        ASSERT_TRUE((*writer)->write(id, type, as_bytes(text)).has_value());
      } else {
        ASSERT_TRUE((*writer)->begin(type, text.size()).has_value());
        ASSERT_TRUE((*writer)->append(as_bytes(text)).has_value());
        const auto ended = (*writer)->end();
        ASSERT_TRUE(ended.has_value());
        id = *ended;
      }
      const auto seen = oracle.read(id);
      EXPECT_EQ(type, seen.type) << id.hex();
      EXPECT_EQ(text, seen.content) << id.hex();
    }
  }
}

TEST_F(OracleObjectsTest, WhatHashObjectStoresLibgit2Reads) {
  Random random(2);
  std::string paths;
  std::vector<std::string> contents;
  for (int i = 0; i < 800; ++i) {
    contents.push_back(content(random, 100000));
    const std::string name = "f" + std::to_string(i);
    root_.write(name, contents.back());
    paths += name + "\n";
  }
  const auto result =
      run_tool({"--git-dir", "r.git", "hash-object", "-w", "--stdin-paths"}, root_.path(), paths);
  ASSERT_EQ(0, result.status) << result.err;
  ASSERT_EQ(41 * contents.size(), result.out.size());
  const OracleRepository oracle(root_.path("r.git"));
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const auto id = ObjectId::from_hex(result.out.substr(41 * i, 40), HashKind::kSha1);
    ASSERT_TRUE(id.has_value());
    EXPECT_EQ(contents[i], oracle.read(*id).content) << i;
  }
}

TEST_F(OracleObjectsTest, WhatLibgit2WritesWeRead) {
  Random random(3);
  const OracleRepository oracle(root_.path("r.git"));
  std::map<ObjectId, std::pair<ObjectType, std::string>> written;
  for (int i = 0; i < 400; ++i) {
    const ObjectType type = kTypes[random.below(4)];
    const std::string text = content(random, 100000);
    written[oracle.write(type, text)] = {type, text};
  }
  const auto expect_all = [&] {
    const auto store = open_store();
    ObjectReader reader(store->objects());
    std::vector<ObjectId> ids;
    for (const auto& [id, object] : written) {
      ids.push_back(id);
      const auto info = reader.info(id);
      ASSERT_TRUE(info.has_value()) << info.error().text;
      EXPECT_EQ(object.first, info->type);
      EXPECT_EQ(object.second.size(), info->size);
      const auto read = reader.read(id, kLimit);
      ASSERT_TRUE(read.has_value()) << read.error().text;
      EXPECT_EQ(object.first, read->type);
      EXPECT_EQ(object.second, as_text(read->content));
    }
    EXPECT_EQ(ids, store->objects().all_ids());
    std::vector<ObjectId> theirs = oracle.all_ids();
    std::sort(theirs.begin(), theirs.end());
    theirs.erase(std::unique(theirs.begin(), theirs.end()), theirs.end());
    EXPECT_EQ(ids, theirs);
  };
  expect_all();

  // The same out of a pack, and nothing else.
  std::vector<ObjectId> ids;
  for (const auto& [id, object] : written) ids.push_back(id);
  oracle.pack(ids);
  for (const auto& entry : std::filesystem::directory_iterator(root_.path("r.git/objects"))) {
    if (entry.path().filename().string().size() == 2) std::filesystem::remove_all(entry.path());
  }
  expect_all();
  const auto bases = run_tool(
      {"--git-dir", "r.git", "cat-file", "--batch-all-objects", "--batch-check=%(deltabase)"},
      root_.path());
  const std::string no_base = std::string(40, '0') + "\n";
  std::size_t deltas = 0;
  for (std::size_t at = 0; at < bases.out.size(); at += 41) {
    if (bases.out.substr(at, 41) != no_base) ++deltas;
  }
  EXPECT_LT(50U, deltas);  // otherwise the test says little
}

TEST_F(OracleObjectsTest, CatFileBatchAgreesOnEveryObject) {
  Random random(4);
  const OracleRepository oracle(root_.path("r.git"));
  std::vector<ObjectId> packed;
  for (int i = 0; i < 200; ++i) {
    const ObjectId id = oracle.write(kTypes[random.below(4)], content(random, 5000));
    if (i < 100) packed.push_back(id);
  }
  oracle.pack(packed);
  const auto result =
      run_tool({"--git-dir", "r.git", "cat-file", "--batch-all-objects", "--batch"}, root_.path());
  ASSERT_EQ(0, result.status) << result.err;
  std::string expected;
  std::vector<ObjectId> ids = oracle.all_ids();
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (const ObjectId& id : ids) {
    const auto object = oracle.read(id);
    expected += id.hex() + " " + std::string(type_name(object.type)) + " " +
                std::to_string(object.content.size()) + "\n" + object.content + "\n";
  }
  EXPECT_EQ(expected, result.out);
}

}  // namespace
}  // namespace assay
