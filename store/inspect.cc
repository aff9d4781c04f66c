#include "store/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "store/fsck/rules/gitattributes_rules.h"
#include "store/fsck/rules/gitmodules_rules.h"
#include "store/fsck/rules/object_rules.h"
#include "store/fsck/rules/special_blobs.h"

namespace assay {
namespace {

class ObjectCounter {
 public:
  explicit ObjectCounter(const ObjectStore& store)
      : system_(store.objects().system()),
        store_(store),
        directory_(store.objects().directories().front()) {}

  ObjectCounts count(bool verbose) {
    if (verbose) {
      packs_ = store_.objects().packs();
      count_leftovers_of_worktree();
    }
    count_loose(verbose);
    if (verbose) {
      count_packs();
      count_garbage_in_pack_directory();
      const auto& directories = store_.objects().directories();
      for (std::size_t i = 1; i < directories.size(); ++i) {
        counts_.alternates.push_back(directories[i].path());
      }
    }
    return std::move(counts_);
  }

 private:
  void add_garbage(std::string_view what, const std::string& path, const std::string& shown) {
    if (const auto status = system_.status_at(os::kCurrentDirectory, path, true)) {
      counts_.garbage_size += status->size;
    }
    ++counts_.garbage;
    counts_.garbage_messages.push_back(fmt::format("{}: {}", what, shown));
  }

  void count_loose(bool verbose) {
    const LooseDirectory loose = directory_.loose();
    for (unsigned fanout = 0; fanout < LooseDirectory::kFanoutCount; ++fanout) {
      const LooseListing listing = loose.list(fanout);
      const std::string path = directory_.path() + "/" + fanout_name(fanout) + "/";
      for (const LooseFile& file : listing.objects) {
        const auto status = system_.status_at(os::kCurrentDirectory, path + file.name, false);
        if (!status || status->kind != os::FileKind::kRegular) {
          if (verbose) {
            add_garbage("garbage found", path + file.name, loose.shown_file(fanout, file.name));
          }
          continue;
        }
        ++counts_.loose;
        counts_.loose_disk_size += status->blocks * 512;
        if (verbose && is_packed(file.id)) ++counts_.prune_packable;
      }
      if (!verbose) continue;
      // Unlike fsck, count-objects counts the temporary files of writers, too.
      if (const auto entries = system_.list(os::kCurrentDirectory, path)) {
        for (const os::DirectoryEntry& entry : *entries) {
          const bool is_object =
              std::any_of(listing.objects.begin(), listing.objects.end(),
                          [&](const LooseFile& file) { return file.name == entry.name; });
          if (!is_object) {
            add_garbage("garbage found", path + entry.name, loose.shown_file(fanout, entry.name));
          }
        }
      }
    }
  }

  bool is_packed(const ObjectId& id) const {
    for (const PackList& list : packs_->by_directory) {
      for (const auto& pack : list) {
        if (pack->index().find(id.data())) return true;
      }
    }
    return false;
  }

  void count_packs() {
    for (const auto& pack : packs_->by_directory.front()) {
      // An index without its pack is garbage.
      const auto pack_file = system_.status_at(os::kCurrentDirectory, pack->stem() + ".pack", true);
      const auto index_file = system_.status_at(os::kCurrentDirectory, pack->stem() + ".idx", true);
      if (!pack_file || !index_file) continue;
      ++counts_.packs;
      counts_.in_packs += pack->index().count();
      counts_.packs_size += pack_file->size + index_file->size;
    }
  }

  // Files of one pack share a stem; a stem with pack and index is in order.
  void count_garbage_in_pack_directory() {
    static constexpr std::array<std::string_view, 7> kSuffixes = {
        ".bitmap", ".idx", ".keep", ".mtimes", ".pack", ".promisor", ".rev"};
    const std::string path = directory_.path() + "/pack/";
    const std::string shown = directory_.shown_path() + "/pack/";
    const auto entries = system_.list(os::kCurrentDirectory, path);
    if (!entries) return;
    std::vector<std::string> names;
    for (const os::DirectoryEntry& entry : *entries) names.push_back(entry.name);
    std::sort(names.begin(), names.end());
    const auto stem_of = [](const std::string& name) { return name.substr(0, name.rfind('.')); };
    for (const std::string& name : names) {
      const bool known =
          std::any_of(kSuffixes.begin(), kSuffixes.end(),
                      [&](std::string_view suffix) { return name.ends_with(suffix); });
      if (name.starts_with("multi-pack-index") &&
          (name == "multi-pack-index" || name == "multi-pack-index.d" ||
           name.ends_with(".bitmap") || name.ends_with(".rev"))) {
        continue;
      }
      if (!known) {
        add_garbage("garbage found", path + name, shown + name);
        continue;
      }
      const std::string stem = stem_of(name);
      const bool has_pack = std::binary_search(names.begin(), names.end(), stem + ".pack");
      const bool has_index = std::binary_search(names.begin(), names.end(), stem + ".idx");
      if (has_pack && has_index) continue;
      add_garbage(has_pack    ? "no corresponding .idx"
                  : has_index ? "no corresponding .pack"
                              : "no corresponding .idx or .pack",
                  path + name, shown + name);
    }
  }

  // Files that belong into the common directory but lie in that of a linked worktree.
  void count_leftovers_of_worktree() {
    static constexpr const char* kShared[] = {"branches",
                                              "common",
                                              "hooks",
                                              "info",
                                              "info/sparse-checkout",
                                              "logs/refs/bisect",
                                              "logs/refs/rewritten",
                                              "logs/refs/worktree",
                                              "lost-found",
                                              "objects",
                                              "refs",
                                              "refs/bisect",
                                              "refs/rewritten",
                                              "refs/worktree",
                                              "remotes",
                                              "worktrees",
                                              "rr-cache",
                                              "svn",
                                              "config",
                                              "packed-refs",
                                              "shallow"};
    const RepositoryLayout& layout = store_.repository().layout();
    if (!layout.is_linked_worktree) return;
    for (const char* name : kShared) {
      const std::string path = layout.git_dir + "/" + name;
      if (!system_.status_at(os::kCurrentDirectory, path, false)) continue;
      add_garbage("garbage found", path, layout.shown_git_dir + "/" + name);
    }
  }

  os::System& system_;
  const ObjectStore& store_;
  const ObjectDirectory& directory_;
  std::shared_ptr<const ObjectDatabase::Packs> packs_;
  ObjectCounts counts_;
};

// Keeps the line that hash-object prints for each message.
class LineSink : public FindingSink {
 public:
  explicit LineSink(std::vector<std::string>& lines) : lines_(lines) {}
  void add(Finding finding) override {
    for (std::string& cause : finding.causes) lines_.push_back(std::move(cause));
    lines_.push_back(
        fmt::format("object fails fsck: {}: {}", message(finding.id).name, finding.text));
  }

 private:
  std::vector<std::string>& lines_;
};

// Judges the blobs that a tree calls .gitmodules or .gitattributes.
class NamedBlobs {
 public:
  NamedBlobs(const ObjectStore& store, const Policy& policy, FindingSink& sink)
      : store_(store), reporter_(policy, sink), reader_(store.objects()) {}

  void check(const SpecialBlobs& blobs) {
    check(blobs.gitmodules(), kGitmodulesRules);
    check(blobs.gitattributes(), kGitattributesRules);
  }

 private:
  void check(const SpecialBlobs::Ids& ids, const SpecialBlobRules& rules) {
    constexpr std::uint64_t kMostHeld = std::uint64_t{128} << 20;
    for (const ObjectId& id : std::set<ObjectId>(ids.begin(), ids.end())) {
      const auto object = reader_.read(id, kMostHeld);
      reporter_.begin(object ? object->type : ObjectType::kBlob, id);
      if (object) {
        if (object->type == ObjectType::kBlob) {
          rules.check(object->content, reporter_);
        } else {
          rules.report_non_blob(reporter_);
        }
      } else if (object.error().id == MessageId::kObjectTooLarge) {
        rules.report_large(reporter_);
      } else if (!store_.repository().has_promisor_remote()) {
        rules.report_missing(reporter_);
      }
    }
  }

  const ObjectStore& store_;
  RuleReporter reporter_;
  ObjectReader reader_;
};

}  // namespace

ObjectCounts count_objects(const ObjectStore& store, bool verbose) {
  return ObjectCounter(store).count(verbose);
}

FormatCheck check_object_format(ObjectType type, ByteView content, HashKind kind,
                                const ObjectStore* store) {
  FormatCheck result;
  LineSink sink(result.errors);
  Policy policy;
  policy.set_strict(true);
  RuleReporter reporter(policy, sink, RuleReporter::StopAt::kAnything);
  reporter.begin(type, ObjectId::null(kind));
  SpecialBlobs special;
  check_object_rules(type, content, kind, reporter, special);
  if (result.errors.empty() && store != nullptr) {
    LineSink notes(result.notes);
    NamedBlobs(*store, policy, notes).check(special);
  }
  return result;
}

}  // namespace assay
