#include "store/init_repository.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>

#include "store/repository/environment.h"
#include "store/repository/git_config.h"
#include "store/repository/layout.h"
#include "store/repository/repository_format.h"

namespace assay {
namespace {

tl::unexpected<Fault> failed(std::string_view doing, const std::string& path, os::Error error) {
  return fault(MessageId::kIoError, fmt::format("cannot {} {}: {}", doing, path, error.text()));
}

// Makes the directory and those above it.
Result<void> make_directories(os::System& system, const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    const auto made = system.make_directory(os::kCurrentDirectory, part, 0777);
    if (!made) {
      const auto status = system.status_at(os::kCurrentDirectory, part, true);
      if (!status || status->kind != os::FileKind::kDirectory) {
        return failed("mkdir", part, made.error());
      }
    }
    if (end == std::string::npos) return {};
  }
}

Result<void> write_new_file(os::System& system, const std::string& path, std::string_view text) {
  const auto file =
      system.open(os::kCurrentDirectory, path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0666);
  if (!file) {
    if (file.error().code == EEXIST) return {};
    return failed("create", path, file.error());
  }
  const auto written = os::write_all(system, file->get(), as_bytes(text));
  if (!written) {
    // Half a file would make the repository unreadable.
    (void)system.remove(os::kCurrentDirectory, path);
    return failed("write", path, written.error());
  }
  return {};
}

std::string config_text(const InitOptions& options) {
  std::string text =
      fmt::format("[core]\n\trepositoryformatversion = {}\n\tfilemode = true\n\tbare = {}\n",
                  options.hash_kind == HashKind::kSha1 ? 0 : 1, options.bare ? "true" : "false");
  if (!options.bare) text += "\tlogallrefupdates = true\n";
  if (options.hash_kind != HashKind::kSha1) {
    text += fmt::format("[extensions]\n\tobjectformat = {}\n", hash_name(options.hash_kind));
  }
  return text;
}

Result<void> expect_same_hash(os::System& system, const InitOptions& options) {
  const auto config =
      GitConfig::load_file(system, Environment(), options.git_dir + "/config", ConfigScope::kLocal);
  if (!config) return tl::unexpected(config.error());
  const auto format = read_repository_format(*config);
  if (!format) return tl::unexpected(format.error());
  if (options.hash_kind_given && format->hash_kind != options.hash_kind) {
    return fault(MessageId::kConfigBad, "attempt to reinitialize repository with different hash");
  }
  return {};
}

}  // namespace

Result<InitResult> init_repository(os::System& system, const InitOptions& options) {
  InitResult result;
  result.existed = is_git_directory(system, options.git_dir, Environment());
  if (result.existed) {
    if (auto same = expect_same_hash(system, options); !same) return tl::unexpected(same.error());
  }
  for (const char* name :
       {"", "/objects/info", "/objects/pack", "/refs/heads", "/refs/tags", "/info"}) {
    if (auto made = make_directories(system, options.git_dir + name); !made) {
      return tl::unexpected(made.error());
    }
  }
  // HEAD last: without it nobody takes the directory for a repository.
  const std::pair<std::string, std::string> files[] = {
      {"/config", config_text(options)},
      {"/HEAD", fmt::format("ref: refs/heads/{}\n", options.initial_branch)}};
  for (const auto& [name, text] : files) {
    if (auto written = write_new_file(system, options.git_dir + name, text); !written) {
      return tl::unexpected(written.error());
    }
  }
  return result;
}

}  // namespace assay
