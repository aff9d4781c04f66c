// FileHasher: names files as git objects and, with a writer, stores them.
//
// Small files are named in the lanes of a SHA-1 kernel, many at once, and written afterwards; large
// blobs are hashed and deflated in one pass in constant memory. Thread safety: one a thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sha1/batch.h"
#include "store/repository.h"

namespace assay::tools {

struct HashTask {
  std::string path;
  ObjectId id;                      // the result
  std::vector<std::string> errors;  // lines to show before the result or the fatal one
  std::string fatal;                // why there is no result; empty when there is one
};

class FileHasher {
 public:
  struct Settings {
    HashKind kind = HashKind::kSha1;
    ObjectType type = ObjectType::kBlob;
    bool check_format = true;
    const ObjectStore* store = nullptr;  // where blobs are that a tree names; null: nowhere
  };

  // `writer` may be null: then objects are only named.
  FileHasher(os::System& system, const Settings& settings, std::unique_ptr<ObjectWriter> writer);

  // Does all tasks, in any order. On return what was written is as safe as the options demand.
  void run(std::span<HashTask> tasks);

  // The content is what can be read from `fd`; task.path is only for messages.
  void run_descriptor(int fd, HashTask& task);

 private:
  struct Loaded {
    HashTask* task = nullptr;
    Bytes content;
    sha1::Job job;
  };

  void finish(std::span<HashTask> tasks);
  void load(HashTask& task);
  void load_open_file(int fd, HashTask& task);
  bool read_exactly(int fd, std::uint64_t size, HashTask& task, Bytes& content);
  void spool(int fd, Bytes begun, HashTask& task);
  void stream(int fd, std::uint64_t size, HashTask& task);
  void add(HashTask& task, Bytes content);
  void settle();
  void store(HashTask& task, const ObjectName& name, ByteView content);
  void fail(HashTask& task, std::string error) const;

  os::System& system_;
  Settings settings_;
  std::unique_ptr<ObjectWriter> writer_;
  sha1::Batch batch_;
  std::vector<Loaded> waiting_;
  std::size_t waiting_size_ = 0;
  std::vector<Bytes> spare_;  // buffers to be used again
};

}  // namespace assay::tools
