#include "store/fsck/configured_policy.h"

namespace assay {
namespace {

constexpr std::uint64_t kMaxSkipListSize = std::uint64_t{64} << 20;

Result<void> add_skip_list(const Repository& repository, const std::string& key, Policy& policy) {
  const std::string path = repository.config().get_path(key).value_or("");
  const auto list =
      os::read_regular_file(repository.system(), os::kCurrentDirectory, path, kMaxSkipListSize);
  if (!list) {
    return fault(MessageId::kConfigBad, "could not open object name list: " + path);
  }
  return policy.add_skip_list(as_text(*list), repository.hash_kind());
}

}  // namespace

Result<void> configure_policy(const Repository& repository, Policy& policy) {
  for (const ConfigEntry& entry : repository.config().section("fsck")) {
    const std::string name = entry.key.substr(entry.key.find('.') + 1);
    if (name == "baseline") continue;  // is about what is printed, see tools/fsck
    auto set = name == "skiplist" ? add_skip_list(repository, entry.key, policy)
                                  : policy.configure(name, entry.value.value_or(""));
    if (!set) return set;
  }
  return {};
}

}  // namespace assay
