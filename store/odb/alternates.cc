#include "store/odb/alternates.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "store/os/follow_file.h"

namespace assay {
namespace {

constexpr int kMaxDepth = 5;                                    // as git
constexpr std::uint64_t kMaxFileSize = std::uint64_t{4} << 20;  // of one info/alternates, bytes
constexpr std::size_t kMaxProblems = 1000;

class AlternatesFinder {
 public:
  explicit AlternatesFinder(os::System& system) : system_(system) {}

  ObjectDirectories find(const std::string& main_directory, std::string_view environment_list);

 private:
  // Adds the directory, which `list` names, and, after it, what it borrows from.
  void add(const std::string& path, const std::string& list, int depth);
  // The paths that the text names, resolved; relative ones start at `base` (empty: not allowed to
  // be moved, as in the environment variable).
  std::vector<std::string> parse(std::string_view text, char separator, const std::string& base);
  std::vector<std::string> read_list_of(const std::string& directory);
  static std::string list_of(const std::string& directory) {
    return directory + "/info/alternates";
  }
  // `list`: the file that it is about, or empty.
  void problem(MessageId id, std::string text, const std::string& list) {
    if (result_.problems.size() == kMaxProblems) return;
    result_.problems.emplace_back(id, std::move(text));
    result_.problem_files.push_back(list);
  }

  os::System& system_;
  std::set<std::string> seen_;
  ObjectDirectories result_;
};

ObjectDirectories AlternatesFinder::find(const std::string& main_directory,
                                         std::string_view environment_list) {
  result_.paths.push_back(main_directory);
  seen_.insert(os::real_path(system_, main_directory).value_or(main_directory));
  // Both lists are read before anything is added, so the environment comes first throughout.
  const std::vector<std::string> borrowed = parse(environment_list, ':', "");
  const std::vector<std::string> listed = read_list_of(main_directory);
  for (const std::string& path : borrowed) add(path, "", 0);
  for (const std::string& path : listed) add(path, list_of(main_directory), 0);
  return std::move(result_);
}

void AlternatesFinder::add(const std::string& path, const std::string& list, int depth) {
  const auto status = system_.status_at(os::kCurrentDirectory, path.empty() ? "/" : path, true);
  if (!status || status->kind != os::FileKind::kDirectory) {
    problem(
        MessageId::kObjectDirectoryMissing,
        fmt::format("object directory {} does not exist; check .git/objects/info/alternates", path),
        list);
    return;
  }
  if (!seen_.insert(path).second) return;
  result_.paths.push_back(path);
  const auto listed = read_list_of(path);
  if (!listed.empty() && depth + 1 > kMaxDepth) {
    problem(MessageId::kAlternateIgnored,
            fmt::format("{}: ignoring alternate object stores, nesting too deep", path),
            list_of(path));
    return;
  }
  for (const std::string& next : listed) add(next, list_of(path), depth + 1);
}

std::vector<std::string> AlternatesFinder::read_list_of(const std::string& directory) {
  const std::string file = list_of(directory);
  const auto bytes = os::read_followed_file(system_, file, kMaxFileSize);
  if (!bytes) {
    if (!os::is_missing(bytes.error())) {
      problem(MessageId::kAlternateIgnored,
              fmt::format("unable to access '{}': {}", file, bytes.error().text()), file);
    }
    return {};
  }
  return parse(as_text(*bytes), '\n', directory);
}

std::vector<std::string> AlternatesFinder::parse(std::string_view text, char separator,
                                                 const std::string& base) {
  std::vector<std::string> paths;
  text = text.substr(0, text.find('\0'));
  while (!text.empty()) {
    std::string name;
    std::size_t end = std::min(text.find(separator), text.size());
    if (text.front() == '#') {
      // a comment
    } else if (auto unquoted = unquote_c_style(text)) {
      // git passes over one byte after the closing quote, whatever it is.
      name = std::move(unquoted->text);
      end = unquoted->consumed;
    } else {
      name = text.substr(0, end);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
    name.resize(std::min(name.size(), name.find('\0')));
    if (name.empty()) continue;
    if (name.front() != '/' && !base.empty()) {
      name = os::real_path(system_, base).value_or(base) + "/" + name;
    }
    const auto resolved = os::real_path(system_, name, 1);
    if (!resolved) {
      problem(MessageId::kAlternateIgnored,
              fmt::format("unable to normalize alternate object path: {}", name),
              base.empty() ? base : list_of(base));
      continue;
    }
    paths.push_back(*resolved == "/" ? "" : *resolved);
  }
  return paths;
}

}  // namespace

ObjectDirectories find_object_directories(os::System& system, const std::string& main_directory,
                                          std::string_view environment_list) {
  return AlternatesFinder(system).find(main_directory, environment_list);
}

std::optional<Unquoted> unquote_c_style(std::string_view text) {
  static constexpr std::string_view kLetters = "abfnrtv\\\"";
  static constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\\"";
  if (!text.starts_with('"')) return std::nullopt;
  Unquoted result;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      result.consumed = i + 1;
      return result;
    }
    if (text[i] != '\\') {
      result.text += text[i];
      continue;
    }
    if (++i >= text.size()) return std::nullopt;
    if (const auto letter = kLetters.find(text[i]); letter != std::string_view::npos) {
      result.text += kMeanings[letter];
      continue;
    }
    // Three octal digits, at most \377.
    if (i + 2 >= text.size() || text[i] < '0' || text[i] > '3') return std::nullopt;
    int value = 0;
    for (const char digit : text.substr(i, 3)) {
      if (digit < '0' || digit > '7') return std::nullopt;
      value = 8 * value + (digit - '0');
    }
    result.text += static_cast<char>(value);
    i += 2;
  }
  return std::nullopt;
}

}  // namespace assay
