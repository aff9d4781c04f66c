#include "store/fsck/dotgit_name.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

TEST(DotgitName, Hfs) {
  EXPECT_EQ(hfs_names(".git"), kNameDotgit);
  EXPECT_EQ(hfs_names(".GiTmOdUlEs"), kNameGitmodules);
  EXPECT_EQ(hfs_names(".gitattributes"), kNameGitattributes);
  EXPECT_EQ(hfs_names(".gitignore"), kNameGitignore);
  EXPECT_EQ(hfs_names(".mailmap"), kNameMailmap);
  EXPECT_EQ(hfs_names(".gitattributes/x"), kNameGitattributes) << "a separator ends the name";
  EXPECT_EQ(hfs_names(".mailmap\xff"), kNameMailmap) << "so do malformed bytes";
  for (const std::string name : {"", "git", ".gi", ".gitt", "..git", ".gitattributess", ".g\xffit",
                                 ".git\xc3\xa4", ".git ", "git~1", ".git\\"}) {
    EXPECT_EQ(hfs_names(name), 0U) << name;
  }
}

TEST(DotgitName, HfsIgnoresSixteenCodePoints) {
  const auto utf8 = [](unsigned point) {
    return std::string{static_cast<char>(0xe0 | (point >> 12)),
                       static_cast<char>(0x80 | ((point >> 6) & 0x3f)),
                       static_cast<char>(0x80 | (point & 0x3f))};
  };
  int ignored = 0;
  for (unsigned point = 0x800; point < 0xd800; ++point) {
    if (hfs_names("." + utf8(point) + "git" + utf8(point)) == kNameDotgit) ++ignored;
  }
  EXPECT_EQ(ignored, 15);
  EXPECT_EQ(hfs_names(utf8(0xfeff) + ".git"), kNameDotgit);
  EXPECT_EQ(hfs_names(utf8(0xfffe) + ".git"), 0U);
  std::string many = ".git";
  for (int i = 0; i < 100; ++i) many.insert(2, utf8(0x200c));
  EXPECT_EQ(hfs_names(many), kNameDotgit);
}

TEST(DotgitName, Ntfs) {
  for (const std::string name : {".git", ".GIT", "git~1", "Git~1", ".git ", ".git...", ".git:x",
                                 ".git. ::$INDEX_ALLOCATION", ".git/x", ".git\\x", "git~1 .:"}) {
    EXPECT_EQ(ntfs_names(name), kNameDotgit) << name;
  }
  for (const std::string name :
       {"", ".", ".gi", ".gitx", "git~", "git~2", "git~11", " .git", ".git x", "git", "x\\.git"}) {
    EXPECT_EQ(ntfs_names(name), 0U) << name;
  }
  for (const std::string name : {".gitmodules", ".GITMODULES .", "gitmod~1", "GITMOD~4", "gi7eba~1",
                                 "GI7EB~10", "gi7e~100", ".gitmodules:stream", "gi7eba~9 ..:x"}) {
    EXPECT_EQ(ntfs_names(name), kNameGitmodules) << name;
  }
  for (const std::string name :
       {"gitmodules", "gitmod~5", "gitmod~0", "gitmod~11", "gi7eba~0", "gi7ebax1", "gi7eb~01",
        "gi7eb~1", "gi7eba~1x", ".gitmodules\\", "gi7eba\xff~"}) {
    EXPECT_EQ(ntfs_names(name), 0U) << name;
  }
  EXPECT_EQ(ntfs_names("gitatt~1"), kNameGitattributes);
  EXPECT_EQ(ntfs_names("GI7D29~3"), kNameGitattributes);
  EXPECT_EQ(ntfs_names("gitign~1"), kNameGitignore);
  EXPECT_EQ(ntfs_names("gi250a~3"), kNameGitignore);
  EXPECT_EQ(ntfs_names("mailma~1"), kNameMailmap);
  EXPECT_EQ(ntfs_names("MABA30~3"), kNameMailmap);
  // So many digits that no letter is left: the short name of anything.
  constexpr auto kAll = kNameGitmodules | kNameGitattributes | kNameGitignore | kNameMailmap;
  EXPECT_EQ(ntfs_names("~1234567"), kAll);
  EXPECT_EQ(ntfs_names("g~123456"), kAll & ~kNameMailmap);
}

TEST(DotgitName, BehindBackslashes) {
  EXPECT_EQ(dotgit_names("a\\b\\.git"), kNameDotgit);
  EXPECT_EQ(dotgit_names("a\\.gitmodules"), kNameGitmodules);
  EXPECT_EQ(dotgit_names("a\\.gitattributes"), 0U) << "git looks for two names there";
  EXPECT_EQ(dotgit_names(".gitmodules\\.git"), kNameDotgit);
  EXPECT_EQ(dotgit_names(".git\\"), kNameDotgit);
  EXPECT_EQ(dotgit_names("\\\\"), 0U);
}

}  // namespace
}  // namespace assay
