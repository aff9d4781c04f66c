#include "store/fsck/configured_policy.h"

namespace assay {
namespace {

constexpr std::uint64_t kMaxSkipListSize = std::uint64_t{64} << 20;

Result<void> add_skip_list(const Repository& repository, const std::string& value, Policy& policy) {
  const std::string name = repository.config().expanded_path(value);
  // git has stepped into the top of the work tree when it reads the file.
  const std::string path = joined_path(repository.layout().work_tree, name);
  const auto list =
      os::read_regular_file(repository.system(), os::kCurrentDirectory, path, kMaxSkipListSize);
  if (!list) {
    return fault(MessageId::kConfigBad, "could not open object name list: " + name);
  }
  return policy.add_skip_list(as_text(*list), repository.hash_kind());
}

}  // namespace

Result<void> configure_policy(const Repository& repository, Policy& policy) {
  for (const ConfigEntry& entry : repository.config().section("fsck")) {
    const std::string& name = entry.key;
    if (name == "baseline") continue;  // is about what is printed, see tools/fsck
    const std::string value = entry.value.value_or("");
    auto set = name == "skiplist" ? add_skip_list(repository, value, policy)
                                  : policy.configure(name, value);
    if (!set) return set;
  }
  return {};
}

}  // namespace assay
