// GitConfig: the configuration that git would use for a repository.
//
// Sources, weakest first: system file, global files ($XDG_CONFIG_HOME/git/config, ~/.gitconfig),
// the repository's `config`, its `config.worktree` (extensions.worktreeConfig), GIT_CONFIG_COUNT
// and GIT_CONFIG_PARAMETERS, `-c`. The last value of a key wins. `include.path` is followed, 10
// deep; `includeIf` for gitdir: and gitdir/i: only (other conditions are false). Nothing that a
// config says is ever run.
//
// Errors: kConfigBad in git's words. git dies of every one of them.
// Thread safety: immutable once loaded; may be read from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/os/system.h"
#include "store/report/fault.h"
#include "store/repository/config_syntax.h"
#include "store/repository/environment.h"

namespace assay {

enum class ConfigScope : std::uint8_t { kSystem, kGlobal, kLocal, kWorktree, kCommand };

struct ConfigEntry {
  std::string key;  // folded: "core.bare", "remote.Origin.url"
  std::optional<std::string> value;
  std::string file;  // empty for the command line and the environment
  std::uint32_t line = 0;
  ConfigScope scope = ConfigScope::kLocal;
};

// `-c key=value`; `-c key` is a key without a value.
using ConfigOverride = std::pair<std::string, std::optional<std::string>>;

// Returns: the override that the argument of `-c` spells.
ConfigOverride parse_config_override(std::string_view argument);

struct ConfigSources {
  std::string git_dir;           // empty outside a repository
  std::string common_dir;        // holds `config`
  bool worktree_config = false;  // extensions.worktreeConfig is on
  std::vector<ConfigOverride> overrides;
  // Files larger than this are refused. All files together are bounded by 16 times as much.
  std::uint64_t max_file_size = std::uint64_t{16} << 20;
};

class GitConfig {
 public:
  GitConfig() = default;  // empty

  static Result<GitConfig> load(os::System& system, const Environment& environment,
                                const ConfigSources& sources);
  // One file alone: includes are not followed. A missing file is an empty config.
  static Result<GitConfig> load_file(os::System& system, const Environment& environment,
                                     const std::string& path, ConfigScope scope);

  // Keys are given as git prints them; section and variable name in any case.
  // Returns: the last value; an empty string for a key without value.
  std::optional<std::string> get(std::string_view key) const;
  std::vector<std::string> get_all(std::string_view key) const;
  // Returns: nothing if the key is not set; kConfigBad ("bad boolean config value 'X' for 'KEY'")
  // for what is no boolean.
  Result<std::optional<bool>> get_bool(std::string_view key) const;
  // Integers with units; kConfigBad ("bad numeric config value 'X' for 'KEY' ...").
  Result<std::optional<std::int64_t>> get_int(std::string_view key) const;
  // Returns: the value as a path, a leading ~/ expanded by HOME.
  std::optional<std::string> get_path(std::string_view key) const;
  std::string expanded_path(const std::string& value) const;

  // Every entry in the order it was read: weakest source first.
  const std::vector<ConfigEntry>& entries() const { return entries_; }
  // Entries of one section without subsection, such as "fsck": name -> value, in order.
  // A severity is configured by `fsck.<id> = value`.
  std::vector<ConfigEntry> section(std::string_view section) const;

  // Returns: names of remotes with remote.<name>.promisor true or a partialclonefilter.
  Result<std::vector<std::string>> promisor_remotes() const;

 private:
  friend class ConfigLoader;
  const ConfigEntry* find(std::string_view key) const;

  std::vector<ConfigEntry> entries_;
  std::string home_;
};

}  // namespace assay
