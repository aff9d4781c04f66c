#include "store/repository.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace assay {
namespace {

constexpr std::string_view kBlanks = ", \t\n\r";

// git takes the beginning of a component's name for the name.
bool names_loose_objects(std::string_view component) {
  for (const std::string_view name : {"loose-object", "objects", "committed", "added", "all"}) {
    if (name.starts_with(component)) return true;
  }
  return false;
}

bool names_other_component(std::string_view component) {
  for (const std::string_view name :
       {"pack", "pack-metadata", "commit-graph", "index", "reference", "derived-metadata"}) {
    if (name.starts_with(component)) return true;
  }
  return false;
}

// core.fsync: components separated by commas, each with an optional "-". By default loose objects
// are not among them, so only naming them matters.
bool syncs_loose_objects(std::string_view value, std::vector<std::string>& warnings) {
  bool named = false;
  while (!value.empty()) {
    value.remove_prefix(std::min(value.find_first_not_of(kBlanks), value.size()));
    const std::size_t end = std::min(value.find(','), value.size());
    std::string_view component = value.substr(0, end);
    value.remove_prefix(end);
    if (component == "none" && value.empty()) break;
    const bool negated = component.starts_with('-');
    if (negated) component.remove_prefix(1);
    if (component.empty()) {
      if (negated) warnings.emplace_back("invalid value for variable core.fsync");
      break;
    }
    if (names_loose_objects(component)) {
      named |= !negated;
    } else if (!names_other_component(component)) {
      warnings.push_back(fmt::format("ignoring unknown core.fsync component '{}'", component));
    }
  }
  return named;
}

Result<LooseSync> read_sync(const GitConfig& config, std::vector<std::string>& warnings) {
  bool wanted = syncs_loose_objects(config.get("core.fsync").value_or(""), warnings);
  LooseSync level = LooseSync::kFull;
  if (const auto method = config.get("core.fsyncMethod")) {
    if (*method == "writeout-only") {
      level = LooseSync::kWriteout;
    } else if (*method == "batch") {
      level = LooseSync::kBatch;
    } else if (*method != "fsync") {
      warnings.push_back(fmt::format("ignoring unknown core.fsyncMethod value '{}'", *method));
    }
  }
  const auto old_key = config.get_bool("core.fsyncObjectFiles");
  if (!old_key) return tl::unexpected(old_key.error());
  if (*old_key) {
    warnings.emplace_back("core.fsyncObjectFiles is deprecated; use core.fsync instead");
    if (!wanted && **old_key) return LooseSync::kFull;
  }
  return wanted ? level : LooseSync::kNone;
}

Result<int> read_compression(const GitConfig& config) {
  for (const char* key : {"core.looseCompression", "core.compression"}) {
    const auto level = config.get_int(key);
    if (!level) return tl::unexpected(level.error());
    if (!*level) continue;
    if (**level < -1 || **level > 9) {
      return fault(MessageId::kConfigBad, fmt::format("bad zlib compression level {}", **level));
    }
    return static_cast<int>(**level);
  }
  return 1;
}

Result<void> read_sharing(const GitConfig& config, LooseWriteOptions& options) {
  constexpr unsigned kGroup = 0660;
  constexpr unsigned kEverybody = 0664;
  const std::string key = "core.sharedRepository";
  const auto value = config.get(key);
  if (!value || *value == "umask") return {};
  if (value->empty() || *value == "group") {
    options.shared_mode = kGroup;
    return {};
  }
  if (*value == "all" || *value == "world" || *value == "everybody") {
    options.shared_mode = kEverybody;
    return {};
  }
  unsigned number = 0;
  const char* end = value->data() + value->size();
  const auto [stop, error] = std::from_chars(value->data(), end, number, 8);
  if (error != std::errc() || stop != end) {
    const auto flag = config.get_bool(key);
    if (!flag) return tl::unexpected(flag.error());
    if (flag->value_or(false)) options.shared_mode = kGroup;
    return {};
  }
  if (number <= 2) {  // numbers of old times
    options.shared_mode = number == 0 ? 0 : number == 1 ? kGroup : kEverybody;
    return {};
  }
  if ((number & 0600) != 0600) {
    return fault(MessageId::kConfigBad,
                 fmt::format("problem with core.sharedRepository filemode value (0{:03o}).\n"
                             "The owner of files must always have read and write permissions.",
                             number));
  }
  options.shared_mode = number & 0666;
  options.exact_mode = true;
  return {};
}

}  // namespace

Result<WriteSettings> read_write_settings(const GitConfig& config) {
  WriteSettings settings;
  const auto sync = read_sync(config, settings.warnings);
  if (!sync) return tl::unexpected(sync.error());
  settings.options.sync = *sync;
  const auto compression = read_compression(config);
  if (!compression) return tl::unexpected(compression.error());
  settings.options.compression = *compression;
  if (const auto read = read_sharing(config, settings.options); !read) {
    return tl::unexpected(read.error());
  }
  if (const auto mode = config.get("core.createObject")) {
    if (*mode != "rename" && *mode != "link") {
      return fault(MessageId::kConfigBad,
                   fmt::format("invalid mode for object creation: {}", *mode));
    }
    settings.options.use_rename = *mode == "rename";
  }
  return settings;
}

Result<std::unique_ptr<ObjectStore>> ObjectStore::open(os::System& system,
                                                       const OpenOptions& options) {
  auto repository = Repository::open(system, options);
  if (!repository) return tl::unexpected(repository.error());
  const std::vector<ObjectSource> sources = repository->object_sources();
  return std::unique_ptr<ObjectStore>(new ObjectStore(system, std::move(*repository), sources));
}

Result<std::unique_ptr<ObjectWriter>> ObjectStore::writer(const WriteSettings& settings) const {
  return ObjectWriter::open(objects_, settings.options);
}

}  // namespace assay
