#include "tools/sha1sum/file_digests.h"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "sha1/batch.h"

namespace assay::tools {
namespace {

// A file up to this is held in memory and hashed in a lane; a larger one is hashed alone, as it is
// read.
constexpr std::size_t kHeldSize = std::size_t{256} << 10;
constexpr std::size_t kFewestRead = 4096;
// The lanes are emptied when so much waits in them.
constexpr std::uint64_t kMostHeldBytes = std::uint64_t{4} << 20;
constexpr std::size_t kMostHeldFiles = 512;
// A worker takes so many files at a time.
constexpr std::size_t kMostTaken = 32;

using Done = std::vector<std::atomic<bool>>;

// One a thread.
class Digester {
 public:
  Digester(os::System& system, int in, std::span<DigestTask> tasks, Done& done)
      : system_(system), in_(in), tasks_(tasks), done_(done) {}

  void digest(std::size_t index) {
    DigestTask& task = tasks_[index];
    if (task.path == "-") {
      task.opened = true;
      return read(in_, index);
    }
    const auto file = system_.open(os::kCurrentDirectory, task.path, O_RDONLY | O_NOCTTY);
    if (!file) return fail(index, file.error().code);
    task.opened = true;
    read(file->get(), index);
  }

  // Ends what is in the lanes.
  void settle() {
    batch_.finish();
    collect();
  }

 private:
  struct Held : sha1::Job {
    std::size_t index = 0;
    std::vector<std::uint8_t> content;  // grows only
  };

  void fail(std::size_t index, int error) {
    tasks_[index].error = error;
    done_[index].store(true, std::memory_order_release);
  }

  void read(int fd, std::size_t index) {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Held>());
      free_.push_back(all_.back().get());
    }
    Held* held = free_.back();
    // One byte more than the file has: an end that is reached before the buffer is full is the end.
    std::size_t room = kHeldSize;
    const auto status = system_.status(fd);
    if (status && status->kind == os::FileKind::kRegular && status->size < kHeldSize) {
      room = std::max(static_cast<std::size_t>(status->size) + 1, kFewestRead);
    }
    if (held->content.size() < room) held->content.resize(room);
    const auto size = fill(fd, std::span(held->content).first(room));
    if (!size) return fail(index, size.error().code);
    if (*size == room) {
      settle();  // what stands before a large file need not wait for it
      return read_on(fd, index, held->content, room);
    }
    free_.pop_back();
    held->index = index;
    held->body = held->content.data();
    held->body_size = *size;
    batch_.submit(held);
    collect();
    if (batch_.pending_bytes() >= kMostHeldBytes || batch_.pending() >= kMostHeldFiles) settle();
  }

  // Reads until the buffer is full or the file ends.
  os::OsResult<std::size_t> fill(int fd, std::span<std::uint8_t> buffer) {
    std::size_t filled = 0;
    while (filled < buffer.size()) {
      const auto size = system_.read(fd, buffer.data() + filled, buffer.size() - filled);
      if (!size) return size;
      if (*size == 0) break;
      filled += *size;
    }
    return filled;
  }

  // A file of which `size` bytes are read already, and there may be more.
  void read_on(int fd, std::size_t index, std::vector<std::uint8_t>& buffer, std::size_t size) {
    sha1::Hasher hasher;
    while (size > 0) {
      hasher.update(buffer.data(), size);
      if (buffer.size() < kHeldSize) buffer.resize(kHeldSize);
      const auto next = system_.read(fd, buffer.data(), buffer.size());
      if (!next) return fail(index, next.error().code);
      size = *next;
    }
    tasks_[index].result = hasher.finish();
    done_[index].store(true, std::memory_order_release);
  }

  void collect() {
    while (sha1::Job* job = batch_.poll()) {
      Held* held = static_cast<Held*>(job);
      tasks_[held->index].result = {job->digest, job->collision};
      done_[held->index].store(true, std::memory_order_release);
      free_.push_back(held);
    }
  }

  os::System& system_;
  int in_;
  std::span<DigestTask> tasks_;
  Done& done_;
  sha1::Batch batch_;
  std::vector<std::unique_ptr<Held>> all_;
  std::vector<Held*> free_;
};

}  // namespace

void digest_files(os::System& system, int in, std::span<DigestTask> tasks,
                  const std::function<void(const DigestTask&)>& ready) {
  Done done(tasks.size());
  std::size_t next_ready = 0;
  const auto report = [&] {
    while (next_ready < tasks.size() && done[next_ready].load(std::memory_order_acquire)) {
      ready(tasks[next_ready++]);
    }
  };
  Digester own(system, in, tasks, done);
  std::vector<std::size_t> files;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].path == "-") {
      own.digest(i);
    } else {
      files.push_back(i);
    }
  }
  own.settle();

  const std::size_t threads =
      std::min<std::size_t>(os::usable_cpus(), std::max<std::size_t>(1, files.size()));
  const std::size_t taken = std::clamp<std::size_t>(files.size() / (4 * threads), 1, kMostTaken);
  std::atomic<std::size_t> next{0};
  const auto work = [&](Digester& digester, const auto& after_each) {
    for (;;) {
      const std::size_t begin = next.fetch_add(taken);
      if (begin >= files.size()) break;
      const std::size_t end = std::min(begin + taken, files.size());
      for (std::size_t i = begin; i < end; ++i) {
        digester.digest(files[i]);
        after_each();
      }
    }
    digester.settle();
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) {
      others.emplace_back([&] {
        try {
          Digester digester(system, in, tasks, done);
          work(digester, [] {});
        } catch (const std::bad_alloc&) {  // must not leave its thread; its tasks stay undone
        }
      });
    }
    work(own, report);
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (done[i].exchange(true)) continue;
    tasks[i].error = ENOMEM;
  }
  report();
}

}  // namespace assay::tools
