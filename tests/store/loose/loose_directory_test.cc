#include "store/loose/loose_directory.h"

#include <gtest/gtest.h>

#include "tests/support/failing_system.h"
#include "tests/support/loose_files.h"

namespace assay {
namespace {

class LooseDirectoryTest : public ::testing::Test {
 protected:
  LooseDirectory directory() { return {system_, root_.path(), "O", HashKind::kSha1}; }

  const std::string rest_a_ = std::string(38, 'a');
  const std::string rest_b_ = std::string(38, 'b');
  testing::TemporaryDirectory root_;
  testing::FailingSystem system_;
};

TEST_F(LooseDirectoryTest, TellsObjectsFromForeignNames) {
  root_.write("ab/" + rest_b_, "");
  root_.write("ab/" + rest_a_, "");
  root_.write("ab/" + std::string(38, 'C'), "");  // upper case is accepted, as in git
  root_.write("ab/tmp_obj_x", "");
  root_.write("ab/" + rest_a_ + "0", "");
  root_.write("ab/" + rest_a_.substr(1), "");
  root_.write("ab/g" + rest_a_.substr(1), "");
  root_.write("ab/README", "");
  const LooseListing listing = directory().list(0xab);
  ASSERT_EQ(3U, listing.objects.size());
  EXPECT_EQ("ab" + rest_a_, listing.objects[0].id.hex());
  EXPECT_EQ("ab" + rest_b_, listing.objects[1].id.hex());
  EXPECT_EQ("ab" + std::string(38, 'c'), listing.objects[2].id.hex());
  EXPECT_EQ(std::string(38, 'C'), listing.objects[2].name);
  EXPECT_EQ((std::vector<std::string>{"README", rest_a_.substr(1), rest_a_ + "0",
                                      "g" + rest_a_.substr(1)}),
            listing.foreign_names);
  EXPECT_TRUE(listing.faults.empty());
  EXPECT_TRUE(listing.directory.is_open());
}

TEST_F(LooseDirectoryTest, MissingIsEmptyUpperCaseIsNotLookedAt) {
  root_.write("AB/" + rest_a_, "");
  const LooseListing listing = directory().list(0xab);
  EXPECT_TRUE(listing.objects.empty());
  EXPECT_TRUE(listing.faults.empty());
  EXPECT_FALSE(listing.directory.is_open());
}

TEST_F(LooseDirectoryTest, SymbolicLinkIsListedAndReported) {
  root_.write("elsewhere/" + rest_a_, "");
  std::filesystem::create_directory_symlink(root_.path("elsewhere"), root_.path("00"));
  const LooseListing listing = directory().list(0);
  EXPECT_EQ(1U, listing.objects.size());
  ASSERT_EQ(1U, listing.faults.size());
  EXPECT_EQ(MessageId::kSymlinkInObjects, listing.faults[0].id);
  EXPECT_EQ("O/00 is a symbolic link", listing.faults[0].text);
}

TEST_F(LooseDirectoryTest, UnreadableIsAFault) {
  root_.write("ff", "a file");
  const LooseListing file = directory().list(255);
  ASSERT_EQ(1U, file.faults.size());
  EXPECT_EQ(MessageId::kDirectoryUnreadable, file.faults[0].id);
  EXPECT_EQ("unable to open O/ff: Not a directory", file.faults[0].text);

  root_.write("01/" + rest_a_, "");
  system_.fail_all("list", EIO);
  const LooseListing broken = directory().list(1);
  ASSERT_EQ(1U, broken.faults.size());
  EXPECT_EQ("unable to open O/01: Input/output error", broken.faults[0].text);
}

TEST_F(LooseDirectoryTest, AllIdsAreSortedAndUnique) {
  root_.write("ff/" + rest_a_, "");
  root_.write("00/" + rest_b_, "");
  root_.write("00/" + rest_a_, "");
  root_.write("00/" + std::string(38, 'A'), "");
  const std::vector<ObjectId> ids = directory().all_ids();
  ASSERT_EQ(3U, ids.size());
  EXPECT_EQ("00" + rest_a_, ids[0].hex());
  EXPECT_EQ("00" + rest_b_, ids[1].hex());
  EXPECT_EQ("ff" + rest_a_, ids[2].hex());
}

}  // namespace
}  // namespace assay
