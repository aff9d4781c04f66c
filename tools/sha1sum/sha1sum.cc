#include "tools/sha1sum/sha1sum.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "tools/common/line_reader.h"
#include "tools/sha1sum/arguments.h"
#include "tools/sha1sum/checksum_line.h"
#include "tools/sha1sum/file_digests.h"
#include "tools/sha1sum/shell_quote.h"

namespace assay::tools {
namespace {

// So many files are digested together, so that results appear and memory stays small.
constexpr std::size_t kMostTogether = 4096;

class Sha1sum {
 public:
  Sha1sum(Context& context, const Sha1sumOptions& options) : context_(context), options_(options) {}

  // Both return whether all went well.
  bool print();
  bool check_all();

 private:
  // What was found in one list of checksums.
  struct Tally {
    std::uint64_t formatted = 0;
    std::uint64_t misformatted = 0;
    std::uint64_t unreadable = 0;
    std::uint64_t mismatched = 0;
    std::uint64_t matched = 0;
    bool collision = false;
  };
  struct Expected {
    std::uint64_t line = 0;
    std::optional<sha1::Digest> digest;  // none: the line is not properly formatted
  };

  bool check_list(const std::string& list);
  bool check_lines(int fd, const std::string& shown);
  void check_together(const std::string& shown, std::span<const Expected> expected,
                      std::vector<DigestTask>& tasks, Tally& tally);
  void judge(const DigestTask& task, const sha1::Digest& expected, Tally& tally);
  void sum_up(const std::string& shown, const Tally& tally);
  void complain(std::string_view text) {
    context_.out.flush();
    context_.err.write(fmt::format("{}{}\n", kSha1sum, text));
  }
  void complain_of(const DigestTask& task) {
    complain(fmt::format("{}: {}", quote_for_shell(task.path), os::Error{task.error}.text()));
  }
  void report_collision(const DigestTask& task) {
    context_.out.flush();
    context_.err.write(
        fmt::format("{}: SHA-1 collision attack detected\n", quote_for_shell(task.path)));
  }

  Context& context_;
  const Sha1sumOptions& options_;
};

bool Sha1sum::print() {
  bool well = true;
  const LineStyle style = options_.tag      ? LineStyle::kTagged
                          : options_.binary ? LineStyle::kBinary
                                            : LineStyle::kText;
  for (std::size_t begin = 0; begin < options_.files.size(); begin += kMostTogether) {
    const std::size_t end = std::min(begin + kMostTogether, options_.files.size());
    std::vector<DigestTask> tasks(end - begin);
    for (std::size_t i = begin; i < end; ++i) tasks[i - begin].path = options_.files[i];
    digest_files(context_.system, context_.in, tasks, [&](const DigestTask& task) {
      if (task.error != 0) {
        complain_of(task);
        well = false;
        return;
      }
      context_.out.write(format_checksum(task.path, task.result.digest, style, options_.zero));
      if (task.result.collision) {
        report_collision(task);
        well = false;
      }
    });
    context_.out.flush();
  }
  return well;
}

bool Sha1sum::check_all() {
  bool well = true;
  for (const std::string& list : options_.files) well = check_list(list) && well;
  return well;
}

bool Sha1sum::check_list(const std::string& list) {
  if (list == "-") return check_lines(context_.in, "standard input");
  const auto file = context_.system.open(os::kCurrentDirectory, list, O_RDONLY | O_NOCTTY);
  if (!file) {
    complain(fmt::format("{}: {}", quote_for_shell(list), file.error().text()));
    return false;
  }
  return check_lines(file->get(), list);
}

bool Sha1sum::check_lines(int fd, const std::string& shown) {
  const auto status = context_.system.status(fd);
  if (status && status->kind == os::FileKind::kDirectory) {
    complain(quote_for_shell(shown) + ": read error");
    return false;
  }
  LineReader lines(context_.system, fd);
  ChecksumParser parser;
  Tally tally;
  std::vector<Expected> expected;
  std::vector<DigestTask> tasks;
  std::uint64_t number = 0;
  for (std::string line; lines.next(line);) {
    ++number;
    // To coreutils a CR is no part of a last line without LF either; to git it is.
    if (!lines.was_ended() && line.ends_with('\r')) line.pop_back();
    if (!line.empty() && line[0] != '#') {
      auto parsed = parser.parse(line);
      // A list cannot name the file that it is read from.
      if (parsed && parsed->name == "-" && fd == context_.in) parsed.reset();
      expected.push_back({number, std::nullopt});
      if (parsed) {
        expected.back().digest = parsed->digest;
        tasks.emplace_back().path = std::move(parsed->name);
      }
    }
    // Whoever waits for a result before writing on gets it now.
    if (expected.size() >= kMostTogether || !lines.has_complete_line()) {
      check_together(shown, expected, tasks, tally);
      expected.clear();
      tasks.clear();
    }
  }
  check_together(shown, expected, tasks, tally);
  sum_up(shown, tally);
  return tally.formatted != 0 && tally.mismatched == 0 && tally.unreadable == 0 &&
         tally.matched != 0 && !tally.collision && (!options_.strict || tally.misformatted == 0);
}

// Digests the files of some lines and judges them, in the order of the lines.
void Sha1sum::check_together(const std::string& shown, std::span<const Expected> expected,
                             std::vector<DigestTask>& tasks, Tally& tally) {
  std::size_t next = 0;
  const auto skip_misformatted = [&] {
    for (; next < expected.size() && !expected[next].digest; ++next) {
      ++tally.misformatted;
      if (!options_.warn) continue;
      complain(fmt::format("{}: {}: improperly formatted SHA1 checksum line",
                           quote_for_shell(shown), expected[next].line));
    }
  };
  digest_files(context_.system, context_.in, tasks, [&](const DigestTask& task) {
    skip_misformatted();
    ++tally.formatted;
    judge(task, *expected[next++].digest, tally);
  });
  skip_misformatted();
  context_.out.flush();
}

void Sha1sum::judge(const DigestTask& task, const sha1::Digest& expected, Tally& tally) {
  if (task.error == ENOENT && !task.opened && options_.ignore_missing) return;
  // A name with a line feed would look like two lines.
  std::string name = task.path;
  if (name.find('\n') != std::string::npos) {
    escape_name(task.path, name);
    name.insert(0, 1, '\\');
  }
  if (task.error != 0) {
    complain_of(task);
    ++tally.unreadable;
    if (!options_.status) context_.out.write(name + ": FAILED open or read\n");
    return;
  }
  if (task.result.digest != expected) {
    ++tally.mismatched;
    if (!options_.status) context_.out.write(name + ": FAILED\n");
  } else {
    ++tally.matched;
    if (!options_.status && !options_.quiet) context_.out.write(name + ": OK\n");
  }
  if (task.result.collision) {
    tally.collision = true;
    report_collision(task);
  }
}

void Sha1sum::sum_up(const std::string& shown, const Tally& tally) {
  if (tally.formatted == 0) {
    complain(quote_for_shell(shown) + ": no properly formatted checksum lines found");
    return;
  }
  if (options_.status) return;
  const auto warn = [&](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count != 0) complain(fmt::format("WARNING: {} {}", count, count == 1 ? one : many));
  };
  warn(tally.misformatted, "line is improperly formatted", "lines are improperly formatted");
  warn(tally.unreadable, "listed file could not be read", "listed files could not be read");
  warn(tally.mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
  if (options_.ignore_missing && tally.matched == 0) {
    complain(quote_for_shell(shown) + ": no file was verified");
  }
}

}  // namespace

int run_sha1sum(Context& context, Arguments arguments) {
  Sha1sumOptions options;
  if (const auto status = parse_sha1sum_arguments(context, arguments, options)) return *status;
  Sha1sum sha1sum(context, options);
  const bool well = options.check ? sha1sum.check_all() : sha1sum.print();
  return well ? 0 : 1;
}

}  // namespace assay::tools
