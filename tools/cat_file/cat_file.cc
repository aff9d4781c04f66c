#include "tools/cat_file/cat_file.h"

#include <fmt/format.h>

#include "store/object_names.h"
#include "store/tree_listing.h"
#include "tools/cat_file/cat_batch.h"
#include "tools/common/open_store.h"
#include "tools/common/options.h"
#include "tools/common/quote.h"

namespace assay::tools {
namespace {

// Trees are held whole to be shown.
constexpr std::uint64_t kLargestTree = std::uint64_t{1} << 30;

// git's modes, which are also the letters of its options.
enum Mode : int { kNone = 0, kExists = 'e', kPretty = 'p', kType = 't', kSize = 's', kAll = 'b' };

class CatFile {
 public:
  CatFile(Context& context, const ObjectStore& store)
      : context_(context), reader_(store.objects()), names_(store, reader_) {}

  int run(int mode, std::string_view type, const std::string& name);

 private:
  int check_existence(const ObjectId& id);
  int show_typed(std::string_view type, const ObjectId& id, const std::string& name);
  int show_pretty(const ObjectId& id, const std::string& name);
  int show_tree(const ObjectId& id, const std::string& name);
  int show_content(const ObjectId& id);
  void print_fault(const Fault& fault);
  int complain(const Fault& fault, std::string_view last_word);

  Context& context_;
  ObjectReader reader_;
  ObjectNames names_;
};

int CatFile::run(int mode, std::string_view type, const std::string& name) {
  const NamedObject named = names_.resolve(name);
  if (named.state != NamedObject::State::kFound) {
    if (named.state == NamedObject::State::kAmbiguous) {
      print_error(context_, fmt::format("short object ID {} is ambiguous", name));
    }
    return die(context_, fmt::format("Not a valid object name {}", name));
  }
  if (mode == kExists) return check_existence(named.id);
  if (mode == kType || mode == kSize) {
    const auto info = reader_.info(named.id);
    if (!info) return complain(info.error(), "git cat-file: could not get object info");
    context_.out.write(mode == kType ? fmt::format("{}\n", type_name(info->type))
                                     : fmt::format("{}\n", info->size));
    return 0;
  }
  if (mode == kPretty) return show_pretty(named.id, name);
  return show_typed(type, named.id, name);
}

// git's manual promises that the object is valid, its program looks for a file only: a script that
// asks before it deletes another copy needs the promise.
int CatFile::check_existence(const ObjectId& id) {
  if (!reader_.contains(id)) return 1;
  const auto streamed = reader_.stream(
      id, [](ObjectType, std::uint64_t) {}, [](ByteView) {});
  if (!streamed) print_fault(streamed.error());
  return streamed ? 0 : 1;
}

int CatFile::show_typed(std::string_view type, const ObjectId& id, const std::string& name) {
  const auto wanted = parse_type_name(type);
  if (!wanted) return die(context_, fmt::format("invalid object type \"{}\"", type));
  const auto info = reader_.info(id);
  const std::string bad_file = fmt::format("git cat-file {}: bad file", name);
  if (!info) return complain(info.error(), bad_file);
  const auto peeled = names_.peel(id, *wanted);
  return peeled ? show_content(*peeled) : die(context_, bad_file);
}

int CatFile::show_pretty(const ObjectId& id, const std::string& name) {
  const auto info = reader_.info(id);
  if (!info) return complain(info.error(), fmt::format("Not a valid object name {}", name));
  return info->type == ObjectType::kTree ? show_tree(id, name) : show_content(id);
}

int CatFile::show_tree(const ObjectId& id, const std::string& name) {
  const auto tree = reader_.read(id, kLargestTree);
  if (!tree) return complain(tree.error(), fmt::format("not a tree object: {}", name));
  const auto entries = list_tree(tree->content, id.kind());
  if (!entries) return complain(entries.error(), fmt::format("not a tree object: {}", name));
  for (const ListedEntry& entry : *entries) {
    context_.out.write(fmt::format("{:06o} {} {}\t{}\n", entry.mode, entry.type, entry.id.hex(),
                                   quote_c_style(entry.name)));
  }
  return 0;
}

int CatFile::show_content(const ObjectId& id) {
  const auto streamed = reader_.stream(
      id, [](ObjectType, std::uint64_t) {}, [&](ByteView piece) { context_.out.write(piece); });
  if (!streamed) {
    return complain(streamed.error(), fmt::format("unable to stream {} to stdout", id.hex()));
  }
  return 0;
}

void CatFile::print_fault(const Fault& fault) {
  for (const std::string& cause : fault.causes) print_error(context_, cause);
  print_error(context_, fault.text);
}

// The fault in its own words, then git's last word. A missing object needs none of its own.
int CatFile::complain(const Fault& fault, std::string_view last_word) {
  if (fault.id != MessageId::kMissing) print_fault(fault);
  return die(context_, last_word);
}

}  // namespace

int run_cat_file(Context& context, Arguments arguments) {
  int mode = kNone;
  bool batch_given = false;
  bool buffer = false;
  BatchSettings batch;
  const auto set_batch = [&](bool contents) {
    return [&, contents](std::optional<std::string_view> format) -> std::optional<std::string> {
      if (std::exchange(batch_given, true)) return "only one batch option may be specified";
      batch.contents = contents;
      batch.format = format.value_or("");
      return std::nullopt;
    };
  };
  OptionParser parser({"assay cat-file <type> <object>",
                       "assay cat-file (-e | -p | -t | -s) <object>",
                       "assay cat-file (--batch | --batch-check) [--batch-all-objects]\n"
                       "                      [--buffer] [--unordered]"});
  parser.mode('e', "", "check if <object> exists", &mode, kExists);
  parser.mode('p', "", "pretty-print <object> content", &mode, kPretty);
  parser.mode('t', "", "show object type (one of 'blob', 'tree', 'commit', 'tag')", &mode, kType);
  parser.mode('s', "", "show object size", &mode, kSize);
  parser.optional_value(0, "batch", "format", "show full <object> contents", set_batch(true));
  parser.optional_value(0, "batch-check", "format", "like --batch, but don't emit <contents>",
                        set_batch(false));
  parser.mode(0, "batch-all-objects", "with --batch[-check]: all objects instead of those on stdin",
              &mode, kAll);
  parser.flag(0, "buffer", "buffer --batch output", &buffer);
  parser.flag(0, "unordered", "do not order objects before emitting them", &batch.unordered);
  if (const auto status = parser.parse(context, arguments)) return *status;

  const std::vector<std::string>& names = parser.positional();
  if (!batch_given) {
    if (buffer) return parser.usage_fatal(context, "'--buffer' requires a batch mode");
    if (mode == kAll) {
      return parser.usage_fatal(context, "'--batch-all-objects' requires a batch mode");
    }
    if (mode != kNone && names.empty()) {
      return parser.usage_fatal(
          context, fmt::format("<object> required with '-{}'", static_cast<char>(mode)));
    }
    if (mode != kNone && names.size() > 1) return parser.usage_fatal(context, "too many arguments");
    if (mode == kNone && names.empty()) return parser.usage(context);
    if (mode == kNone && names.size() != 2) {
      return parser.usage_fatal(
          context,
          fmt::format("only two arguments allowed in <type> <object> mode, not {}", names.size()));
    }
  } else if (mode != kNone && mode != kAll) {
    return parser.usage_fatal(
        context, fmt::format("'-{}' is incompatible with batch mode", static_cast<char>(mode)));
  } else if (!names.empty()) {
    return parser.usage_fatal(context, "batch modes take no arguments");
  }

  const auto store = open_store(context);
  if (store == nullptr) return kExitFatal;
  if (batch_given) {
    batch.all_objects = mode == kAll;
    batch.buffer = buffer || batch.all_objects;
    return run_cat_batch(context, *store, batch);
  }
  CatFile command(context, *store);
  return mode == kNone ? command.run(mode, names[0], names[1]) : command.run(mode, "", names[0]);
}

}  // namespace assay::tools
