#include "store/repository/git_config.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

constexpr std::string_view kRemote = "remote.";

}  // namespace

ConfigOverride parse_config_override(std::string_view argument) {
  const auto equals = argument.find('=');
  if (equals == std::string_view::npos) return {std::string(argument), std::nullopt};
  return {std::string(argument.substr(0, equals)), std::string(argument.substr(equals + 1))};
}

const ConfigEntry* GitConfig::find(std::string_view key) const {
  const auto canonical = canonical_config_key(key);
  if (!canonical) return nullptr;
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->key == *canonical) return &*entry;
  }
  return nullptr;
}

std::optional<std::string> GitConfig::get(std::string_view key) const {
  const ConfigEntry* entry = find(key);
  if (entry == nullptr) return std::nullopt;
  return entry->value.value_or("");
}

std::vector<std::string> GitConfig::get_all(std::string_view key) const {
  std::vector<std::string> values;
  const auto canonical = canonical_config_key(key);
  for (const ConfigEntry& entry : entries_) {
    if (entry.key == canonical) values.push_back(entry.value.value_or(""));
  }
  return values;
}

Result<std::optional<bool>> GitConfig::get_bool(std::string_view key) const {
  const ConfigEntry* entry = find(key);
  if (entry == nullptr) return std::optional<bool>();
  const auto value = parse_config_bool(entry->value);
  if (!value) {
    return fault(MessageId::kConfigBad,
                 fmt::format("bad boolean config value '{}' for '{}'", *entry->value, entry->key));
  }
  return value;
}

Result<std::optional<std::int64_t>> GitConfig::get_int(std::string_view key) const {
  const ConfigEntry* entry = find(key);
  if (entry == nullptr) return std::optional<std::int64_t>();
  const auto value = parse_config_int(entry->value.value_or(""));
  if (!value) {
    const std::string_view reason =
        value.error() == ConfigNumberError::kOutOfRange ? "out of range" : "invalid unit";
    const std::string place = entry->file.empty() ? "" : fmt::format(" in file {}", entry->file);
    return fault(MessageId::kConfigBad,
                 fmt::format("bad numeric config value '{}' for '{}'{}: {}",
                             entry->value.value_or(""), entry->key, place, reason));
  }
  return std::optional<std::int64_t>(*value);
}

std::optional<std::string> GitConfig::get_path(std::string_view key) const {
  const auto value = get(key);
  if (!value) return std::nullopt;
  return expanded_path(*value);
}

std::string GitConfig::expanded_path(const std::string& value) const {
  return value.starts_with("~/") ? home_ + value.substr(1) : value;
}

std::vector<ConfigEntry> GitConfig::section(std::string_view section) const {
  std::vector<ConfigEntry> found;
  const std::string prefix = fmt::format("{}.", section);
  for (const ConfigEntry& entry : entries_) {
    if (entry.key.starts_with(prefix) && entry.key.find('.', prefix.size()) == std::string::npos) {
      found.push_back(entry);
      found.back().key.erase(0, prefix.size());
    }
  }
  return found;
}

Result<std::vector<std::string>> GitConfig::promisor_remotes() const {
  std::vector<std::string> names;
  for (const ConfigEntry& entry : entries_) {
    if (!entry.key.starts_with(kRemote)) continue;
    const auto last_dot = entry.key.rfind('.');
    if (last_dot < kRemote.size()) continue;
    const std::string_view variable = std::string_view(entry.key).substr(last_dot + 1);
    if (variable == "promisor") {
      const auto promises = parse_config_bool(entry.value);
      if (!promises) {
        return fault(MessageId::kConfigBad, fmt::format("bad boolean config value '{}' for '{}'",
                                                        *entry.value, entry.key));
      }
      // Once a remote is a promisor remote, a later "false" does not take that back.
      if (!*promises) continue;
    } else if (variable != "partialclonefilter") {
      continue;
    }
    std::string name = entry.key.substr(kRemote.size(), last_dot - kRemote.size());
    if (name.starts_with('/')) continue;  // git refuses such a name with a warning
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace assay
