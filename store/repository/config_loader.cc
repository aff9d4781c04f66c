// Reading config files and the environment into a GitConfig.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "store/os/follow_file.h"
#include "store/repository/git_config.h"

namespace assay {
namespace {

constexpr int kMaxIncludeDepth = 10;        // as git
constexpr std::uint64_t kMaxAllFiles = 16;  // times max_file_size

std::string directory_of(const std::string& file) {
  const auto slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> components;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    components.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return components;
}

// Matches as git's includeIf does: "*", "?" and "[...]" stay inside one component, a component
// "**" stands for any number of components (at the end: for at least one).
// Component by component with one row of answers, so that no pattern takes exponential time.
bool matches_path(std::string_view pattern_text, std::string_view path_text, bool ignore_case) {
  const auto pattern = split_path(pattern_text);
  const auto path = split_path(path_text);
  // row[j]: does the pattern so far match the first j components?
  std::vector<bool> row(path.size() + 1, false);
  row[0] = true;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    std::vector<bool> next(path.size() + 1, false);
    if (pattern[i] == "**") {
      const bool last = i + 1 == pattern.size();
      bool reached = false;
      for (std::size_t j = 0; j <= path.size(); ++j) {
        if (!last) reached = reached || row[j];
        next[j] = reached;
        if (last) reached = reached || row[j];
      }
    } else {
      const int flags = ignore_case ? FNM_CASEFOLD : 0;
      for (std::size_t j = 0; j < path.size(); ++j) {
        next[j + 1] = row[j] && ::fnmatch(pattern[i].c_str(), path[j].c_str(), flags) == 0;
      }
    }
    row = std::move(next);
  }
  return row.back();
}

// Undoes the shell quoting that git uses for GIT_CONFIG_PARAMETERS: 'text', with ' and ! outside.
// Returns: the text, and `rest` moved behind it; nothing if it does not begin with a quote.
std::optional<std::string> unquote_shell(std::string_view& rest) {
  if (!rest.starts_with('\'')) return std::nullopt;
  std::string text;
  std::size_t position = 1;
  for (;;) {
    const auto end = rest.find('\'', position);
    if (end == std::string_view::npos) return std::nullopt;
    text += rest.substr(position, end - position);
    position = end + 1;
    const std::string_view after = rest.substr(position, 3);
    if (after == "\\''" || after == "\\!'") {
      text += after[1];
      position += 3;
      continue;
    }
    rest.remove_prefix(position);
    return text;
  }
}

}  // namespace

class ConfigLoader {
 public:
  ConfigLoader(os::System& system, const Environment& environment, const ConfigSources& sources)
      : system_(system), environment_(environment), sources_(sources) {
    config_.home_ = environment.get("HOME").value_or("");
  }

  void set_follow_includes(bool follow) { follow_includes_ = follow; }
  Result<void> everything();
  // `required`: an unreadable file is a fault; a missing one never is.
  Result<void> file(const std::string& path, ConfigScope scope, bool required, int depth = 0);
  GitConfig take() { return std::move(config_); }

 private:
  Result<void> add(ConfigEntry entry, int depth);
  Result<void> add_pair(std::string_view key, std::optional<std::string> value);
  Result<void> include(const ConfigEntry& entry, int depth);
  Result<void> from_environment();
  Result<void> from_parameters(std::string_view list);
  bool condition_holds(std::string_view condition, const ConfigEntry& entry);
  std::optional<std::string> expanded(const std::string& path, bool real_home);
  std::optional<std::string> home_of(std::string_view user);

  os::System& system_;
  const Environment& environment_;
  const ConfigSources& sources_;
  GitConfig config_;
  std::uint64_t bytes_read_ = 0;
  bool follow_includes_ = true;
  // The fault being returned arose in a file that the command line includes: it stands alone.
  bool from_file_ = false;
};

Result<void> ConfigLoader::everything() {
  Result<void> done;
  const auto no_system = environment_.get("GIT_CONFIG_NOSYSTEM");
  const auto skip_system = parse_config_bool(no_system.value_or(""));
  if (!skip_system) {
    return fault(MessageId::kConfigBad, fmt::format("bad boolean environment value '{}' for '{}'",
                                                    *no_system, "GIT_CONFIG_NOSYSTEM"));
  }
  if (!*skip_system) {
    const std::string path = environment_.get("GIT_CONFIG_SYSTEM").value_or("/etc/gitconfig");
    done = file(path, ConfigScope::kSystem, true);
    if (!done) return done;
  }
  std::vector<std::string> global;
  if (const auto path = environment_.get("GIT_CONFIG_GLOBAL")) {
    global.push_back(*path);
  } else {
    const auto xdg = environment_.get("XDG_CONFIG_HOME");
    if (xdg && !xdg->empty()) {
      global.push_back(*xdg + "/git/config");
    } else if (environment_.get("HOME")) {
      global.push_back(config_.home_ + "/.config/git/config");
    }
    if (environment_.get("HOME")) global.push_back(config_.home_ + "/.gitconfig");
  }
  for (const std::string& path : global) {
    done = file(path, ConfigScope::kGlobal, false);
    if (!done) return done;
  }
  if (!sources_.common_dir.empty()) {
    done = file(sources_.common_dir + "/config", ConfigScope::kLocal, true);
    if (!done) return done;
    if (sources_.worktree_config) {
      done = file(sources_.git_dir + "/config.worktree", ConfigScope::kWorktree, true);
      if (!done) return done;
    }
  }
  done = from_environment();
  if (done) {
    for (const auto& [key, value] : sources_.overrides) {
      done = add_pair(key, value);
      if (!done) break;
    }
  }
  if (!done && !from_file_) {
    Fault outer(MessageId::kConfigBad, "unable to parse command-line config");
    outer.causes = std::move(done.error().causes);
    outer.causes.push_back(std::move(done.error().text));
    return tl::unexpected<Fault>(std::move(outer));
  }
  return done;
}

Result<void> ConfigLoader::file(const std::string& path, ConfigScope scope, bool required,
                                int depth) {
  const auto bytes = os::read_followed_file(system_, path, sources_.max_file_size);
  if (!bytes) {
    if (os::is_missing(bytes.error()) || path.empty()) return {};
    if (!required && bytes.error().code == EACCES) return {};
    return fault(MessageId::kConfigBad,
                 fmt::format("unable to access '{}': {}", path, bytes.error().text()));
  }
  bytes_read_ += bytes->size() + 1;
  if (bytes_read_ > kMaxAllFiles * sources_.max_file_size) {
    return fault(MessageId::kConfigBad, fmt::format("too much configuration, at '{}'", path));
  }
  auto variables = parse_config_text(as_text(*bytes), path);
  // git has acted on what stands before the bad line, but it dies all the same.
  if (!variables) return tl::unexpected<Fault>(std::move(variables.error()));
  for (ConfigVariable& variable : *variables) {
    const std::uint32_t line = variable.line;
    auto added =
        add({std::move(variable.key), std::move(variable.value), path, line, scope}, depth);
    if (!added) return added;
  }
  return {};
}

Result<void> ConfigLoader::add(ConfigEntry entry, int depth) {
  config_.entries_.push_back(std::move(entry));
  const std::size_t index = config_.entries_.size() - 1;
  const std::string& key = config_.entries_[index].key;
  static constexpr std::string_view kIncludeIf = "includeif.";
  static constexpr std::string_view kPath = ".path";
  bool follow = key == "include.path";
  if (!follow && key.starts_with(kIncludeIf) && key.ends_with(kPath) &&
      key.size() > kIncludeIf.size() + kPath.size()) {
    const std::string condition =
        key.substr(kIncludeIf.size(), key.size() - kIncludeIf.size() - kPath.size());
    follow = condition_holds(condition, config_.entries_[index]);
  }
  if (!follow || !follow_includes_) return {};
  const ConfigEntry copy = config_.entries_[index];  // entries_ grows while the file is read
  return include(copy, depth);
}

Result<void> ConfigLoader::include(const ConfigEntry& entry, int depth) {
  // git blames the line that includes; on the command line the caller says the rest.
  const auto bad = [&](std::string text) {
    if (entry.file.empty()) return fault(MessageId::kConfigBad, std::move(text));
    Fault outer(MessageId::kConfigBad,
                fmt::format("bad config line {} in file {}", entry.line, entry.file));
    outer.causes.push_back(std::move(text));
    return tl::unexpected<Fault>(std::move(outer));
  };
  if (!entry.value) return bad("missing value for 'include.path'");
  auto path = expanded(*entry.value, false);
  if (!path) return bad(fmt::format("could not expand include path '{}'", *entry.value));
  if (!path->starts_with('/')) {
    if (entry.file.empty()) return bad("relative config includes must come from files");
    *path = directory_of(entry.file) + *path;
  }
  const auto status = system_.status_at(os::kCurrentDirectory, *path, true);
  if (!status && os::is_missing(status.error())) return {};
  from_file_ = true;
  if (depth + 1 > kMaxIncludeDepth) {
    return fault(
        MessageId::kConfigBad,
        fmt::format("exceeded maximum include depth ({}) while including\n\t{}\nfrom\n"
                    "\t{}\nThis might be due to circular includes.",
                    kMaxIncludeDepth, *path, entry.file.empty() ? "the command line" : entry.file));
  }
  auto included = file(*path, entry.scope, true, depth + 1);
  if (included) from_file_ = false;
  return included;
}

bool ConfigLoader::condition_holds(std::string_view condition, const ConfigEntry& entry) {
  bool ignore_case = false;
  if (condition.starts_with("gitdir:")) {
    condition.remove_prefix(7);
  } else if (condition.starts_with("gitdir/i:")) {
    condition.remove_prefix(9);
    ignore_case = true;
  } else {
    return false;
  }
  if (sources_.git_dir.empty()) return false;
  std::string pattern(condition);
  if (auto home = expanded(pattern, true)) pattern = std::move(*home);
  if (pattern.starts_with("./")) {
    if (entry.file.empty()) return false;
    const auto file = os::real_path(system_, entry.file);
    if (!file) return false;
    // What stands for "." is meant literally, whatever characters are in it.
    std::string literal;
    for (const char c : directory_of(*file)) {
      if (std::string_view("*?[\\").find(c) != std::string_view::npos) literal += '\\';
      literal += c;
    }
    pattern = literal + pattern.substr(2);
  } else if (!pattern.starts_with('/')) {
    pattern.insert(0, "**/");
  }
  if (pattern.ends_with('/')) pattern += "**";
  for (const bool resolve_links : {true, false}) {
    const auto git_dir = resolve_links ? os::real_path(system_, sources_.git_dir)
                                       : os::absolute_path(system_, sources_.git_dir);
    if (git_dir && matches_path(pattern, *git_dir, ignore_case)) return true;
  }
  return false;
}

std::optional<std::string> ConfigLoader::expanded(const std::string& path, bool real_home) {
  if (!path.starts_with('~')) return path;
  const auto slash = std::min(path.find('/'), path.size());
  const std::string user = path.substr(1, slash - 1);
  auto home = user.empty() ? environment_.get("HOME") : home_of(user);
  if (!home) return std::nullopt;
  if (real_home && user.empty()) {
    if (const auto resolved = os::real_path(system_, *home)) home = *resolved;
  }
  return *home + path.substr(slash);
}

std::optional<std::string> ConfigLoader::home_of(std::string_view user) {
  const auto bytes = os::read_followed_file(system_, "/etc/passwd", std::uint64_t{1} << 20);
  if (!bytes) return std::nullopt;
  std::string_view rest = as_text(*bytes);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    std::vector<std::string_view> fields;
    for (std::size_t begin = 0; begin <= line.size() && fields.size() < 6;) {
      const auto end = std::min(line.find(':', begin), line.size());
      fields.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
    if (fields.size() == 6 && fields[0] == user) return std::string(fields[5]);
  }
  return std::nullopt;
}

Result<void> ConfigLoader::add_pair(std::string_view key, std::optional<std::string> value) {
  const auto bad = [](std::string text) { return fault(MessageId::kConfigBad, std::move(text)); };
  if (key.empty()) return bad("empty config key");
  const auto last_dot = key.rfind('.');
  if (last_dot == std::string_view::npos || last_dot == 0) {
    return bad(fmt::format("key does not contain a section: {}", key));
  }
  if (last_dot + 1 == key.size()) {
    return bad(fmt::format("key does not contain variable name: {}", key));
  }
  auto canonical = canonical_config_key(key);
  if (!canonical) return bad(fmt::format("invalid key: {}", key));
  return add({std::move(*canonical), std::move(value), "", 0, ConfigScope::kCommand}, 0);
}

Result<void> ConfigLoader::from_environment() {
  const auto bad = [](std::string text) { return fault(MessageId::kConfigBad, std::move(text)); };
  if (const auto text = environment_.get("GIT_CONFIG_COUNT")) {
    char* end = nullptr;
    errno = 0;
    const unsigned long count = std::strtoul(text->c_str(), &end, 10);
    if (*end != '\0') return bad("bogus count in GIT_CONFIG_COUNT");
    if (errno != 0 || count > 0x7fffffff) return bad("too many entries in GIT_CONFIG_COUNT");
    for (unsigned long i = 0; i < count; ++i) {
      const std::string key_name = fmt::format("GIT_CONFIG_KEY_{}", i);
      const std::string value_name = fmt::format("GIT_CONFIG_VALUE_{}", i);
      const auto key = environment_.get(key_name);
      if (!key) return bad(fmt::format("missing config key {}", key_name));
      const auto value = environment_.get(value_name);
      if (!value) return bad(fmt::format("missing config value {}", value_name));
      auto added = add_pair(*key, *value);
      if (!added) return added;
    }
  }
  if (const auto list = environment_.get("GIT_CONFIG_PARAMETERS")) return from_parameters(*list);
  return {};
}

// 'key'='value', 'key'= (no value) or the older 'key=value', blanks between.
Result<void> ConfigLoader::from_parameters(std::string_view list) {
  const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  const auto bogus = [] {
    return fault(MessageId::kConfigBad, "bogus format in GIT_CONFIG_PARAMETERS");
  };
  while (!list.empty()) {
    const auto key = unquote_shell(list);
    if (!key) return bogus();
    Result<void> added;
    if (list.empty() || is_blank(list.front())) {
      const auto [name, value] = parse_config_override(*key);
      if (name.empty()) {
        return fault(MessageId::kConfigBad, fmt::format("bogus config parameter: {}", *key));
      }
      added = add_pair(name, value);
    } else if (list.front() == '=') {
      list.remove_prefix(1);
      std::optional<std::string> value;
      if (!list.empty() && !is_blank(list.front())) {
        value = unquote_shell(list);
        if (!value || (!list.empty() && !is_blank(list.front()))) return bogus();
      }
      added = add_pair(*key, std::move(value));
    } else {
      return bogus();
    }
    if (!added) return added;
    while (!list.empty() && is_blank(list.front())) list.remove_prefix(1);
  }
  return {};
}

Result<GitConfig> GitConfig::load(os::System& system, const Environment& environment,
                                  const ConfigSources& sources) {
  ConfigLoader loader(system, environment, sources);
  auto done = loader.everything();
  if (!done) return tl::unexpected<Fault>(std::move(done.error()));
  return loader.take();
}

Result<GitConfig> GitConfig::load_file(os::System& system, const Environment& environment,
                                       const std::string& path, ConfigScope scope) {
  const ConfigSources sources;
  ConfigLoader loader(system, environment, sources);
  loader.set_follow_includes(false);
  auto done = loader.file(path, scope, true);
  if (!done) return tl::unexpected<Fault>(std::move(done.error()));
  return loader.take();
}

}  // namespace assay
