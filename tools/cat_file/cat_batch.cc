#include "tools/cat_file/cat_batch.h"

#include <fmt/format.h>

#include "tools/cat_file/object_format.h"
#include "tools/common/line_reader.h"
#include "tools/common/open_store.h"

namespace assay::tools {
namespace {

class CatBatch {
 public:
  CatBatch(Context& context, const ObjectStore& store, const BatchSettings& settings,
           ObjectFormat format)
      : context_(context),
        store_(store),
        settings_(settings),
        format_(std::move(format)),
        reader_(store.objects()),
        names_(store, reader_) {}

  int run() { return settings_.all_objects ? run_all() : run_input(); }

 private:
  int run_all();
  int run_input();
  std::optional<int> show(std::string_view shown_name, FormatValues& values);
  std::optional<int> show_named(std::string_view name, std::string_view rest);
  void answer(std::string_view name, std::string_view status);

  Context& context_;
  const ObjectStore& store_;
  const BatchSettings& settings_;
  const ObjectFormat format_;
  ObjectReader reader_;
  ObjectNames names_;
  std::string line_;
};

int CatBatch::run_all() {
  const ObjectDatabase& objects = store_.objects();
  if (store_.repository().has_promisor_remote()) {
    print_warning(context_,
                  "This repository uses promisor remotes. Some objects may not be loaded.");
  }
  for (const ObjectId& id :
       settings_.unordered ? objects.all_ids_in_storage_order() : objects.all_ids()) {
    FormatValues values;
    values.id = id;
    if (const auto status = show(id.hex(), values)) return *status;
  }
  return 0;
}

int CatBatch::run_input() {
  LineReader lines(context_.system, context_.in);
  std::string line;
  while (lines.next(line)) {
    std::string_view name = line;
    std::string_view rest;
    if (format_.uses_rest()) {
      const std::size_t end = std::min(name.find_first_of(" \t"), name.size());
      rest = name.substr(end);
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
      name = name.substr(0, end);
    }
    if (const auto status = show_named(name, rest)) return *status;
    // Whoever waits for the answer gets it; nobody waits while more lines are here.
    if (!settings_.buffer && !lines.has_complete_line()) context_.out.flush();
  }
  return 0;
}

std::optional<int> CatBatch::show_named(std::string_view name, std::string_view rest) {
  const NamedObject named = names_.resolve(name);
  if (named.state != NamedObject::State::kFound) {
    answer(name, named.state == NamedObject::State::kAmbiguous ? "ambiguous" : "missing");
    return std::nullopt;
  }
  FormatValues values;
  values.id = named.id;
  values.mode = named.mode;
  values.rest = rest;
  return show(name, values);
}

void CatBatch::answer(std::string_view name, std::string_view status) {
  context_.out.write(fmt::format("{} {}\n", name, status));
}

// Returns: an exit status when the program cannot go on.
std::optional<int> CatBatch::show(std::string_view shown_name, FormatValues& values) {
  line_.clear();
  // Ids alone need no look at the objects, when it is known that they are there.
  if (format_.uses_info() || settings_.contents || !settings_.all_objects) {
    const auto info = reader_.info(values.id);
    if (!info) {
      if (info.error().id != MessageId::kMissing) {
        for (const std::string& cause : info.error().causes) print_error(context_, cause);
        print_error(context_, info.error().text);
      }
      constexpr std::uint32_t kGitlinkMode = 0160000;
      if (values.mode == kGitlinkMode) {
        answer(values.id.hex(), "submodule");
      } else {
        answer(shown_name, "missing");
      }
      return std::nullopt;
    }
    values.info = *info;
  }
  format_.expand(values, line_);
  line_ += '\n';
  if (!settings_.contents) {
    context_.out.write(line_);
    return std::nullopt;
  }
  const auto streamed = reader_.stream(
      values.id, [&](ObjectType, std::uint64_t) { context_.out.write(line_); },
      [&](ByteView piece) { context_.out.write(piece); });
  if (!streamed) {
    for (const std::string& cause : streamed.error().causes) print_error(context_, cause);
    print_error(context_, streamed.error().text);
    return die(context_, fmt::format("unable to stream {} to stdout", values.id.hex()));
  }
  context_.out.write("\n");
  return std::nullopt;
}

}  // namespace

int run_cat_batch(Context& context, const ObjectStore& store, const BatchSettings& settings) {
  auto format =
      ObjectFormat::parse(settings.format.empty() ? ObjectFormat::kDefault : settings.format);
  if (!format) return die(context, format.error());
  return CatBatch(context, store, settings, std::move(*format)).run();
}

}  // namespace assay::tools
