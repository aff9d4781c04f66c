#include "store/repository/layout.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>

#include "store/base/object_id.h"
#include "store/os/follow_file.h"

namespace assay {
namespace {

constexpr std::uint64_t kMaxGitFileSize = std::uint64_t{1} << 20;  // as git, bytes
constexpr std::string_view kGitFilePrefix = "gitdir: ";

tl::unexpected<Fault> dies(std::string text) {
  return fault(MessageId::kConfigBad, std::move(text));
}

bool is_directory(os::System& system, const std::string& path) {
  const auto status = system.status_at(os::kCurrentDirectory, path, true);
  return status && status->kind == os::FileKind::kDirectory;
}

bool exists(os::System& system, const std::string& path) {
  return system.status_at(os::kCurrentDirectory, path, true).has_value();
}

// The first bytes of a file, which may be longer; nothing when it cannot be read.
std::optional<std::string> read_start(os::System& system, const std::string& path,
                                      std::size_t size) {
  auto fd = system.open(os::kCurrentDirectory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return std::nullopt;
  const auto status = system.status(fd->get());
  if (!status || status->kind != os::FileKind::kRegular) return std::nullopt;
  std::string text(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const auto got = system.read(fd->get(), text.data() + filled, size - filled);
    if (!got) return std::nullopt;
    if (*got == 0) break;
    filled += *got;
  }
  text.resize(filled);
  return text;
}

// A HEAD that git accepts: a link into refs/, "ref: refs/...", or an id of either hash.
bool is_valid_head(os::System& system, const std::string& path) {
  const auto status = system.status_at(os::kCurrentDirectory, path, false);
  if (!status) return false;
  if (status->kind == os::FileKind::kSymlink) {
    const auto target = system.read_link(os::kCurrentDirectory, path);
    return target && target->starts_with("refs/");
  }
  const auto text = read_start(system, path, 255);
  if (!text) return false;
  if (text->starts_with("ref:")) {
    const auto name = text->find_first_not_of(" \t\n\r\v\f", 4);
    return name != std::string::npos && std::string_view(*text).substr(name).starts_with("refs/");
  }
  for (const HashKind kind : {HashKind::kSha1, HashKind::kSha256}) {
    if (text->size() >= id_hex_size(kind) &&
        ObjectId::from_hex(std::string_view(*text).substr(0, id_hex_size(kind)), kind)) {
      return true;
    }
  }
  return false;
}

// Returns: where refs and objects lie for this git directory.
// Errors: a `commondir` file that cannot be read.
Result<std::string> common_dir_of(os::System& system, const std::string& git_dir,
                                  const Environment& environment) {
  if (auto from_environment = environment.get("GIT_COMMON_DIR")) return *from_environment;
  const std::string file = git_dir + "/commondir";
  if (!exists(system, file)) return git_dir;
  const auto bytes = os::read_followed_file(system, file, kMaxGitFileSize);
  if (!bytes) return dies(fmt::format("failed to read {}: {}", file, bytes.error().text()));
  std::string text(as_text(*bytes));
  text.resize(std::min(text.size(), text.find('\0')));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (text.empty()) return dies(fmt::format("failed to read {}: it is empty", file));
  const std::string path = joined_path(git_dir, text);
  const auto real = os::real_path(system, path);
  return real.value_or(path);
}

bool has_stores(os::System& system, const std::string& common_dir, const Environment& environment) {
  const auto objects = environment.get("GIT_OBJECT_DIRECTORY");
  return is_directory(system, objects.value_or(common_dir + "/objects")) &&
         is_directory(system, common_dir + "/refs");
}

// A git directory in all but its HEAD, which is damaged or gone.
bool is_beheaded(os::System& system, const std::string& path, const Environment& environment,
                 bool head_must_exist) {
  const auto head = system.status_at(os::kCurrentDirectory, path + "/HEAD", false);
  if (!head && (head_must_exist || !os::is_missing(head.error()))) return false;
  const auto common_dir = common_dir_of(system, path, environment);
  return common_dir && has_stores(system, *common_dir, environment);
}

Fault bad_head(const std::string& git_dir) {
  return Fault(
      MessageId::kConfigBad,
      fmt::format("not a git repository: '{}': HEAD is neither a ref nor an object id", git_dir));
}

struct Found {
  std::string git_dir;
  std::string shown;
  std::string work_tree;
  std::optional<Fault> fault;
};

class Search {
 public:
  Search(os::System& system, const OpenOptions& options)
      : system_(system), options_(options), environment_(options.environment) {
    // git would have stepped into the directory before it looks at these.
    for (const char* name : {"GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"}) {
      if (const auto path = environment_.get(name)) {
        environment_.set(name, joined_path(options.directory, *path));
      }
    }
  }

  // The environment, its paths made openable.
  const Environment& environment() const { return environment_; }
  Result<Found> find();

 private:
  Result<Found> explicit_dir(const std::string& given);
  // Looks at one directory on the way up. Returns: nothing when it belongs to no repository.
  Result<std::optional<Found>> look_at(const std::string& directory, bool is_start);
  std::size_t ceiling_of(const std::string& start);

  os::System& system_;
  const OpenOptions& options_;
  Environment environment_;
  std::optional<Found> beheaded_;  // the first that lacks only a HEAD
};

Result<Found> Search::find() {
  if (options_.git_dir) return explicit_dir(*options_.git_dir);
  if (const auto given = environment_.get("GIT_DIR")) return explicit_dir(*given);

  const auto start = os::real_path(system_, options_.directory);
  if (!start) {
    return dies(fmt::format("cannot change to '{}': {}", options_.directory, start.error().text()));
  }
  if (!is_directory(system_, *start)) {
    return dies(
        fmt::format("cannot change to '{}': No such file or directory", options_.directory));
  }
  const std::size_t ceiling = ceiling_of(*start);
  const auto across =
      parse_config_bool(environment_.get("GIT_DISCOVERY_ACROSS_FILESYSTEM").value_or(""));
  const auto status = system_.status_at(os::kCurrentDirectory, *start, true);
  const std::uint64_t device = status ? status->device : 0;
  std::string directory = *start;
  for (;;) {
    auto found = look_at(directory, directory == *start);
    if (!found) return tl::unexpected<Fault>(std::move(found.error()));
    if (*found) return std::move(**found);
    if (directory == "/") break;
    const auto slash = directory.rfind('/');
    if (ceiling != std::string::npos && slash <= ceiling) break;
    directory.resize(std::max<std::size_t>(slash, 1));
    const auto parent = system_.status_at(os::kCurrentDirectory, directory, true);
    if (!across.value_or(false) && parent && parent->device != device) {
      if (beheaded_) return *beheaded_;
      return dies(fmt::format(
          "not a git repository (or any parent up to mount point {})\nStopping at filesystem "
          "boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).",
          directory));
    }
  }
  if (beheaded_) return *beheaded_;
  return dies("not a git repository (or any of the parent directories): .git");
}

Result<Found> Search::explicit_dir(const std::string& given) {
  Found found;
  found.git_dir = joined_path(options_.directory, given);
  found.shown = given;
  const auto status = system_.status_at(os::kCurrentDirectory, found.git_dir, true);
  if (status && status->kind == os::FileKind::kRegular) {
    auto target = read_git_file(system_, found.git_dir);
    if (!target) return tl::unexpected<Fault>(std::move(target.error()));
    found.git_dir = os::real_path(system_, *target).value_or(*target);
    found.shown = found.git_dir;
  }
  if (!is_git_directory(system_, found.git_dir, environment_)) {
    if (!is_beheaded(system_, found.git_dir, environment_, false)) {
      return dies(fmt::format("not a git repository: '{}'", given));
    }
    found.fault = bad_head(found.shown);
  }
  return found;
}

Result<std::optional<Found>> Search::look_at(const std::string& directory, bool is_start) {
  const std::string base = directory == "/" ? "" : directory;
  // git steps into the directory, so it names things relative to it.
  const std::string dot_git = is_start ? joined_path(options_.directory, ".git") : base + "/.git";
  const auto status = system_.status_at(os::kCurrentDirectory, dot_git, true);
  if (status && status->kind == os::FileKind::kRegular) {
    auto target = read_git_file(system_, dot_git);
    if (!target) return tl::unexpected<Fault>(std::move(target.error()));
    Found found;
    found.git_dir = os::real_path(system_, *target).value_or(*target);
    found.shown = found.git_dir;
    found.work_tree = directory;
    if (!is_git_directory(system_, found.git_dir, environment_)) {
      if (!is_beheaded(system_, found.git_dir, environment_, false)) {
        return dies(
            fmt::format("gitfile does not point to a valid repository: {}", base + "/.git"));
      }
      found.fault = bad_head(found.git_dir);
    }
    return std::optional<Found>(std::move(found));
  }
  if (status && status->kind != os::FileKind::kDirectory) {
    return dies(fmt::format("not a regular file: '{}'", base + "/.git"));
  }
  if (!status && !os::is_missing(status.error())) {
    return dies(fmt::format("error reading '{}'", base + "/.git"));
  }
  if (status) {
    Found found{dot_git, ".git", directory, std::nullopt};
    if (is_git_directory(system_, dot_git, environment_)) return std::optional<Found>(found);
    if (!beheaded_ && is_beheaded(system_, dot_git, environment_, false)) {
      found.fault = bad_head(".git");
      beheaded_ = std::move(found);
    }
  }
  Found found;
  found.git_dir = is_start ? options_.directory : directory;
  found.shown = is_start ? "." : directory;
  if (is_git_directory(system_, found.git_dir, environment_)) {
    return std::optional<Found>(std::move(found));
  }
  if (!beheaded_ && is_beheaded(system_, found.git_dir, environment_, true)) {
    found.fault = bad_head(found.shown);
    beheaded_ = std::move(found);
  }
  return std::optional<Found>();
}

// GIT_CEILING_DIRECTORIES: directories that the search does not rise to. After an empty entry
// the following are compared as they are written, links unresolved.
// Returns: the size of the longest that is an ancestor of `start`, npos if none is.
std::size_t Search::ceiling_of(const std::string& start) {
  std::size_t longest = std::string::npos;
  const auto list = environment_.get("GIT_CEILING_DIRECTORIES");
  if (!list || start == "/") return longest;
  bool resolve = true;
  for (std::size_t begin = 0; begin <= list->size();) {
    const auto end = std::min(list->find(':', begin), list->size());
    std::string ceiling = list->substr(begin, end - begin);
    begin = end + 1;
    if (ceiling.empty()) {
      resolve = false;
      continue;
    }
    if (ceiling.front() != '/') continue;
    if (resolve) {
      const auto real = os::real_path(system_, ceiling, 1);
      if (!real) continue;
      ceiling = *real;
    }
    if (ceiling.back() == '/') ceiling.pop_back();
    const bool ancestor = start.size() > ceiling.size() + 1 && start.starts_with(ceiling) &&
                          start[ceiling.size()] == '/';
    if (ancestor && (longest == std::string::npos || ceiling.size() > longest)) {
      longest = ceiling.size();
    }
  }
  return longest;
}

}  // namespace

std::string joined_path(std::string_view base, std::string_view path) {
  if (path.starts_with('/') || base.empty() || base == ".") return std::string(path);
  return base.ends_with('/') ? fmt::format("{}{}", base, path) : fmt::format("{}/{}", base, path);
}

bool is_git_directory(os::System& system, const std::string& path, const Environment& environment) {
  if (!is_valid_head(system, path + "/HEAD")) return false;
  const auto common_dir = common_dir_of(system, path, environment);
  return common_dir && has_stores(system, *common_dir, environment);
}

Result<std::string> read_git_file(os::System& system, const std::string& path) {
  const auto bytes = os::read_followed_file(system, path, kMaxGitFileSize);
  if (!bytes) {
    if (bytes.error().code == EFBIG) {
      return dies(fmt::format("too large to be a .git file: '{}'", path));
    }
    return dies(fmt::format("error opening '{}': {}", path, bytes.error().text()));
  }
  std::string text(as_text(*bytes));
  text.resize(std::min(text.size(), text.find('\0')));
  if (!text.starts_with(kGitFilePrefix)) {
    return dies(fmt::format("invalid gitfile format: {}", path));
  }
  while (text.back() == '\n' || text.back() == '\r') text.pop_back();
  if (text.size() <= kGitFilePrefix.size()) {
    return dies(fmt::format("no path in gitfile: {}", path));
  }
  const auto slash = path.rfind('/');
  const std::string base = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  return joined_path(base, text.substr(kGitFilePrefix.size()));
}

Result<RepositoryLayout> discover_layout(os::System& system, const OpenOptions& options) {
  Search search(system, options);
  auto found = search.find();
  if (!found) return tl::unexpected<Fault>(std::move(found.error()));
  auto common_dir = common_dir_of(system, found->git_dir, search.environment());
  if (!common_dir) return tl::unexpected<Fault>(std::move(common_dir.error()));

  RepositoryLayout layout;
  layout.git_dir = found->git_dir;
  layout.shown_git_dir = found->shown;
  layout.common_dir = *common_dir;
  layout.is_linked_worktree = layout.common_dir != layout.git_dir;
  layout.shown_common_dir = layout.is_linked_worktree ? *common_dir : layout.shown_git_dir;
  layout.work_tree = std::move(found->work_tree);
  layout.fault = std::move(found->fault);
  if (const auto objects = options.environment.get("GIT_OBJECT_DIRECTORY")) {
    layout.objects_dir = *search.environment().get("GIT_OBJECT_DIRECTORY");
    layout.shown_objects_dir = *objects;
  } else {
    layout.objects_dir = layout.common_dir + "/objects";
    layout.shown_objects_dir = layout.shown_common_dir + "/objects";
  }
  const auto index = options.environment.get("GIT_INDEX_FILE");
  layout.index_file = index ? joined_path(options.directory, *index) : layout.git_dir + "/index";
  return layout;
}

}  // namespace assay
