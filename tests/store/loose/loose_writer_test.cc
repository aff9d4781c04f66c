#include "store/loose/loose_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>
#include <random>
#include <set>
#include <thread>

#include "tests/support/failing_system.h"
#include "tests/support/loose_files.h"

namespace assay {
namespace {

using Outcome = LooseWriter::Outcome;
using testing::id_of;
using testing::with_header;

class LooseWriterTest : public ::testing::Test {
 protected:
  LooseWriterTest() { std::filesystem::create_directory(objects_); }

  std::unique_ptr<LooseWriter> writer(const LooseWriteOptions& options = {}) {
    auto opened = LooseWriter::open(system_, objects_, "O", HashKind::kSha1, options);
    EXPECT_TRUE(opened.has_value());
    return opened ? std::move(*opened) : nullptr;
  }
  Result<Outcome> write(LooseWriter& writer, std::string_view content) {
    return writer.write(id_of(with_header("blob", content)), ObjectType::kBlob, as_bytes(content));
  }
  // Every file below objects/, by name.
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(objects_)) {
      if (!entry.is_directory()) {
        names.insert(std::filesystem::relative(entry.path(), objects_).string());
      }
    }
    return names;
  }
  static std::string name_of(std::string_view content) {
    return loose_file_path(id_of(with_header("blob", content)));
  }
  // Returns: the content of the blob as a reader finds it, or the fault's text.
  std::string read_back(const ObjectId& id) {
    LooseReader reader(os::System::real());
    LoosePlace place;
    place.name = objects_ + "/" + loose_file_path(id);
    place.path = "P";
    place.id = id;
    const auto object = read_loose_object(reader, place, std::uint64_t{1} << 30);
    return object ? std::string(as_text(*object->content)) : object.error().text;
  }
  std::string read_back(std::string_view content) {
    return read_back(id_of(with_header("blob", content)));
  }
  void make_unnamed_files_impossible() {
    system_.before_open([](const std::string&, int flags) {
      return (flags & O_TMPFILE) == O_TMPFILE ? EOPNOTSUPP : 0;
    });
  }

  testing::TemporaryDirectory root_;
  const std::string objects_ = root_.path("objects");
  testing::FailingSystem system_;
};

// All the ways to write: unnamed or named temporaries, links or renames, levels of sync.
struct Way {
  const char* name;
  bool unnamed;
  bool use_rename;
  LooseSync sync;
};

class LooseWriterWays : public LooseWriterTest, public ::testing::WithParamInterface<Way> {
 protected:
  std::unique_ptr<LooseWriter> this_writer() {
    if (!GetParam().unnamed) make_unnamed_files_impossible();
    LooseWriteOptions options;
    options.use_rename = GetParam().use_rename;
    options.sync = GetParam().sync;
    return writer(options);
  }
};

INSTANTIATE_TEST_SUITE_P(All, LooseWriterWays,
                         ::testing::Values(Way{"unnamed", true, false, LooseSync::kNone},
                                           Way{"link", false, false, LooseSync::kNone},
                                           Way{"rename", false, true, LooseSync::kNone},
                                           Way{"unnamed_writeout", true, false,
                                               LooseSync::kWriteout},
                                           Way{"unnamed_batch", true, false, LooseSync::kBatch},
                                           Way{"unnamed_full", true, false, LooseSync::kFull},
                                           Way{"link_batch", false, false, LooseSync::kBatch},
                                           Way{"link_full", false, false, LooseSync::kFull}),
                         [](const auto& way) { return std::string(way.param.name); });

TEST_P(LooseWriterWays, WritesReadableObjectsAndNothingElse) {
  const auto writer = this_writer();
  std::mt19937 random(1);
  std::map<std::string, std::string> written;
  for (const std::size_t size : {0, 1, 30, 1000, 100000, 5 << 20}) {
    std::string content(size, '\0');
    for (char& c : content) c = static_cast<char>(random() % 40);
    const auto outcome = write(*writer, content);
    ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
    EXPECT_EQ(Outcome::kWritten, *outcome);
    written[name_of(content)] = content;
  }
  ASSERT_TRUE(writer->flush().has_value());
  std::set<std::string> names;
  for (const auto& [name, content] : written) {
    names.insert(name);
    EXPECT_EQ(content, read_back(content));
  }
  EXPECT_EQ(names, files());
}

TEST_P(LooseWriterWays, StreamsObjectsOfUnknownName) {
  const auto writer = this_writer();
  std::string content;
  for (int i = 0; i < 100000; ++i) content += std::to_string(i);
  ASSERT_TRUE(writer->begin(ObjectType::kBlob, content.size()).has_value());
  for (std::size_t at = 0; at < content.size(); at += 7777) {
    ASSERT_TRUE(writer->append(as_bytes(std::string_view(content).substr(at, 7777))).has_value());
  }
  const auto name = writer->end();
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(id_of(with_header("blob", content)), name->id);
  // At most the temporary file is there.
  for (const std::string& file : files()) EXPECT_TRUE(file.starts_with("tmp_obj_")) << file;
  const auto outcome = writer->publish();
  ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
  EXPECT_EQ(Outcome::kWritten, *outcome);
  ASSERT_TRUE(writer->flush().has_value());
  EXPECT_EQ(content, read_back(content));
  EXPECT_EQ(std::set<std::string>{name_of(content)}, files());
}

TEST_P(LooseWriterWays, AbandonedStreamsLeaveNothing) {
  {
    const auto writer = this_writer();
    ASSERT_TRUE(writer->begin(ObjectType::kBlob, 10).has_value());
    ASSERT_TRUE(writer->append(as_bytes("short")).has_value());
    const auto wrong_size = writer->end();
    ASSERT_FALSE(wrong_size.has_value());
    EXPECT_EQ("write stream object 5 != 10", wrong_size.error().text);
    ASSERT_TRUE(writer->begin(ObjectType::kBlob, 10).has_value());
    ASSERT_TRUE(write(*writer, "pending in a batch").has_value());
    writer->drop();
    ASSERT_TRUE(writer->begin(ObjectType::kBlob, 10).has_value());
  }
  const std::set<std::string> expected = GetParam().sync == LooseSync::kBatch
                                             ? std::set<std::string>{}
                                             : std::set<std::string>{name_of("pending in a batch")};
  EXPECT_EQ(expected, files());
}

TEST_P(LooseWriterWays, SoundCopiesAreFreshened) {
  const auto writer = this_writer();
  ASSERT_TRUE(write(*writer, "content").has_value());
  ASSERT_TRUE(writer->flush().has_value());
  const std::string path = objects_ + "/" + name_of("content");
  const auto before = std::filesystem::last_write_time(path) - std::chrono::hours(24);
  std::filesystem::last_write_time(path, before);
  const auto inode = os::System::real().status_at(os::kCurrentDirectory, path, false)->inode;
  const auto again = write(*writer, "content");
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(Outcome::kExisted, *again);
  EXPECT_LT(before + std::chrono::hours(12), std::filesystem::last_write_time(path));
  EXPECT_EQ(inode, os::System::real().status_at(os::kCurrentDirectory, path, false)->inode);
}

TEST_P(LooseWriterWays, UnsoundCopiesAreReplaced) {
  const auto writer = this_writer();
  const std::string text = with_header("blob", "content");
  std::string bad_checksum = testing::deflated(text);
  bad_checksum.back() ^= 1;
  const std::string copies[] = {
      "",
      std::string(100, '\0'),
      testing::deflated(text).substr(0, 8),
      testing::deflated(text) + "x",
      bad_checksum,
      testing::deflated(with_header("blob", "other content")),
      testing::deflated(with_header("tree", "content")),
  };
  for (const std::string& copy : copies) {
    testing::put_file(root_, id_of(text), copy);
    const auto outcome = write(*writer, "content");
    ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
    EXPECT_EQ(Outcome::kReplaced, *outcome);
    ASSERT_TRUE(writer->flush().has_value());
    EXPECT_EQ("content", read_back("content"));
    EXPECT_EQ(std::set<std::string>{name_of("content")}, files());
  }
}

TEST_P(LooseWriterWays, SpecialFilesInThePlaceAreReplaced) {
  const auto writer = this_writer();
  const std::string path = objects_ + "/" + name_of("content");
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  ASSERT_EQ(0, mkfifo(path.c_str(), 0600));
  ASSERT_TRUE(write(*writer, "content").has_value());
  ASSERT_TRUE(writer->flush().has_value());
  EXPECT_EQ("content", read_back("content"));
  std::filesystem::remove(path);
  std::filesystem::create_symlink("/dev/null", path);
  ASSERT_TRUE(write(*writer, "content").has_value());
  ASSERT_TRUE(writer->flush().has_value());
  EXPECT_EQ("content", read_back("content"));
}

TEST_P(LooseWriterWays, VanishingFanoutDirectoriesAreMadeAgain) {
  const auto writer = this_writer();
  // A gc removes the empty directory every time before the file gets its name.
  int removed = 0;
  system_.before_each([&](const std::string& name) {
    if (removed < 50 && (name == "link_descriptor" || name == "link" || name == "rename")) {
      const std::string fanout = objects_ + "/" + name_of("content").substr(0, 2);
      std::error_code ignored;
      if (std::filesystem::remove(fanout, ignored)) ++removed;
    }
  });
  const auto outcome = write(*writer, "content");
  ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
  ASSERT_TRUE(writer->flush().has_value());
  EXPECT_EQ(50, removed);
  EXPECT_EQ("content", read_back("content"));
}

TEST_P(LooseWriterWays, ShortWritesChangeNothing) {
  const auto writer = this_writer();
  system_.limit_writes(1);
  ASSERT_TRUE(write(*writer, "some content, written byte by byte").has_value());
  ASSERT_TRUE(writer->flush().has_value());
  EXPECT_EQ("some content, written byte by byte", read_back("some content, written byte by byte"));
}

// Each call of the operating system fails in turn, in each of the ways: there is never a bad
// object, never a leftover, never a false claim; the next try succeeds.
TEST_P(LooseWriterWays, EveryCallMayFail) {
  const std::string small = "small content";
  const std::string bad_copy = "here lies a copy that nobody can read";
  std::mt19937 random(3);
  std::string streamed(150000, '\0');  // more than one piece of deflated bytes
  for (char& c : streamed) c = static_cast<char>(random());
  const std::string all[] = {small, bad_copy, streamed};
  const auto write_one = [&](LooseWriter& writer, const std::string& content) -> Result<Outcome> {
    if (content != streamed) return write(writer, content);
    if (auto begun = writer.begin(ObjectType::kBlob, content.size()); !begun) {
      return tl::unexpected(begun.error());
    }
    if (auto added = writer.append(as_bytes(content)); !added) return tl::unexpected(added.error());
    if (auto name = writer.end(); !name) return tl::unexpected(name.error());
    return writer.publish();
  };
  for (const int code : {EIO, ENOSPC, EMFILE, EACCES, EINTR}) {
    for (int call = 0;; ++call) {
      std::filesystem::remove_all(objects_);
      std::filesystem::create_directory(objects_);
      testing::put_file(root_, id_of(with_header("blob", bad_copy)), "");
      const auto writer = this_writer();
      ASSERT_NE(nullptr, writer);
      system_.fail_call(call, code);
      std::set<std::string> claimed;
      for (const std::string& content : all) {
        const auto outcome = write_one(*writer, content);
        if (outcome) {
          claimed.insert(content);
        } else {
          EXPECT_EQ(MessageId::kIoError, outcome.error().id);
        }
      }
      const auto flushed = writer->flush();
      const std::string failed = system_.failed();
      system_.fail_call(-1, 0);
      SCOPED_TRACE(failed + " fails with " + std::to_string(code));
      std::set<std::string> allowed{name_of(bad_copy)};
      if (flushed) {
        for (const std::string& content : claimed) EXPECT_EQ(content, read_back(content));
      }
      for (const std::string& content : {small, streamed}) {
        const std::string found = read_back(content);
        if (found == content) {
          allowed.insert(name_of(content));
        } else {
          EXPECT_EQ("unable to mmap P: No such file or directory", found);
        }
      }
      // The one leftover that cannot be avoided: the name of a named temporary, when removing it
      // is what fails. git's prune knows such names.
      std::set<std::string> left = files();
      if (failed == "remove") {
        std::erase_if(left, [](const std::string& name) { return name.starts_with("tmp_obj_"); });
      }
      EXPECT_TRUE(std::includes(allowed.begin(), allowed.end(), left.begin(), left.end()));
      for (const std::string& content : all) {
        ASSERT_TRUE(write_one(*writer, content).has_value());
      }
      ASSERT_TRUE(writer->flush().has_value());
      for (const std::string& content : all) EXPECT_EQ(content, read_back(content));
      if (failed.empty()) break;  // no call was left to fail
      ASSERT_LT(call, 200);
    }
  }
}

TEST_F(LooseWriterTest, AFullDiskIsSaidClearly) {
  const auto writer = this->writer();
  system_.fail_all("write", ENOSPC);
  const auto outcome = write(*writer, "content");
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ("unable to write loose object file: No space left on device", outcome.error().text);
  EXPECT_TRUE(files().empty());
}

TEST_F(LooseWriterTest, SyncsWhatTheLevelDemands) {
  const auto calls_of = [&](LooseSync sync) {
    std::filesystem::remove_all(objects_);
    std::filesystem::create_directory(objects_);
    LooseWriteOptions options;
    options.sync = sync;
    const auto writer = this->writer(options);
    std::map<std::string, int> calls;
    system_.before_each([&](const std::string& name) { ++calls[name]; });
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(write(*writer, std::to_string(i)).has_value());
    EXPECT_TRUE(writer->flush().has_value());
    system_.before_each({});
    return calls;
  };
  const auto none = calls_of(LooseSync::kNone);
  EXPECT_FALSE(none.contains("sync"));
  EXPECT_FALSE(none.contains("sync_data_range"));
  auto writeout = calls_of(LooseSync::kWriteout);
  EXPECT_EQ(10, writeout["sync_data_range"]);
  EXPECT_EQ(0, writeout["sync"]);
  // Ten files, ten fan-out directories, ten times the objects directory that got a new entry.
  auto full = calls_of(LooseSync::kFull);
  EXPECT_EQ(30, full["sync"]);
  auto batch = calls_of(LooseSync::kBatch);
  EXPECT_EQ(10, batch["sync_data_range"]);
  EXPECT_EQ(1 + 10 + 10, batch["sync"]);
}

TEST_F(LooseWriterTest, WithBatchNothingIsVisibleBeforeTheFlush) {
  LooseWriteOptions options;
  options.sync = LooseSync::kBatch;
  const auto writer = this->writer(options);
  ASSERT_TRUE(write(*writer, "one").has_value());
  ASSERT_TRUE(write(*writer, "two").has_value());
  EXPECT_TRUE(files().empty());
  ASSERT_TRUE(writer->flush().has_value());
  EXPECT_EQ(2U, files().size());
}

TEST_F(LooseWriterTest, ModesFollowUmaskAndSharing) {
  const mode_t old_mask = umask(027);
  struct Case {
    unsigned shared_mode;
    bool exact;
    unsigned file;
    unsigned directory;
  };
  // As git 2.55 makes them with this umask and core.sharedRepository false, group, all, 0640.
  const Case cases[] = {{0, false, 0440, 0750},
                        {0660, false, 0440, 02770},
                        {0664, false, 0444, 02775},
                        {0640, true, 0440, 02750}};
  for (const Case& c : cases) {
    std::filesystem::remove_all(objects_);
    std::filesystem::create_directory(objects_);
    LooseWriteOptions options;
    options.shared_mode = c.shared_mode;
    options.exact_mode = c.exact;
    ASSERT_TRUE(write(*writer(options), "content").has_value());
    struct stat status;
    const std::string path = objects_ + "/" + name_of("content");
    ASSERT_EQ(0, stat(path.c_str(), &status));
    EXPECT_EQ(c.file, status.st_mode & 07777) << c.shared_mode;
    ASSERT_EQ(0, stat(std::filesystem::path(path).parent_path().c_str(), &status));
    EXPECT_EQ(c.directory, status.st_mode & 07777) << c.shared_mode;
  }
  umask(old_mask);
}

TEST_F(LooseWriterTest, CompressionLevelsAreUsed) {
  std::string content;
  for (int i = 0; i < 5000; ++i) content += "line " + std::to_string(i * i) + "\n";
  std::map<int, std::uintmax_t> sizes;
  for (const int level : {-1, 0, 1, 9}) {
    std::filesystem::remove_all(objects_);
    std::filesystem::create_directory(objects_);
    LooseWriteOptions options;
    options.compression = level;
    ASSERT_TRUE(write(*writer(options), content).has_value());
    EXPECT_EQ(content, read_back(content));
    sizes[level] = std::filesystem::file_size(objects_ + "/" + name_of(content));
  }
  EXPECT_LT(content.size(), sizes[0]);
  EXPECT_LT(sizes[1], sizes[0] / 2);
  EXPECT_LT(sizes[9], sizes[1]);
  EXPECT_LT(sizes[-1], sizes[1]);
}

TEST_F(LooseWriterTest, WritersSideBySideMakeEachObjectOnce) {
  constexpr int kObjects = 200;
  std::atomic<int> faults{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      auto opened = LooseWriter::open(os::System::real(), objects_, "O", HashKind::kSha1, {});
      for (int i = 0; i < kObjects; ++i) {
        if (!write(**opened, "object " + std::to_string(i))) ++faults;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(0, faults);
  EXPECT_EQ(kObjects, static_cast<int>(files().size()));
  for (int i = 0; i < kObjects; ++i) {
    const std::string content = "object " + std::to_string(i);
    EXPECT_EQ(content, read_back(content));
  }
}

TEST_F(LooseWriterTest, MissingDirectoryIsAFault) {
  const auto opened = LooseWriter::open(system_, root_.path("nowhere"), "O", HashKind::kSha1, {});
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ("unable to open O: No such file or directory", opened.error().text);
}

}  // namespace
}  // namespace assay
