#include "store/fsck/configured_policy.h"

#include <fmt/format.h>

#include "store/os/follow_file.h"

namespace assay {
namespace {

constexpr std::uint64_t kMaxSkipListSize = std::uint64_t{64} << 20;

Result<void> add_skip_list(const Repository& repository, const std::string& value, Policy& policy) {
  const std::string name = repository.config().expanded_path(value);
  // git has stepped into the top of the work tree when it reads the file.
  const std::string path = joined_path(repository.layout().work_tree, name);
  const auto list = os::read_followed_file(repository.system(), path, kMaxSkipListSize);
  if (!list) {
    return fault(MessageId::kConfigBad, "could not open object name list: " + name);
  }
  return policy.add_skip_list(as_text(*list), repository.hash_kind());
}

Fault missing_value(const ConfigEntry& entry) {
  const std::string key = "fsck." + entry.key;
  Fault fault(MessageId::kConfigBad,
              entry.file.empty() ? fmt::format("unable to parse '{}' from command-line config", key)
                                 : fmt::format("bad config variable '{}' in file '{}' at line {}",
                                               key, entry.file, entry.line));
  fault.causes.push_back(fmt::format("missing value for '{}'", key));
  return fault;
}

}  // namespace

Result<void> configure_policy(const Repository& repository, Policy& policy) {
  for (const ConfigEntry& entry : repository.config().section("fsck")) {
    const std::string& name = entry.key;
    if (name == "baseline") continue;  // is about what is printed, see tools/fsck
    if (!entry.value) return tl::unexpected<Fault>(missing_value(entry));
    auto set = name == "skiplist" ? add_skip_list(repository, *entry.value, policy)
                                  : policy.configure(name, *entry.value);
    if (!set) return set;
  }
  return {};
}

}  // namespace assay
