#include "store/repository/repository.h"

#include <fmt/format.h>

#include "store/os/follow_file.h"
#include "store/repository/shallow.h"

namespace assay {
namespace {

constexpr std::uint64_t kMaxListSize = std::uint64_t{256} << 20;  // shallow and grafts, bytes

// True when `path` is `directory` or lies below it.
bool is_within(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace

Result<Repository> Repository::open(os::System& system, const OpenOptions& options) {
  const auto failed = [](Fault& why) { return tl::unexpected<Fault>(std::move(why)); };
  const Environment& environment = options.environment;
  Repository repository;
  repository.system_ = &system;
  auto layout = discover_layout(system, options);
  if (!layout) return failed(layout.error());
  repository.layout_ = std::move(*layout);

  const auto local = GitConfig::load_file(system, environment, repository.common_dir() + "/config",
                                          ConfigScope::kLocal);
  if (!local) return tl::unexpected<Fault>(local.error());
  auto format = read_repository_format(*local);
  if (!format) return failed(format.error());
  repository.format_ = std::move(*format);
  if (const auto backend = environment.get("GIT_REFERENCE_BACKEND")) {
    const auto storage = parse_ref_storage(*backend);
    if (!storage) {
      return fault(MessageId::kConfigBad,
                   fmt::format("unknown ref storage format: '{}'", *backend));
    }
    repository.format_.ref_storage = *storage;
  }

  ConfigSources sources;
  sources.git_dir = repository.git_dir();
  sources.common_dir = repository.common_dir();
  sources.worktree_config = repository.format_.worktree_config;
  sources.overrides = options.overrides;
  auto config = GitConfig::load(system, environment, sources);
  if (!config) return failed(config.error());
  repository.config_ = std::move(*config);

  // In a linked worktree the common config does not decide about bareness.
  RepositoryLayout& where = repository.layout_;
  if (repository.format_.bare.value_or(false) && !where.is_linked_worktree) where.work_tree = "";
  if (repository.format_.work_tree && !where.is_linked_worktree) {
    where.work_tree = joined_path(where.git_dir, *repository.format_.work_tree);
  }
  if (const auto work_tree = environment.get("GIT_WORK_TREE")) {
    where.work_tree = joined_path(options.directory, *work_tree);
  }

  const auto shallow_file = environment.get("GIT_SHALLOW_FILE");
  repository.shallow_file_ = shallow_file.value_or(where.common_dir + "/shallow");
  const auto graft_file = environment.get("GIT_GRAFT_FILE");
  repository.graft_file_ = graft_file.value_or(where.common_dir + "/info/grafts");

  auto promisors = repository.config_.promisor_remotes();
  if (!promisors) return failed(promisors.error());
  repository.has_promisor_remote_ =
      !promisors->empty() || !repository.format_.partial_clone.empty();

  repository.directories_ = find_object_directories(
      system, where.objects_dir, environment.get("GIT_ALTERNATE_OBJECT_DIRECTORIES").value_or(""));
  return repository;
}

std::vector<ObjectSource> Repository::object_sources() const {
  std::vector<ObjectSource> sources;
  for (const std::string& path : directories_.paths) sources.push_back({path, shown_path(path)});
  return sources;
}

WorktreeList Repository::worktrees() const {
  return list_worktrees(*system_, common_dir(), git_dir());
}

RefStore Repository::refs() const {
  const bool reftables = format_.ref_storage == RefStorage::kReftable;
  return RefStore::snapshot(
      *system_, {git_dir(), common_dir(), layout_.shown_common_dir, reftables}, hash_kind());
}

Result<std::vector<ObjectId>> Repository::shallow() const {
  const std::string& file = shallow_file_;
  if (file.empty()) return std::vector<ObjectId>();  // GIT_SHALLOW_FILE= : none
  const auto bytes = os::read_followed_file(*system_, file, kMaxListSize);
  if (!bytes) {
    if (os::is_missing(bytes.error())) return std::vector<ObjectId>();
    return fault(MessageId::kConfigBad,
                 fmt::format("unable to read '{}': {}", file, bytes.error().text()));
  }
  return parse_shallow(*bytes, hash_kind());
}

Grafts Repository::grafts() const {
  const std::string& file = graft_file_;
  const auto bytes = os::read_followed_file(*system_, file, kMaxListSize);
  if (bytes) return parse_grafts(*bytes, hash_kind());
  Grafts none;
  if (!os::is_missing(bytes.error())) {
    none.problems.emplace_back(MessageId::kGraftBad,
                               fmt::format("unable to read '{}': {}", file, bytes.error().text()));
  }
  return none;
}

Result<CommitParents> Repository::substituted_parents() const {
  auto shallow_commits = shallow();
  if (!shallow_commits) return tl::unexpected<Fault>(std::move(shallow_commits.error()));
  CommitParents parents = grafts().parents;
  for (const ObjectId& commit : *shallow_commits) parents[commit].clear();
  return parents;
}

std::string Repository::shown_path(std::string_view path) const {
  // The longest first: objects_dir lies within common_dir, common_dir may hold git_dir.
  const std::pair<std::string_view, std::string_view> pairs[] = {
      {layout_.objects_dir, layout_.shown_objects_dir},
      {layout_.git_dir, layout_.shown_git_dir},
      {layout_.common_dir, layout_.shown_common_dir},
  };
  for (const auto& [real, shown] : pairs) {
    if (is_within(path, real)) return fmt::format("{}{}", shown, path.substr(real.size()));
  }
  return std::string(path);
}

}  // namespace assay
