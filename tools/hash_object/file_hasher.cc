#include "tools/hash_object/file_hasher.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>

#include "store/inspect.h"
#include "tools/common/command.h"

namespace assay::tools {
namespace {

// So many files, or bytes, are named together.
constexpr std::size_t kGroupCount = 64;
constexpr std::size_t kGroupSize = std::size_t{4} << 20;
// Blobs above this are never held in memory.
constexpr std::uint64_t kStreamedAbove = std::uint64_t{16} << 20;
constexpr std::size_t kPieceSize = std::size_t{256} << 10;

}  // namespace

FileHasher::FileHasher(os::System& system, const Settings& settings,
                       std::unique_ptr<ObjectWriter> writer)
    : system_(system), settings_(settings), writer_(std::move(writer)) {}

void FileHasher::run(std::span<HashTask> tasks) {
  for (HashTask& task : tasks) {
    load(task);
    if (waiting_.size() >= kGroupCount || waiting_size_ >= kGroupSize) settle();
  }
  finish(tasks);
}

void FileHasher::run_descriptor(int fd, HashTask& task) {
  load_open_file(fd, task);
  finish({&task, 1});
}

void FileHasher::finish(std::span<HashTask> tasks) {
  settle();
  if (writer_ == nullptr) return;
  if (const auto flushed = writer_->flush(); !flushed) {
    // It is not known which of them are safe: none may be claimed.
    for (HashTask& task : tasks) fail(task, flushed.error().text);
  }
}

void FileHasher::load(HashTask& task) {
  // What the user names may well be a FIFO or a link: it is opened as git opens it.
  const auto file = system_.open(os::kCurrentDirectory, task.path, O_RDONLY);
  if (!file) {
    task.fatal = fmt::format("could not open '{}' for reading: {}", task.path, file.error().text());
    return;
  }
  load_open_file(file->get(), task);
}

void FileHasher::load_open_file(int fd, HashTask& task) {
  const auto status = system_.status(fd);
  if (!status) return fail(task, status.error().text());
  Bytes content;
  if (!spare_.empty()) {
    content = std::move(spare_.back());
    spare_.pop_back();
  }
  if (status->kind == os::FileKind::kRegular) {
    if (settings_.type == ObjectType::kBlob && status->size > kStreamedAbove) {
      return stream(fd, status->size, task);
    }
    if (read_exactly(fd, status->size, task, content)) add(task, std::move(content));
    return;
  }
  // A pipe: its size is known at its end.
  std::size_t filled = 0;
  content.resize(kPieceSize);
  for (;;) {
    if (filled == content.size()) {
      if (settings_.type == ObjectType::kBlob && filled > kStreamedAbove) {
        return spool(fd, std::move(content), task);
      }
      content.resize(2 * content.size());
    }
    const auto size = system_.read(fd, content.data() + filled, content.size() - filled);
    if (!size) return fail(task, "");
    if (*size == 0) break;
    filled += *size;
  }
  content.resize(filled);
  add(task, std::move(content));
}

bool FileHasher::read_exactly(int fd, std::uint64_t size, HashTask& task, Bytes& content) {
  content.resize(static_cast<std::size_t>(size));
  for (std::size_t filled = 0; filled < content.size();) {
    const auto read = system_.read(fd, content.data() + filled, content.size() - filled);
    if (!read || *read == 0) {
      fail(task,
           read ? fmt::format("short read while indexing {}", task.path)
                : fmt::format("read error while indexing {}: {}", task.path, read.error().text()));
      return false;
    }
    filled += *read;
  }
  return true;
}

// A pipe with more than may be held: its size stands before its content in the object, so it goes
// through an unnamed temporary file.
void FileHasher::spool(int fd, Bytes begun, HashTask& task) {
  const auto file =
      system_.open(os::kCurrentDirectory, temporary_directory(), O_TMPFILE | O_RDWR, 0600);
  if (!file) return fail(task, "unable to create temporary file: " + file.error().text());
  std::uint64_t total = 0;
  std::size_t size = begun.size();
  while (size > 0) {
    const auto written = os::write_all(system_, file->get(), ByteView(begun).first(size));
    if (!written) return fail(task, "unable to write temporary file: " + written.error().text());
    total += size;
    const auto read = system_.read(fd, begun.data(), begun.size());
    if (!read) return fail(task, "");
    size = *read;
  }
  // The path under /proc opens the same file again, at its beginning.
  const auto again =
      system_.open(os::kCurrentDirectory, "/proc/self/fd/" + std::to_string(file->get()), O_RDONLY);
  if (!again) return fail(task, "unable to read temporary file: " + again.error().text());
  stream(again->get(), total, task);
}

void FileHasher::stream(int fd, std::uint64_t size, HashTask& task) {
  Bytes piece(kPieceSize);
  ObjectHasher hasher(settings_.kind);
  hasher.update(ObjectHeaderText(settings_.type, size).bytes());
  if (writer_ != nullptr) {
    if (auto begun = writer_->begin(settings_.type, size); !begun) {
      return fail(task, begun.error().text);
    }
  }
  for (std::uint64_t left = size; left > 0;) {
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), left));
    const auto read = system_.read(fd, piece.data(), wanted);
    if (!read || *read == 0) {
      return fail(task, read ? fmt::format("short read while indexing {}", task.path)
                             : fmt::format("read error while indexing {}: {}", task.path,
                                           read.error().text()));
    }
    left -= *read;
    const ByteView bytes = ByteView(piece).first(*read);
    if (writer_ == nullptr) {
      hasher.update(bytes);
    } else if (auto added = writer_->append(bytes); !added) {
      return fail(task, added.error().text);
    }
  }
  if (writer_ == nullptr) {
    store(task, hasher.finish(), {});
    return;
  }
  const auto id = writer_->end();
  if (!id) return fail(task, id.error().text);
  task.id = *id;
}

void FileHasher::add(HashTask& task, Bytes content) {
  if (settings_.check_format && settings_.type != ObjectType::kBlob) {
    FormatCheck check =
        check_object_format(settings_.type, content, settings_.kind, settings_.store);
    if (!check.errors.empty()) {
      task.errors = std::move(check.errors);
      task.fatal = "refusing to create malformed object";
      return;
    }
    task.errors = std::move(check.notes);
  }
  waiting_size_ += content.size();
  waiting_.push_back({&task, std::move(content), {}});
}

// Names and stores everything that waits.
void FileHasher::settle() {
  // One message fills no lanes, and SHA-256 has none.
  if (settings_.kind == HashKind::kSha1 && waiting_.size() > 1) {
    for (Loaded& loaded : waiting_) {
      const ObjectHeaderText header(settings_.type, loaded.content.size());
      std::copy(header.bytes().begin(), header.bytes().end(), loaded.job.header.begin());
      loaded.job.header_size = static_cast<std::uint8_t>(header.bytes().size());
      loaded.job.body = loaded.content.data();
      loaded.job.body_size = loaded.content.size();
      batch_.submit(&loaded.job);
    }
    batch_.finish();
    while (batch_.poll() != nullptr) {
    }
    for (Loaded& loaded : waiting_) {
      const ObjectName name{ObjectId::from_raw(loaded.job.digest.data(), HashKind::kSha1),
                            loaded.job.collision};
      store(*loaded.task, name, loaded.content);
    }
  } else {
    for (Loaded& loaded : waiting_) {
      store(*loaded.task, name_object(settings_.type, loaded.content, settings_.kind),
            loaded.content);
    }
  }
  for (Loaded& loaded : waiting_) {
    if (loaded.content.capacity() <= kPieceSize) spare_.push_back(std::move(loaded.content));
  }
  waiting_.clear();
  waiting_size_ = 0;
}

void FileHasher::store(HashTask& task, const ObjectName& name, ByteView content) {
  if (name.collision) {
    task.fatal = fmt::format("SHA-1 appears to be part of a collision attack: {}", name.id.hex());
    return;
  }
  task.id = name.id;
  if (writer_ == nullptr) return;
  const auto written = writer_->write(name.id, settings_.type, content);
  if (!written) fail(task, written.error().text);
}

void FileHasher::fail(HashTask& task, std::string error) const {
  if (!error.empty()) task.errors.push_back(std::move(error));
  task.fatal = writer_ != nullptr ? fmt::format("Unable to add {} to database", task.path)
                                  : fmt::format("Unable to hash {}", task.path);
}

}  // namespace assay::tools
