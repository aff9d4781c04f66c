#include "store/repository/ref_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "store/os/follow_file.h"
#include "store/refs/ref_name.h"

namespace assay {
namespace {

constexpr int kMaxSymrefDepth = 5;  // refs read in a chain, as git
// A directory may be reached by symbolic links as well; more often than this it is a trap.
constexpr int kMaxVisits = 4;
constexpr std::size_t kMaxProblems = 1000;

Fault broken_ref(std::string text) { return Fault(MessageId::kRefUnreadable, std::move(text)); }

}  // namespace

struct RefStore::Raw {
  enum class State : std::uint8_t { kMissing, kRead, kBad };
  State state = State::kMissing;
  RefFile content;  // of kRead
  Fault fault;      // of kBad
  std::string file;
  bool packed = false;
};

RefStore RefStore::snapshot(os::System& system, RefStoreLocation location, HashKind kind) {
  // `git pack-refs` puts refs into packed-refs first, then removes their files: while packed-refs
  // is the same before and after the files are read, no ref was missed.
  constexpr int kTries = 10;
  RefStore store;
  store.system_ = &system;
  store.location_ = std::move(location);
  store.kind_ = kind;
  if (store.location_.reftables) {
    store.read_stacks();
    return store;
  }
  const std::string packed = store.location_.common_dir + "/packed-refs";
  for (int tries = 0; tries < kTries; ++tries) {
    const auto before = system.status_at(os::kCurrentDirectory, packed, true);
    store.read_all();
    const auto after = system.status_at(os::kCurrentDirectory, packed, true);
    if (before.has_value() != after.has_value()) continue;
    if (!before || (before->inode == after->inode && before->size == after->size &&
                    before->modified_ns == after->modified_ns)) {
      break;
    }
  }
  return store;
}

void RefStore::read_all() {
  packed_ = {};
  packed_fault_.reset();
  problems_.clear();
  refs_.clear();
  read_packed();
  std::vector<std::string> names;
  list_loose({"refs/"}, names, problems_);
  std::map<std::string, Ref> loose;
  for (const std::string& name : names) {
    auto ref = find_listed(name);
    if (ref) loose.emplace(name, std::move(*ref));
  }
  for (const PackedRef& packed : packed_.refs) {
    if (loose.contains(packed.name)) continue;
    Ref ref;
    ref.name = packed.name;
    ref.id = packed.id;
    ref.file = location_.common_dir + "/packed-refs";
    ref.packed = true;
    if (!is_valid_ref_name(packed.name, true)) {
      ref.id = ObjectId::null(kind_);
      ref.broken = broken_ref("name is not a valid ref name");
    }
    refs_.push_back(std::move(ref));
  }
  for (auto& [name, ref] : loose) refs_.push_back(std::move(ref));
  std::stable_sort(refs_.begin(), refs_.end(),
                   [](const Ref& a, const Ref& b) { return a.name < b.name; });
}

void RefStore::read_stacks() {
  std::vector<std::string> directories = {location_.common_dir};
  const std::string worktrees = location_.common_dir + "/worktrees";
  if (const auto listed = system_->list(os::kCurrentDirectory, worktrees)) {
    for (const os::DirectoryEntry& entry : *listed) {
      directories.push_back(worktrees + "/" + entry.name);
    }
  }
  std::sort(directories.begin() + 1, directories.end());
  if (location_.git_dir != location_.common_dir) directories.push_back(location_.git_dir);
  const std::string& shown = location_.shown_common_dir;
  for (const std::string& directory : directories) {
    std::string name = directory;
    if (!shown.empty() && name.starts_with(location_.common_dir)) {
      name.replace(0, location_.common_dir.size(), shown);
    }
    const std::string tables = directory + "/reftable";
    const bool is_worktree = directory != location_.common_dir;
    const std::string worktree = is_worktree ? directory.substr(directory.rfind('/') + 1) : "";
    if (is_worktree && !system_->status_at(os::kCurrentDirectory, tables, true)) continue;
    auto stack = std::make_shared<const ReftableStack>(
        ReftableStack::read(*system_, tables, name + "/reftable", worktree, kind_));
    const bool is_new = stacks_.emplace(directory, stack).second;
    if (!is_new) continue;
    for (const ReftableStack::Problem& problem : stack->problems()) {
      if (problems_.size() < kMaxProblems) problems_.push_back(problem.fault);
    }
  }
  std::vector<std::string> names;
  for (const bool own : {false, true}) {
    const auto stack = stacks_.find(own ? location_.git_dir : location_.common_dir);
    if (stack == stacks_.end()) continue;
    for (const auto& [name, found] : stack->second->refs()) {
      if (name.starts_with("refs/") && is_per_worktree_ref(name) == own) names.emplace_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    auto ref = find_listed(name);
    if (ref) refs_.push_back(std::move(*ref));
  }
}

const ReftableStack* RefStore::stack_of(const WorktreeRefName& name) const {
  std::string directory = location_.common_dir;
  if (name.place == WorktreeRefPlace::kCurrentWorktree) directory = location_.git_dir;
  if (name.place == WorktreeRefPlace::kOtherWorktree) {
    directory += fmt::format("/worktrees/{}", name.worktree);
  }
  const auto found = stacks_.find(directory);
  return found != stacks_.end() ? found->second.get() : nullptr;
}

RefStore::Raw RefStore::read_table_raw(const std::string& full_name) const {
  Raw raw;
  const WorktreeRefName split = split_worktree_ref(full_name);
  const ReftableStack* stack = stack_of(split);
  if (stack == nullptr) return raw;
  const ReftableStack::FoundRef found = stack->find(split.name);
  if (found.ref == nullptr) return raw;
  raw.state = Raw::State::kRead;
  raw.file = found.table->path;
  if (found.ref->kind == ReftableRef::Kind::kSymref) {
    raw.content.is_symref = true;
    raw.content.target = found.ref->target;
  } else {
    raw.content.id = found.ref->id;
  }
  return raw;
}

// Returns: nothing for a ref that is gone since it was listed, or a symbolic link to nowhere.
std::optional<Ref> RefStore::find_listed(const std::string& name) const {
  auto ref = find(name);
  if (!ref) return ref;
  if (!ref->broken && ref->id.is_null()) ref->broken = broken_ref("object id is null");
  if (!is_valid_ref_name(name, true)) {
    ref->id = ObjectId::null(kind_);
    ref->broken = broken_ref("name is not a valid ref name");
  }
  return ref;
}

std::vector<Ref> RefStore::private_refs(const std::string& prefix) const {
  std::vector<std::string> names;
  if (location_.reftables) {
    const std::string any = prefix + "HEAD";
    const ReftableStack* stack = stack_of(split_worktree_ref(any));
    if (stack == nullptr) return {};
    for (const auto& [name, found] : stack->refs()) {
      if (name.starts_with("refs/") && is_per_worktree_ref(name)) {
        names.push_back(prefix + std::string(name));
      }
    }
  }
  std::vector<Fault> problems;
  if (!location_.reftables) {
    list_loose({prefix + "refs/bisect/", prefix + "refs/rewritten/", prefix + "refs/worktree/"},
               names, problems);
  }
  std::sort(names.begin(), names.end());
  std::vector<Ref> refs;
  for (const std::string& name : names) {
    auto ref = find_listed(name);
    if (ref) refs.push_back(std::move(*ref));
  }
  return refs;
}

void RefStore::read_packed() {
  const std::string& shown = location_.shown_common_dir;
  const std::string file = location_.common_dir + "/packed-refs";
  const std::string shown_file = shown.empty() ? file : shown + "/packed-refs";
  const auto bytes = os::read_followed_file(*system_, file, kMaxPackedRefsSize);
  if (bytes) {
    packed_ = parse_packed_refs(*bytes, kind_, shown_file);
    packed_fault_ = packed_.fault;
  } else if (!os::is_missing(bytes.error())) {
    packed_fault_ = Fault(MessageId::kPackedRefsBad,
                          fmt::format("couldn't read {}: {}", shown_file, bytes.error().text()));
  }
}

std::string RefStore::path_of(std::string_view full_name) const {
  const WorktreeRefName split = split_worktree_ref(full_name);
  switch (split.place) {
    case WorktreeRefPlace::kCurrentWorktree:
      return fmt::format("{}/{}", location_.git_dir, full_name);
    case WorktreeRefPlace::kOtherWorktree:
      return fmt::format("{}/worktrees/{}/{}", location_.common_dir, split.worktree, split.name);
    case WorktreeRefPlace::kShared:
    case WorktreeRefPlace::kMainWorktree:
      break;
  }
  return fmt::format("{}/{}", location_.common_dir, split.name);
}

void RefStore::list_loose(std::vector<std::string> directories, std::vector<std::string>& names,
                          std::vector<Fault>& problems) const {
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> visits;
  while (!directories.empty()) {
    const std::string directory = std::move(directories.back());
    directories.pop_back();
    const std::string path = path_of(directory);
    const auto listed = system_->list(os::kCurrentDirectory, path);
    if (!listed) {
      if (!os::is_missing(listed.error()) && problems.size() < kMaxProblems) {
        problems.emplace_back(MessageId::kRefUnreadable, fmt::format("cannot open directory {}: {}",
                                                                     path, listed.error().text()));
      }
      continue;
    }
    std::set<std::string> below;
    for (const os::DirectoryEntry& entry : *listed) {
      if (entry.name.starts_with('.') || entry.name.ends_with(".lock")) continue;
      const std::string name = directory + entry.name;
      if (name.size() > kMaxRefNameSize) continue;
      os::FileKind kind = entry.kind;
      if (!entry.kind_known || kind == os::FileKind::kSymlink) {
        const auto status = system_->status_at(os::kCurrentDirectory, path + entry.name, true);
        if (status) {
          kind = status->kind;
          if (kind == os::FileKind::kDirectory &&
              ++visits[{status->device, status->inode}] > kMaxVisits) {
            continue;
          }
        }
      }
      if (kind == os::FileKind::kDirectory) {
        below.insert(name + "/");
      } else if (kind != os::FileKind::kOther) {
        names.push_back(name);
      }
    }
    // These lie in the git directory of the worktree, wherever refs/ itself is.
    if (directory == "refs/") below.insert({"refs/bisect/", "refs/rewritten/", "refs/worktree/"});
    directories.insert(directories.end(), below.begin(), below.end());
  }
}

RefStore::Raw RefStore::read_packed_raw(const std::string& full_name) const {
  Raw raw;
  const PackedRef* packed = packed_.find(full_name);
  if (packed == nullptr) return raw;
  raw.state = Raw::State::kRead;
  raw.content.id = packed->id;
  raw.file = location_.common_dir + "/packed-refs";
  raw.packed = true;
  return raw;
}

RefStore::Raw RefStore::read_raw(const std::string& full_name) const {
  if (location_.reftables) return read_table_raw(full_name);
  Raw raw;
  raw.file = path_of(full_name);
  const auto bad = [&](Fault why) {
    raw.state = Raw::State::kBad;
    raw.fault = std::move(why);
    return raw;
  };
  const auto status = system_->status_at(os::kCurrentDirectory, raw.file, false);
  if (!status) {
    if (os::is_missing(status.error())) return read_packed_raw(full_name);
    return bad(broken_ref(fmt::format("cannot be read: {}", status.error().text())));
  }
  // An old way to write a symref: a symbolic link to "refs/...".
  if (status->kind == os::FileKind::kSymlink) {
    const auto target = system_->read_link(os::kCurrentDirectory, raw.file);
    if (target && target->starts_with("refs/") && is_valid_ref_name(*target)) {
      raw.state = Raw::State::kRead;
      raw.content.is_symref = true;
      raw.content.target = *target;
      return raw;
    }
  }
  if (status->kind == os::FileKind::kDirectory) return read_packed_raw(full_name);
  const auto bytes = os::read_followed_file(*system_, raw.file, kMaxRefFileSize);
  if (!bytes) {
    if (os::is_missing(bytes.error()) || bytes.error().code == EISDIR) return raw;
    return bad(broken_ref(fmt::format("cannot be read: {}", bytes.error().text())));
  }
  auto content = parse_ref_file(*bytes, kind_);
  if (!content) return bad(std::move(content.error()));
  raw.state = Raw::State::kRead;
  raw.content = std::move(*content);
  return raw;
}

std::optional<Ref> RefStore::find(std::string_view full_name) const {
  if (!is_valid_ref_name(full_name, true) && !is_safe_ref_name(full_name)) return std::nullopt;
  Ref ref;
  ref.name = full_name;
  ref.id = ObjectId::null(kind_);
  std::string name = ref.name;
  for (int depth = 0; depth < kMaxSymrefDepth; ++depth) {
    Raw raw = read_raw(name);
    if (depth == 0) {
      if (raw.state == Raw::State::kMissing) return std::nullopt;
      ref.file = raw.file;
      ref.packed = raw.packed;
    }
    if (raw.state == Raw::State::kMissing) {
      ref.dangling = true;
      ref.broken = broken_ref(fmt::format("points to {}, which does not exist", name));
      return ref;
    }
    if (raw.state == Raw::State::kBad) {
      if (depth > 0) raw.fault.text = fmt::format("points to {}, whose {}", name, raw.fault.text);
      ref.broken = std::move(raw.fault);
      return ref;
    }
    if (!raw.content.is_symref) {
      ref.id = raw.content.id;
      return ref;
    }
    name = raw.content.target;
    if (depth == 0) ref.symref_target = name;
    if (!is_valid_ref_name(name, true)) {
      ref.broken = broken_ref(fmt::format("points to '{}', which is no valid ref name", name));
      return ref;
    }
  }
  ref.broken = broken_ref("symbolic refs are nested too deeply");
  return ref;
}

std::optional<Ref> RefStore::resolve(std::string_view name) const {
  static constexpr std::string_view kRules[] = {
      "{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD"};
  if (name.empty() || name.size() > kMaxRefNameSize) return std::nullopt;
  for (const std::string_view rule : kRules) {
    const std::string full_name = fmt::format(fmt::runtime(rule), name);
    const bool is_plain = full_name == name;
    if (is_plain && !name.starts_with("refs/") &&
        split_worktree_ref(name).place == WorktreeRefPlace::kShared) {
      continue;
    }
    auto ref = find(full_name);
    if (ref && !ref->broken) return ref;
  }
  return std::nullopt;
}

}  // namespace assay
