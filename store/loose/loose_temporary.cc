#include "store/loose/loose_temporary.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>

#include "store/loose/loose_directory.h"

namespace assay {
namespace {

// Loose objects are never written to again.
constexpr unsigned kFileMode = 0444;
// A gc that runs beside us removes empty fan-out directories; git tries once more and then fails.
constexpr int kMaxAttempts = 100;

// Returns: the permission bits after core.sharedRepository.
unsigned shared_bits(const LooseWriteOptions& options, unsigned mode, bool directory) {
  unsigned added = options.shared_mode;
  if ((mode & 0200) == 0) added &= ~0222U;
  if ((mode & 0100) != 0) added |= (added & 0444) >> 2;
  unsigned bits = options.exact_mode ? (mode & ~0777U) | added : mode | added;
  if (directory) {
    bits |= (bits & 0444) >> 2;             // who may read may also enter
    if ((bits & 0060) != 0) bits |= 02000;  // new files belong to the group of the directory
  }
  return bits;
}

// Returns: "tmp_obj_" and six letters that differ from call to call.
std::string temporary_name(const void* salt, int attempt) {
  static constexpr char kLetters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  auto bits =
      static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  bits += reinterpret_cast<std::uintptr_t>(salt) + static_cast<std::uint64_t>(attempt);
  // The finalizer of splitmix64 (Steele, Lea, Flood 2014) spreads the bits.
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  bits ^= bits >> 31;
  std::string name = "tmp_obj_";
  for (int i = 0; i < 6; ++i) {
    name += kLetters[bits % 62];
    bits /= 62;
  }
  return name;
}

// Whether the file system or the kernel cannot do what it was asked for.
bool means_unsupported(int code) {
  return code == EOPNOTSUPP || code == EISDIR || code == EINVAL || code == ENOSYS;
}

Fault creation_fault(const std::string& shown_path, os::Error error) {
  if (error.code == EACCES || error.code == EPERM) {
    return {MessageId::kIoError,
            fmt::format("insufficient permission for adding an object to repository database {}",
                        shown_path)};
  }
  return {MessageId::kIoError, fmt::format("unable to create temporary file: {}", error.text())};
}

}  // namespace

LooseTemporary::LooseTemporary(LooseTemporary&& other) noexcept
    : system_(other.system_),
      objects_(other.objects_),
      shown_path_(std::move(other.shown_path_)),
      options_(other.options_),
      file_(std::move(other.file_)),
      name_(std::exchange(other.name_, {})) {}

LooseTemporary& LooseTemporary::operator=(LooseTemporary&& other) noexcept {
  if (this != &other) {
    discard();
    system_ = other.system_;
    objects_ = other.objects_;
    shown_path_ = std::move(other.shown_path_);
    options_ = other.options_;
    file_ = std::move(other.file_);
    name_ = std::exchange(other.name_, {});
  }
  return *this;
}

void LooseTemporary::discard() {
  file_.reset();
  // Nothing can be done when this fails; git's prune removes files of this name.
  if (!name_.empty()) (void)system_->remove(objects_, std::exchange(name_, {}));
}

Result<LooseTemporary> LooseTemporary::create(os::System& system, int objects,
                                              const std::string& shown_path,
                                              const LooseWriteOptions& options,
                                              bool allow_unnamed) {
  LooseTemporary temporary;
  temporary.system_ = &system;
  temporary.objects_ = objects;
  temporary.shown_path_ = shown_path;
  temporary.options_ = options;
  if (allow_unnamed && !options.use_rename) {
    auto file = system.open(objects, ".", O_TMPFILE | O_WRONLY, kFileMode);
    if (file) {
      temporary.file_ = std::move(*file);
      return temporary;
    }
    if (!means_unsupported(file.error().code)) {
      return tl::unexpected(creation_fault(shown_path, file.error()));
    }
  }
  for (int attempt = 0;; ++attempt) {
    std::string name = temporary_name(&temporary, attempt);
    auto file = system.open(objects, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, kFileMode);
    if (file) {
      temporary.file_ = std::move(*file);
      temporary.name_ = std::move(name);
      return temporary;
    }
    if (file.error().code != EEXIST || attempt == kMaxAttempts) {
      return tl::unexpected(creation_fault(shown_path, file.error()));
    }
  }
}

Result<void> LooseTemporary::append(ByteView deflated) {
  const auto written = os::write_all(*system_, file_.get(), deflated);
  if (!written) return failed("write loose object file", written.error());
  return {};
}

Result<void> LooseTemporary::settle(LooseSync sync) {
  if (options_.shared_mode != 0) {
    const auto status = system_->status(file_.get());
    if (!status) return failed("set permission of loose object file", status.error());
    const unsigned bits = shared_bits(options_, status->mode, false);
    if (bits != status->mode) {
      const auto changed = system_->change_mode(file_.get(), bits);
      if (!changed) return failed("set permission of loose object file", changed.error());
    }
  }
  os::OsResult<void> synced;
  if (sync == LooseSync::kWriteout || sync == LooseSync::kBatch) {
    synced = system_->sync_data_range(file_.get());
    // Not every file system can; what can always be done is more.
    if (!synced && means_unsupported(synced.error().code)) {
      synced = system_->sync(file_.get());
    }
  } else if (sync == LooseSync::kFull) {
    synced = system_->sync(file_.get());
  }
  if (!synced) return failed("sync loose object file", synced.error());
  return {};
}

Result<void> LooseTemporary::flush_device() {
  const auto synced = system_->sync(file_.get());
  if (!synced) return failed("sync loose object file", synced.error());
  return {};
}

Result<LooseTemporary::Published> LooseTemporary::publish(const ObjectId& id, Replace replace) {
  const std::string target = loose_file_path(id);
  auto published = unnamed() ? link_unnamed(target, replace) : move_named(target, replace);
  if (published && *published == Published::kNew) discard();
  return published;
}

Result<LooseTemporary::Published> LooseTemporary::link_unnamed(const std::string& target,
                                                               Replace replace) {
  if (replace == Replace::kYes) {
    // A link cannot take the place of a file, a rename can.
    if (const auto named = give_name(); !named) return tl::unexpected(named.error());
    return move_named(target, replace);
  }
  for (int attempt = 0;; ++attempt) {
    const auto linked = system_->link_descriptor(file_.get(), objects_, target);
    if (linked) return Published::kNew;
    if (linked.error().code == EEXIST) return Published::kExisted;
    if (linked.error().code != ENOENT || attempt == kMaxAttempts) {
      return failed(fmt::format("write file {}/{}", shown_path_, target), linked.error());
    }
    if (const auto made = make_fanout(target); !made) return tl::unexpected(made.error());
  }
}

// Gives an unnamed file a temporary name.
Result<void> LooseTemporary::give_name() {
  for (int attempt = 0;; ++attempt) {
    std::string name = temporary_name(this, attempt);
    const auto linked = system_->link_descriptor(file_.get(), objects_, name);
    if (linked) {
      name_ = std::move(name);
      return {};
    }
    if (linked.error().code != EEXIST || attempt == kMaxAttempts) {
      return tl::unexpected(creation_fault(shown_path_, linked.error()));
    }
  }
}

Result<LooseTemporary::Published> LooseTemporary::move_named(const std::string& target,
                                                             Replace replace) {
  bool rename = replace == Replace::kYes || options_.use_rename;
  for (int attempt = 0;; ++attempt) {
    const auto moved = rename ? system_->rename(objects_, name_, objects_, target)
                              : system_->link(objects_, name_, objects_, target);
    if (moved) {
      if (rename) name_.clear();  // the name is gone, else publish() removes it
      return Published::kNew;
    }
    const int code = moved.error().code;
    if (code == EEXIST && !rename) return Published::kExisted;
    if (code == ENOENT && attempt < kMaxAttempts) {
      if (const auto made = make_fanout(target); !made) return tl::unexpected(made.error());
    } else if (!rename && code != ENOSPC && code != EDQUOT && code != EIO && code != EROFS) {
      rename = true;  // a file system without hard links
    } else {
      return failed(fmt::format("write file {}/{}", shown_path_, target), moved.error());
    }
  }
}

Result<void> LooseTemporary::make_fanout(const std::string& target) {
  const std::string name = target.substr(0, 2);
  const auto made = system_->make_directory(objects_, name, 0777);
  if (!made && made.error().code == EEXIST) return {};
  if (!made) {
    return failed(fmt::format("create directory {}/{}", shown_path_, name), made.error());
  }
  if (options_.shared_mode != 0) {
    const auto directory =
        system_->open(objects_, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
    const auto status = directory ? system_->status(directory->get())
                                  : tl::unexpected<os::Error>(directory.error());
    const auto changed =
        status ? system_->change_mode(directory->get(), shared_bits(options_, status->mode, true))
               : tl::unexpected<os::Error>(status.error());
    // Gone again: the caller's next attempt makes it anew.
    if (!changed && changed.error().code != ENOENT) {
      return failed(fmt::format("set permission of {}/{}", shown_path_, name), changed.error());
    }
  }
  if (options_.sync == LooseSync::kFull || options_.sync == LooseSync::kBatch) {
    return sync_directory_at(*system_, objects_, shown_path_, ".");
  }
  return {};
}

Result<void> LooseTemporary::sync_directory(os::System& system, int objects,
                                            const std::string& shown_path, const ObjectId& id) {
  return sync_directory_at(system, objects, shown_path, loose_file_path(id).substr(0, 2));
}

Result<void> LooseTemporary::sync_directory_at(os::System& system, int objects,
                                               const std::string& shown_path,
                                               const std::string& name) {
  const auto directory = system.open(objects, name, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
  const auto synced =
      directory ? system.sync(directory->get()) : tl::unexpected<os::Error>(directory.error());
  // EINVAL: a file system that knows no syncing of directories.
  if (!synced && synced.error().code != EINVAL) {
    return fault(MessageId::kIoError, fmt::format("unable to sync directory {}/{}: {}", shown_path,
                                                  name, synced.error().text()));
  }
  return {};
}

tl::unexpected<Fault> LooseTemporary::failed(std::string_view doing, os::Error error) const {
  return fault(MessageId::kIoError, fmt::format("unable to {}: {}", doing, error.text()));
}

}  // namespace assay
