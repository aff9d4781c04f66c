// An operating system that fails on demand: the N-th call, all calls of a kind, short writes.
#pragma once

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string>

#include "store/os/system.h"

namespace assay::testing {

class FailingSystem : public os::System {
 public:
  // The call number `number` (from 0) fails with `code`; -1: none does.
  void fail_call(int number, int code) {
    fail_at_ = number;
    code_ = code;
    calls_ = 0;
    failed_.clear();
    failed_path_.clear();
  }
  // Every call of this name fails.
  void fail_all(std::string name, int code) {
    fail_name_ = std::move(name);
    name_code_ = code;
  }
  // Called before each call; may change the world.
  void before_each(std::function<void(const std::string& name)> hook) { hook_ = std::move(hook); }
  // Returns an error number for opens that are to fail, 0 for others.
  void before_open(std::function<int(const std::string& path, int flags)> refuse) {
    refuse_open_ = std::move(refuse);
  }
  // Writes at most this many bytes a call.
  void limit_writes(std::size_t size) { write_limit_ = size; }
  void limit_reads(std::size_t size) { read_limit_ = size; }

  int calls() const { return calls_; }
  // The name of the call that was made to fail by fail_call, empty when it was not reached.
  const std::string& failed() const { return failed_; }
  // The path it was about, for those calls that have one.
  const std::string& failed_path() const { return failed_path_; }

  os::OsResult<os::FileDescriptor> open(int directory, const std::string& path, int flags,
                                        unsigned mode) override {
    if (refuse_open_) {
      const int code = refuse_open_(path, flags);
      if (code != 0) return tl::unexpected<os::Error>(os::Error{code});
    }
    return guard<os::FileDescriptor>(
        "open", [&] { return System::open(directory, path, flags, mode); }, path);
  }
  os::OsResult<os::FileStatus> status(int fd) override {
    return guard<os::FileStatus>("status", [&] { return System::status(fd); });
  }
  os::OsResult<os::FileStatus> status_at(int directory, const std::string& path,
                                         bool follow) override {
    return guard<os::FileStatus>(
        "status_at", [&] { return System::status_at(directory, path, follow); }, path);
  }
  os::OsResult<std::size_t> read(int fd, void* buffer, std::size_t size) override {
    return guard<std::size_t>(
        "read", [&] { return System::read(fd, buffer, std::min(size, read_limit_)); });
  }
  os::OsResult<std::size_t> read_at(int fd, void* buffer, std::size_t size,
                                    std::uint64_t offset) override {
    return guard<std::size_t>("read_at", [&] { return System::read_at(fd, buffer, size, offset); });
  }
  os::OsResult<std::size_t> write(int fd, const void* buffer, std::size_t size) override {
    return guard<std::size_t>(
        "write", [&] { return System::write(fd, buffer, std::min(size, write_limit_)); });
  }
  os::OsResult<void> sync(int fd) override {
    return guard<void>("sync", [&] { return System::sync(fd); });
  }
  os::OsResult<void> sync_data_range(int fd) override {
    return guard<void>("sync_data_range", [&] { return System::sync_data_range(fd); });
  }
  os::OsResult<std::vector<os::DirectoryEntry>> list(int directory,
                                                     const std::string& path) override {
    return guard<std::vector<os::DirectoryEntry>>(
        "list", [&] { return System::list(directory, path); }, path);
  }
  os::OsResult<std::string> read_link(int directory, const std::string& path) override {
    return guard<std::string>("read_link", [&] { return System::read_link(directory, path); });
  }
  os::OsResult<const std::uint8_t*> map(int fd, std::uint64_t size) override {
    return guard<const std::uint8_t*>("map", [&] { return System::map(fd, size); });
  }
  os::OsResult<std::uint8_t*> map_new(int fd, std::uint64_t size) override {
    return guard<std::uint8_t*>("map_new", [&] { return System::map_new(fd, size); });
  }
  os::OsResult<void> make_directory(int directory, const std::string& path,
                                    unsigned mode) override {
    return guard<void>("make_directory",
                       [&] { return System::make_directory(directory, path, mode); });
  }
  os::OsResult<void> remove(int directory, const std::string& path) override {
    return guard<void>("remove", [&] { return System::remove(directory, path); });
  }
  os::OsResult<void> rename(int from_directory, const std::string& from, int to_directory,
                            const std::string& to) override {
    return guard<void>("rename",
                       [&] { return System::rename(from_directory, from, to_directory, to); });
  }
  os::OsResult<void> link(int from_directory, const std::string& from, int to_directory,
                          const std::string& to) override {
    return guard<void>("link",
                       [&] { return System::link(from_directory, from, to_directory, to); });
  }
  os::OsResult<void> link_descriptor(int fd, int to_directory, const std::string& to) override {
    return guard<void>("link_descriptor",
                       [&] { return System::link_descriptor(fd, to_directory, to); });
  }
  os::OsResult<void> change_mode(int fd, unsigned mode) override {
    return guard<void>("change_mode", [&] { return System::change_mode(fd, mode); });
  }
  os::OsResult<void> touch(int directory, const std::string& path) override {
    return guard<void>("touch", [&] { return System::touch(directory, path); });
  }

 private:
  template <typename T, typename Call>
  os::OsResult<T> guard(const std::string& name, Call call, const std::string& path = "") {
    if (hook_) hook_(name);
    const int number = calls_++;
    if (number == fail_at_) {
      failed_ = name;
      failed_path_ = path;
      return tl::unexpected<os::Error>(os::Error{code_});
    }
    if (name == fail_name_) return tl::unexpected<os::Error>(os::Error{name_code_});
    return call();
  }

  int fail_at_ = -1;
  int code_ = EIO;
  int calls_ = 0;
  std::string failed_;
  std::string failed_path_;
  std::string fail_name_;
  int name_code_ = EIO;
  std::size_t write_limit_ = ~std::size_t{0};
  std::size_t read_limit_ = ~std::size_t{0};
  std::function<void(const std::string&)> hook_;
  std::function<int(const std::string&, int)> refuse_open_;
};

}  // namespace assay::testing
