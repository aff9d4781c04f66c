#include "store/odb/alternates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/failing_system.h"
#include "tests/support/temporary_directory.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryDirectory;

class Alternates : public ::testing::Test {
 protected:
  // An object directory below the root that names others.
  void add(const std::string& name, const std::string& alternates) {
    fs::create_directories(root_.path(name));
    if (!alternates.empty()) root_.write(name + "/info/alternates", alternates);
  }
  ObjectDirectories find(const std::string& environment = "", const std::string& main = "main") {
    return find_object_directories(os::System::real(), root_.path(main), environment);
  }
  // Names relative to the root, blanks between.
  std::string names(const ObjectDirectories& directories) {
    std::string text;
    for (const std::string& path : directories.paths) {
      text += path.substr(std::min(path.size(), top_.size() + 1)) + " ";
    }
    return text;
  }
  static std::string problems(const ObjectDirectories& directories) {
    std::string text;
    for (const Fault& fault : directories.problems) text += fault.text + "\n";
    return text;
  }

  TemporaryDirectory root_;
  const std::string top_ = root_.path();
};

TEST_F(Alternates, AreReadDepthFirstAfterTheEnvironment) {
  add("main", "../one\n" + top_ + "/two\n");
  add("one", "../three\n");
  add("two", "");
  add("three", "");
  add("four", "");
  EXPECT_EQ(names(find()), "main one three two ");
  EXPECT_EQ(names(find(top_ + "/four:" + top_ + "/two")), "main four two one three ");
  EXPECT_EQ(problems(find()), "");
}

TEST_F(Alternates, SkipCommentsAndUndoQuotes) {
  add("main", "# ../none\n\n\"../a\\tb\"\n\"odd\n../one/\n");
  add("a\tb", "");
  add("one", "");
  add("main/\"odd", "");
  const auto found = find();
  EXPECT_EQ(found.paths.at(1), top_ + "/a\tb");
  EXPECT_EQ(found.paths.at(2), top_ + "/main/\"odd");
  EXPECT_EQ(found.paths.at(3), top_ + "/one");
}

TEST_F(Alternates, DropLoopsDuplicatesAndThemselvesSilently) {
  add("main", "../one\n../one/.\n../main\n../link\n");
  add("one", "../main\n../two\n../one\n");
  add("two", "../one\n");
  fs::create_directory_symlink("one", root_.path("link"));
  EXPECT_EQ(names(find()), "main one two ");
  EXPECT_EQ(problems(find()), "");
}

TEST_F(Alternates, SayWhatIsMissing) {
  add("main", "../gone\n/nonexistent/cache/objects\n../file\n../one\n");
  root_.write("file", "");
  add("one", "");
  const auto found = find();
  EXPECT_EQ(names(found), "main one ");
  EXPECT_EQ(problems(found),
            "unable to normalize alternate object path: /nonexistent/cache/objects\n"
            "object directory " +
                top_ +
                "/gone does not exist; "
                "check .git/objects/info/alternates\n"
                "object directory " +
                top_ +
                "/file does not exist; "
                "check .git/objects/info/alternates\n");
  EXPECT_EQ(found.problems[0].id, MessageId::kAlternateIgnored);
  EXPECT_EQ(found.problems[1].id, MessageId::kObjectDirectoryMissing);
}

TEST_F(Alternates, StopAtDepthFive) {
  add("main", "../d0\n");
  for (int i = 0; i < 7; ++i) {
    add("d" + std::to_string(i), "../d" + std::to_string(i + 1) + "\n");
  }
  add("d7", "");
  const auto found = find();
  EXPECT_EQ(names(found), "main d0 d1 d2 d3 d4 d5 ");
  EXPECT_EQ(problems(found), top_ + "/d5: ignoring alternate object stores, nesting too deep\n");
}

TEST_F(Alternates, ThatNameNoneMayLieAtAnyDepth) {
  add("main", "../d0\n");
  for (int i = 0; i < 5; ++i) {
    add("d" + std::to_string(i), "../d" + std::to_string(i + 1) + "\n");
  }
  add("d5", "");
  EXPECT_EQ(problems(find()), "");
}

TEST_F(Alternates, ThatCannotBeReadAreNamed) {
  add("main", "");
  fs::create_directories(root_.path("main/info/alternates"));
  EXPECT_EQ(problems(find()),
            "unable to access '" + top_ + "/main/info/alternates': Is a directory\n");
}

TEST(UnquoteCStyle, UndoesEveryEscape) {
  const auto text_of = [](std::string_view quoted) {
    const auto unquoted = unquote_c_style(quoted);
    return unquoted ? unquoted->text : "nothing";
  };
  EXPECT_EQ(text_of(R"("plain")"), "plain");
  EXPECT_EQ(text_of(R"("\a\b\f\n\r\t\v\\\"")"), "\a\b\f\n\r\t\v\\\"");
  EXPECT_EQ(text_of(R"("\303\244\000x")"), std::string("\xc3\xa4\0x", 4));
  EXPECT_EQ(text_of(R"("\377")"), "\xff");
  for (const char* bad : {"", "plain", "\"open", R"("\q")", R"("\400")", R"("\18")", R"("\1")",
                          R"("\)", R"("\30")"}) {
    EXPECT_EQ(text_of(bad), "nothing") << bad;
  }
  EXPECT_EQ(unquote_c_style(R"("ab"rest)")->consumed, 4U);
}

}  // namespace
}  // namespace assay
