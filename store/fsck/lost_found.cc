#include "store/fsck/lost_found.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "store/odb/object_database.h"

namespace assay {
namespace {

constexpr unsigned kDirectoryMode = 0777;  // less what the umask takes
constexpr unsigned kFileMode = 0666;

class LostFound {
 public:
  LostFound(const Repository& repository, const Storage& storage)
      : system_(repository.system()),
        shown_(repository.shown_path(repository.git_dir() + "/lost-found")),
        database_(system_, storage.directories(), storage.kind()),
        reader_(database_) {}

  // Errors: "could not create lost-found" as git says, with the reason.
  Result<void> open(const std::string& git_dir);
  Result<void> write(const ObjectId& id, ObjectType type);

 private:
  Result<os::FileDescriptor> enter(int parent, const std::string& name);
  Result<void> fill(int fd, const ObjectId& id, ObjectType type, const std::string& shown);

  os::System& system_;
  std::string shown_;
  ObjectDatabase database_;
  ObjectReader reader_;
  os::FileDescriptor commits_;
  os::FileDescriptor others_;
};

Result<os::FileDescriptor> LostFound::enter(int parent, const std::string& name) {
  const auto made = system_.make_directory(parent, name, kDirectoryMode);
  if (!made && made.error().code != EEXIST) {
    return fault(MessageId::kLostFoundFailed,
                 fmt::format("could not create lost-found: {}", made.error().text()));
  }
  auto directory = system_.open(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) {
    return fault(MessageId::kLostFoundFailed,
                 fmt::format("could not create lost-found: {}", directory.error().text()));
  }
  return std::move(*directory);
}

Result<void> LostFound::open(const std::string& git_dir) {
  const auto top = system_.open(os::kCurrentDirectory, git_dir, O_RDONLY | O_DIRECTORY);
  if (!top) {
    return fault(MessageId::kLostFoundFailed,
                 fmt::format("could not create lost-found: {}", top.error().text()));
  }
  const auto directory = enter(top->get(), "lost-found");
  if (!directory) return tl::unexpected(directory.error());
  auto commits = enter(directory->get(), "commit");
  if (!commits) return tl::unexpected(commits.error());
  auto others = enter(directory->get(), "other");
  if (!others) return tl::unexpected(others.error());
  commits_ = std::move(*commits);
  others_ = std::move(*others);
  return {};
}

Result<void> LostFound::fill(int fd, const ObjectId& id, ObjectType type,
                             const std::string& shown) {
  const auto failed = [&](const os::Error& error) {
    return fault(MessageId::kLostFoundFailed,
                 fmt::format("could not write '{}': {}", shown, error.text()));
  };
  if (type != ObjectType::kBlob) {
    const std::string line = id.hex() + "\n";
    const auto written = os::write_all(system_, fd, as_bytes(line));
    if (!written) return failed(written.error());
    return {};
  }
  os::OsResult<void> written;
  const auto streamed = reader_.stream(
      id, [](ObjectType, std::uint64_t) {},
      [&](ByteView piece) {
        if (written) written = os::write_all(system_, fd, piece);
      });
  if (!written) return failed(written.error());
  if (!streamed) {
    return fault(MessageId::kLostFoundFailed,
                 fmt::format("could not write '{}': {}", shown, streamed.error().text));
  }
  return {};
}

Result<void> LostFound::write(const ObjectId& id, ObjectType type) {
  const bool commit = type == ObjectType::kCommit;
  const int directory = commit ? commits_.get() : others_.get();
  const std::string name = id.hex();
  const std::string shown = fmt::format("{}/{}/{}", shown_, commit ? "commit" : "other", name);
  const std::string temporary = name + ".tmp";
  const auto failed = [&](const os::Error& error) {
    return fault(MessageId::kLostFoundFailed,
                 fmt::format("could not write '{}': {}", shown, error.text()));
  };
  // What an earlier run left when it was killed.
  (void)system_.remove(directory, temporary);
  auto file =
      system_.open(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, kFileMode);
  if (!file) return failed(file.error());
  auto filled = fill(file->get(), id, type, shown);
  file->reset();
  if (filled) {
    const auto renamed = system_.rename(directory, temporary, directory, name);
    if (renamed) return {};
    filled = failed(renamed.error());
  }
  (void)system_.remove(directory, temporary);
  return filled;
}

}  // namespace

std::vector<Fault> write_lost_found(const Repository& repository, const Storage& storage,
                                    const LinkLedger& ledger,
                                    const std::vector<std::uint32_t>& dangling) {
  std::vector<Fault> faults;
  if (dangling.empty()) return faults;
  LostFound files(repository, storage);
  if (auto opened = files.open(repository.git_dir()); !opened) {
    faults.push_back(std::move(opened.error()));
    return faults;
  }
  for (const std::uint32_t number : dangling) {
    auto written = files.write(storage.table().id(number), ledger.present_type(number));
    if (!written) faults.push_back(std::move(written.error()));
  }
  return faults;
}

}  // namespace assay
