#include "tools/hash_object/hash_object.h"

#include <fmt/format.h>

#include <atomic>
#include <new>
#include <thread>

#include "tools/common/finding_lines.h"
#include "tools/common/line_reader.h"
#include "tools/common/open_store.h"
#include "tools/common/options.h"
#include "tools/hash_object/file_hasher.h"

namespace assay::tools {
namespace {

// A worker takes so many files at a time: enough to fill the lanes of every kernel four times.
constexpr std::size_t kChunk = 64;
// More lines than this are not taken together, so that results appear and memory stays small.
constexpr std::size_t kMaxBatch = 2048;

struct Settings {
  std::string type = "blob";
  bool write = false;
  int from_stdin = 0;
  bool stdin_paths = false;
  bool no_filters = false;
  bool literally = false;
  std::string path;
};

class HashObject {
 public:
  HashObject(Context& context, const Settings& settings) : context_(context), settings_(settings) {}

  // Returns: an exit status when the program ends here.
  std::optional<int> prepare();

  int run(const std::vector<std::string>& files);

 private:
  std::optional<int> add_worker();
  int hash_stdin();
  int hash_files(const std::vector<std::string>& files);
  int hash_paths_of_stdin();
  std::optional<int> run_batch();
  std::optional<int> answer(const HashTask& task);

  Context& context_;
  const Settings& settings_;
  std::unique_ptr<ObjectStore> store_;
  WriteSettings write_settings_;
  FileHasher::Settings hasher_settings_;
  std::vector<std::unique_ptr<FileHasher>> workers_;  // the first is the main thread's
  std::vector<HashTask> tasks_;
};

std::optional<int> HashObject::prepare() {
  if (settings_.write) {
    store_ = open_store(context_);
    if (store_ == nullptr) return kExitFatal;
    auto write_settings = read_write_settings(store_->repository().config());
    if (!write_settings) return die_of(context_, write_settings.error());
    write_settings_ = std::move(*write_settings);
    for (const std::string& warning : write_settings_.warnings) print_warning(context_, warning);
  } else if (auto store = ObjectStore::open(context_.system, open_options(context_))) {
    store_ = std::move(*store);
  }
  const auto type = parse_type_name(settings_.type);
  if (!type) return die(context_, fmt::format("invalid object type \"{}\"", settings_.type));
  hasher_settings_.type = *type;
  hasher_settings_.check_format = !settings_.literally;
  // Outside a repository there are only ids of SHA-1.
  hasher_settings_.kind = store_ != nullptr ? store_->hash_kind() : HashKind::kSha1;
  hasher_settings_.store = store_.get();
  return add_worker();
}

std::optional<int> HashObject::add_worker() {
  std::unique_ptr<ObjectWriter> writer;
  if (settings_.write) {
    auto opened = store_->writer(write_settings_);
    if (!opened) return die_of(context_, opened.error());
    writer = std::move(*opened);
  }
  workers_.push_back(
      std::make_unique<FileHasher>(context_.system, hasher_settings_, std::move(writer)));
  return std::nullopt;
}

int HashObject::run(const std::vector<std::string>& files) {
  if (settings_.from_stdin > 0) {
    if (const int status = hash_stdin(); status != 0) return status;
  }
  if (const int status = hash_files(files); status != 0) return status;
  return settings_.stdin_paths ? hash_paths_of_stdin() : 0;
}

int HashObject::hash_stdin() {
  HashTask task;
  // git has no name for it and prints what its C library prints for none.
  task.path = settings_.path.empty() ? "(null)" : settings_.path;
  workers_.front()->run_descriptor(context_.in, task);
  return answer(task).value_or(0);
}

int HashObject::hash_files(const std::vector<std::string>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    tasks_.push_back({files[i], {}, {}, {}});
    if (tasks_.size() < kMaxBatch && i + 1 < files.size()) continue;
    if (const auto status = run_batch()) return *status;
  }
  return 0;
}

int HashObject::hash_paths_of_stdin() {
  LineReader lines(context_.system, context_.in);
  std::string line;
  while (lines.next(line)) {
    bool badly_quoted = false;
    if (line.starts_with('"')) {
      const auto unquoted = unquote_c_style(line);
      badly_quoted = !unquoted || unquoted->consumed != line.size();
      if (!badly_quoted) line = unquoted->text;
    }
    if (!badly_quoted) tasks_.push_back({line, {}, {}, {}});
    // Whoever waits for an answer before writing on gets it now.
    if (badly_quoted || tasks_.size() >= kMaxBatch || !lines.has_complete_line()) {
      if (const auto status = run_batch()) return *status;
    }
    if (badly_quoted) return die(context_, "line is badly quoted");
  }
  return run_batch().value_or(0);
}

// Hashes all tasks and prints their ids in order. Returns: an exit status when one failed.
std::optional<int> HashObject::run_batch() {
  const std::size_t chunks = (tasks_.size() + kChunk - 1) / kChunk;
  const std::size_t wanted = std::min<std::size_t>(chunks, os::usable_cpus());
  while (workers_.size() < wanted) {
    if (const auto status = add_worker()) return status;
  }
  std::atomic<std::size_t> next_chunk{0};
  const auto work = [&](FileHasher& worker) {
    for (;;) {
      const std::size_t begin = kChunk * next_chunk.fetch_add(1);
      if (begin >= tasks_.size()) return;
      const auto chunk = std::span(tasks_).subspan(begin, std::min(kChunk, tasks_.size() - begin));
      try {
        worker.run(chunk);
      } catch (const std::bad_alloc&) {  // must not leave its thread
        for (HashTask& task : chunk) task.fatal = "Out of memory";
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < wanted; ++i) {
      threads.emplace_back([&work, worker = workers_[i].get()] { work(*worker); });
    }
    work(*workers_.front());
  }
  std::optional<int> status;
  for (const HashTask& task : tasks_) {
    status = answer(task);
    if (status) break;
  }
  tasks_.clear();
  context_.out.flush();
  return status;
}

std::optional<int> HashObject::answer(const HashTask& task) {
  for (const std::string& error : task.errors) print_error(context_, printable(error));
  if (!task.fatal.empty()) return die(context_, task.fatal);
  context_.out.write(task.id.hex() + "\n");
  return std::nullopt;
}

}  // namespace

int run_hash_object(Context& context, Arguments arguments) {
  Settings settings;
  OptionParser parser(
      {"assay hash-object [-t <type>] [-w] [--path=<file> | --no-filters]\n"
       "                         [--stdin [--literally]] [--] <file>...",
       "assay hash-object [-t <type>] [-w] --stdin-paths [--no-filters]"});
  parser.value('t', "", "type", "object type", &settings.type);
  parser.flag('w', "", "write the object into the object database", &settings.write);
  parser.count(0, "stdin", "read the object from stdin", &settings.from_stdin);
  parser.flag(0, "stdin-paths", "read file names from stdin", &settings.stdin_paths);
  parser.flag(0, "no-filters", "store file as is without filters (always done)",
              &settings.no_filters);
  parser.flag(0, "literally", "do not check whether the object is well-formed",
              &settings.literally);
  parser.value(0, "path", "file", "accepted, but no filters are applied", &settings.path);
  if (const auto status = parser.parse(context, arguments)) return *status;
  const std::vector<std::string>& files = parser.positional();

  HashObject command(context, settings);
  if (const auto status = command.prepare()) return *status;
  std::string_view problem;
  if (settings.stdin_paths) {
    if (settings.from_stdin > 0) {
      problem = "Can't use --stdin-paths with --stdin";
    } else if (!files.empty()) {
      problem = "Can't specify files with --stdin-paths";
    } else if (!settings.path.empty()) {
      problem = "Can't use --stdin-paths with --path";
    }
  } else if (settings.from_stdin > 1) {
    problem = "Multiple --stdin arguments are not supported";
  } else if (!settings.path.empty() && settings.no_filters) {
    problem = "Can't use --path with --no-filters";
  }
  if (!problem.empty()) return parser.usage_error(context, problem);
  return command.run(files);
}

}  // namespace assay::tools
