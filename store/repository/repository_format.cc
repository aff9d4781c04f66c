#include "store/repository/repository_format.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

namespace assay {
namespace {

constexpr std::int64_t kNewestVersion = 1;  // that git 2.55 reads
constexpr std::string_view kExtensions = "extensions.";

// What git calls die() for, and errors that make it die of a "bad config line".
tl::unexpected<Fault> dies(std::string text) {
  return fault(MessageId::kConfigBad, std::move(text));
}

tl::unexpected<Fault> bad_line(const ConfigEntry& entry, std::string cause) {
  Fault bad(MessageId::kConfigBad,
            fmt::format("bad config line {} in file {}", entry.line, entry.file));
  bad.causes.push_back(std::move(cause));
  return tl::unexpected<Fault>(std::move(bad));
}

Result<bool> boolean(const ConfigEntry& entry) {
  const auto value = parse_config_bool(entry.value);
  if (value) return *value;
  return dies(fmt::format("bad boolean config value '{}' for '{}'", *entry.value, entry.key));
}

enum class Known : std::uint8_t { kAnyVersion, kVersion1, kNo };

Result<Known> apply_extension(const ConfigEntry& entry, std::string_view name,
                              RepositoryFormat& format) {
  const auto store = [&](bool RepositoryFormat::*member, Known known) -> Result<Known> {
    const auto value = boolean(entry);
    if (!value) return tl::unexpected<Fault>(value.error());
    if (member != nullptr) format.*member = *value;
    return known;
  };
  const bool takes_text = name == "partialclone" || name == "objectformat" ||
                          name == "compatobjectformat" || name == "refstorage";
  if (takes_text && !entry.value) {
    return bad_line(entry, fmt::format("missing value for '{}'", entry.key));
  }
  if (name == "noop") return Known::kAnyVersion;
  if (name == "noop-v1") return Known::kVersion1;
  if (name == "preciousobjects") {
    return store(&RepositoryFormat::precious_objects, Known::kAnyVersion);
  }
  if (name == "worktreeconfig") {
    return store(&RepositoryFormat::worktree_config, Known::kAnyVersion);
  }
  if (name == "relativeworktrees") {
    return store(&RepositoryFormat::relative_worktrees, Known::kVersion1);
  }
  if (name == "submodulepathconfig") return store(nullptr, Known::kVersion1);
  if (name == "partialclone") {
    format.partial_clone = *entry.value;
    return Known::kAnyVersion;
  }
  if (name == "objectformat" || name == "compatobjectformat") {
    const auto kind = parse_hash_name(*entry.value);
    if (!kind) {
      return bad_line(entry, fmt::format("invalid value for '{}': '{}'", entry.key, *entry.value));
    }
    if (name == "objectformat") format.hash_kind = *kind;
    return Known::kVersion1;
  }
  if (name == "refstorage") {
    const auto storage = parse_ref_storage(*entry.value);
    if (!storage) {
      return bad_line(entry, fmt::format("invalid value for '{}': '{}'", entry.key, *entry.value));
    }
    format.ref_storage = *storage;
    return Known::kVersion1;
  }
  return Known::kNo;
}

std::string listed(std::string_view title, const std::vector<std::string>& names) {
  std::string text =
      fmt::format("{} {} found:", title, names.size() == 1 ? "extension" : "extensions");
  for (const std::string& name : names) text += "\n\t" + name;
  return text;
}

}  // namespace

std::optional<RefStorage> parse_ref_storage(std::string_view text) {
  const std::string_view name = text.substr(0, text.find("://"));
  if (name == "files") return RefStorage::kFiles;
  if (name == "reftable") return RefStorage::kReftable;
  return std::nullopt;
}

Result<RepositoryFormat> read_repository_format(const GitConfig& local) {
  RepositoryFormat format;
  std::optional<std::int64_t> version;
  std::vector<std::string> unknown;
  std::vector<std::string> version1_only;
  for (const ConfigEntry& entry : local.entries()) {
    if (entry.key == "core.repositoryformatversion") {
      const auto number = parse_config_int(entry.value.value_or(""));
      const bool out_of_range = number ? *number > std::numeric_limits<std::int32_t>::max() ||
                                             *number < std::numeric_limits<std::int32_t>::min()
                                       : number.error() == ConfigNumberError::kOutOfRange;
      if (!number || out_of_range) {
        return dies(fmt::format("bad numeric config value '{}' for '{}' in file {}: {}",
                                entry.value.value_or(""), entry.key, entry.file,
                                out_of_range ? "out of range" : "invalid unit"));
      }
      version = *number;
    } else if (entry.key == "core.bare") {
      const auto value = boolean(entry);
      if (!value) return tl::unexpected<Fault>(value.error());
      format.bare = *value;
    } else if (entry.key == "core.worktree") {
      if (!entry.value) return bad_line(entry, "missing value for 'core.worktree'");
      format.work_tree = entry.value;
    } else if (entry.key.starts_with(kExtensions)) {
      const std::string name = entry.key.substr(kExtensions.size());
      const auto known = apply_extension(entry, name, format);
      if (!known) return tl::unexpected<Fault>(known.error());
      if (*known == Known::kVersion1) version1_only.push_back(name);
      if (*known == Known::kNo) unknown.push_back(name);
    }
  }
  // Without a version the extensions mean nothing.
  if (!version || *version < 0) {
    RepositoryFormat plain;
    plain.bare = format.bare;
    plain.work_tree = format.work_tree;
    return plain;
  }
  if (*version > kNewestVersion) {
    return dies(fmt::format("Expected git repo version <= {}, found {}", kNewestVersion, *version));
  }
  if (*version >= 1 && !unknown.empty()) return dies(listed("unknown repository", unknown));
  if (*version == 0 && !version1_only.empty()) {
    return dies(listed("repo version is 0, but v1-only", version1_only));
  }
  format.version = static_cast<int>(*version);
  return format;
}

}  // namespace assay
