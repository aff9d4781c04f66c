#include "store/fsck/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <set>
#include <thread>
#include <tuple>

#include "store/fsck/check_crossrefs.h"
#include "store/fsck/check_disputes.h"
#include "store/fsck/check_index_files.h"
#include "store/fsck/check_peeled.h"
#include "store/fsck/check_ref_format.h"
#include "store/fsck/check_reflogs.h"
#include "store/fsck/check_special_blobs.h"
#include "store/fsck/configured_policy.h"
#include "store/fsck/copy_reader.h"
#include "store/fsck/lost_found.h"
#include "store/fsck/multi_pack_index_lookup.h"
#include "store/fsck/phases.h"
#include "store/fsck/run_statistics.h"
#include "store/fsck/thread_count.h"
#include "store/report/exit_status.h"

namespace assay {
namespace {

// The rules judge the first copy of an object only, as git does: loose copies come before packed
// ones, packs by name. Requires: sorted by order.
void keep_first_verdicts(std::vector<Finding>& findings) {
  std::unordered_map<ObjectId, std::pair<std::uint32_t, std::uint64_t>, ObjectIdHash> first;
  const auto repeats = [&](const Finding& finding) {
    const bool of_rules = finding.order.phase <= kPhasePacks && finding.oid &&
                          finding.order.part < kStoragePart &&
                          finding.id != MessageId::kObjectNotParsed;
    if (!of_rules) return false;
    const std::pair place{finding.order.file, finding.order.item};
    return first.emplace(*finding.oid, place).first->second != place;
  };
  findings.erase(std::remove_if(findings.begin(), findings.end(), repeats), findings.end());
}

// True when the finding is about what a file of refs or an index file says, not about whether
// objects are there.
bool is_about_files(const Finding& finding) {
  switch (finding.id) {
    case MessageId::kInvalidRefPointer:
    case MessageId::kInvalidReflogEntry:
    case MessageId::kInvalidCacheTreePointer:
    case MessageId::kInvalidResolveUndoPointer:
    case MessageId::kNonTreeInCacheTree:
    case MessageId::kRefNotACommit:
      return false;
    default:
      return is_alarm(finding);
  }
}

std::set<std::string> texts_about_files(const std::vector<Finding>& findings) {
  std::set<std::string> texts;
  for (const Finding& finding : findings) {
    if (is_about_files(finding)) texts.insert(finding.ref + "\n" + finding.text);
  }
  return texts;
}

std::set<std::string> troubles(const RefSnapshot& snapshot) {
  std::set<std::string> texts;
  for (const Fault& problem : snapshot.problems) texts.insert(problem.text);
  for (const std::vector<Ref>* refs : {&snapshot.refs, &snapshot.heads, &snapshot.private_refs}) {
    for (const Ref& ref : *refs) {
      if (ref.broken) texts.insert(ref.name + "\n" + ref.broken->text);
    }
  }
  return texts;
}

constexpr int kMostReadings = 5;
constexpr std::chrono::milliseconds kBetweenReadings(5);

// A link that one look took out of the ledger is not there for the next one to find.
std::vector<FalseLink> united(const std::vector<FalseLink>& before,
                              const std::vector<FalseLink>& now) {
  std::vector<FalseLink> all;
  std::set_union(before.begin(), before.end(), now.begin(), now.end(), std::back_inserter(all),
                 [](const FalseLink& a, const FalseLink& b) {
                   return std::tie(a.parent, a.target) < std::tie(b.parent, b.target);
                 });
  return all;
}

}  // namespace

// What is kept from one look to the next.
struct Checker::Work {
  unsigned threads = 1;
  std::vector<ObjectSource> directories;
  std::unique_ptr<Storage> storage;
  std::optional<LinkLedger> ledger;
  std::optional<StorageState> state;  // when the last look began
  CommitGraphs commit_graphs;
  StorageCheckOptions check;
  StorageCheckResult checked;
  std::vector<std::uint32_t> dangling;  // in the last look
  std::vector<Finding> disputes;        // of all looks
  std::set<std::string> disputed;       // what they say
  std::vector<FalseLink> false_links;   // of all looks, by parent and target
  std::uint64_t faults_before = 0;      // reported before the first look
};

void Checker::report_fault(Fault fault, std::uint32_t phase, FindingSink& found, std::string file) {
  Finding finding = finding_of(std::move(fault), policy_);
  finding.file = std::move(file);
  finding.order = {phase, 0, reported_faults_++, 0};
  found.add(std::move(finding));
}

void Checker::say(const std::string& line) const {
  if (note_) note_(line);
}

void Checker::override_parents(const Repository& repository, FindingSink& found) {
  Grafts grafts = repository.grafts();
  for (Fault& problem : grafts.problems) {
    report_fault(std::move(problem), kPhaseRepository, found,
                 repository.shown_path(repository.graft_file()));
  }
  parents_ = std::move(grafts.parents);
  auto shallow = repository.shallow();
  if (!shallow) {
    report_fault(std::move(shallow.error()), kPhaseRepository, found,
                 repository.shown_path(repository.shallow_file()));
    return;
  }
  for (const ObjectId& id : *shallow) parents_[id].clear();
}

RefSnapshot Checker::snapshot(const Repository& repository) {
  RefSnapshot snapshot = snapshot_refs(repository);
  if (!options_.may_change) return snapshot;
  auto wrong = troubles(snapshot);
  for (int readings = 1; !wrong.empty() && readings < kMostReadings; ++readings) {
    std::this_thread::sleep_for(kBetweenReadings);
    snapshot = snapshot_refs(repository);
    auto now = troubles(snapshot);
    if (now == wrong) return snapshot;
    wrong = std::move(now);
  }
  if (!wrong.empty()) unsettled_ = true;
  return snapshot;
}

template <typename Check>
void Checker::check_twice(FindingSink& found, Check check) {
  FindingList last;
  check(last);
  auto wrong = texts_about_files(last.findings());
  bool again = options_.may_change && !wrong.empty();
  for (int readings = 1; again && readings < kMostReadings; ++readings) {
    std::this_thread::sleep_for(kBetweenReadings);
    last.findings().clear();
    check(last);
    auto now = texts_about_files(last.findings());
    again = now != wrong && !now.empty();
    wrong = std::move(now);
  }
  if (again) unsettled_ = true;
  for (Finding& finding : last.findings()) found.add(std::move(finding));
}

std::size_t Checker::check_heads(const ObjectView& objects, RootTable& roots, FindingSink& found) {
  std::vector<std::pair<std::string, ObjectId>> given;
  for (const FsckHead& head : options_.heads) {
    if (head.id) {
      given.emplace_back(head.name, *head.id);
    } else {
      report_fault(Fault(MessageId::kInvalidParameter,
                         "invalid parameter: expected sha1, got '" + head.name + "'"),
                   kPhaseRefs, found);
    }
  }
  return check_given_roots(given, objects, policy_, roots, found);
}

std::size_t Checker::check_refs_and_reflogs(const Repository& repository,
                                            const RefSnapshot& snapshot, const ObjectView& objects,
                                            const ReadObject& read, RootTable& roots,
                                            FindingSink& found) {
  for (const Fault& problem : snapshot.problems) {
    const bool of_table =
        problem.id == MessageId::kReftableBad || problem.id == MessageId::kReftableDoubtful;
    // Said by the check of the reference database.
    if (of_table && options_.check_references) continue;
    report_fault(problem, kPhaseRefs, found);
  }
  const std::size_t usable = check_refs(snapshot, objects, policy_, roots, found);
  if (options_.check_references && !options_.connectivity_only && options_.full) {
    check_peeled(snapshot.packed, snapshot.shown_packed, objects, read, policy_, found);
  }
  if (options_.use_reflogs) {
    ReflogCheckOptions reflogs;
    reflogs.now = static_cast<std::uint64_t>(std::time(nullptr));
    reflogs.note = note_;
    check_twice(found, [&](FindingSink& sink) {
      check_reflogs(repository, reflogs, objects, policy_, roots, sink);
      reflogs.note = nullptr;
    });
  }
  return usable;
}

void Checker::check_roots(const Repository& repository, const RefSnapshot& snapshot,
                          const ObjectView& objects, const ReadObject& read, RootTable& roots,
                          GraphOptions& graph, FindingSink& found) {
  const std::size_t usable =
      options_.heads.empty()
          ? check_refs_and_reflogs(repository, snapshot, objects, read, roots, found)
          : check_heads(objects, roots, found);
  if (usable == 0) {
    report_no_default_references(policy_, found);
    graph.show_unreachable = false;
  }
  if (options_.use_index.value_or(options_.heads.empty())) {
    auto note = note_;
    check_twice(found, [&](FindingSink& sink) {
      check_index_files(repository, objects, policy_, roots, sink, read,
                        std::exchange(note, nullptr));
    });
  }
}

void Checker::set_up(const Repository& repository, Work& work) {
  work.threads = options_.threads != 0 ? options_.threads : os::usable_cpus();
  work.directories = repository.object_sources();
  StorageCheckOptions& check = work.check;
  check.threads = work.threads;
  check.memory = options_.memory;
  check.temporary_directory = options_.temporary_directory;
  check.check_packs = options_.full || options_.connectivity_only;
  check.connectivity_only = options_.connectivity_only;
  check.full_bitmaps = options_.full_bitmaps;
  const auto big = repository.config().get_int("core.bigFileThreshold");
  if (big && *big && **big > 0) check.big_file_threshold = static_cast<std::uint64_t>(**big);
  check.verify.policy = &policy_;
  check.verify.parents = &parents_;
  check.verify.report_roots = options_.show_roots;
  check.verify.report_tags = options_.show_tags;
  check.verify.detect_collisions = options_.detect_collisions;
  check.verify.portable_names = options_.portable_names;
  check.verify.progress = options_.progress;
  check.verify.note = options_.note;
  check.verify.commit_graphs = &work.commit_graphs;
  check.verify.trace_limit =
      static_cast<std::size_t>(options_.memory / 2 / sizeof(std::uint32_t) / work.threads);
}

// Lists storage, the first time or again, and verifies what is new.
void Checker::load_storage(const Repository& repository, Work& work, const StorageState& state,
                           FindingList& found) {
  FindingList listed;
  if (!work.state || !work.state->same_graphs_as(state)) {
    work.commit_graphs = load_commit_graphs(repository, work.directories);
  }
  StorageExtent begin;
  if (!options_.connectivity_only) {
    for (std::size_t i = 0; i < work.directories.size(); ++i) say("Checking object directory");
  }
  if (work.storage == nullptr) {
    Storage::Options options;
    options.kind = repository.hash_kind();
    options.packs_are_promised = repository.has_promisor_remote();
    options.threads = work.threads;
    work.storage = Storage::load(system_, work.directories, options, policy_, listed);
    work.check.verify.files = &work.storage->files();
    work.ledger.emplace(work.storage->table());
  } else {
    begin = work.storage->extent();
    work.storage->extend(work.ledger->vanished(), policy_, listed);
    work.ledger->extend();
    // Commits that have become shallow have no parents to be missed.
    work.ledger->forget_missing([&](const MissingLink& link) {
      const auto replaced = parents_.find(work.storage->table().id(link.parent));
      return replaced != parents_.end() && link.type == ObjectType::kCommit &&
             std::find(replaced->second.begin(), replaced->second.end(), link.target) ==
                 replaced->second.end();
    });
  }
  for (Finding& finding : listed.findings()) {
    // git does not verify packs then: one that it cannot open is no fault of its own.
    const bool unread = options_.connectivity_only || !options_.full;
    if (unread && finding.bit == ExitBit::kBitPack) {
      finding.bit = ExitBit::kBitNone;
    }
    found.add(std::move(finding));
  }
  if (options_.progress != nullptr) options_.progress->total_objects = work.storage->copy_count();
  work.commit_graphs.number(work.storage->table());
  if (options_.threads == 0) work.check.threads = worthwhile_threads(*work.storage, work.threads);
  check_storage(*work.storage, begin, *work.ledger, work.check, work.checked);
}

Patience::Look Checker::look(const Repository& repository, Work& work, FindingList& found) {
  unsettled_ = false;
  note_ = work.state ? nullptr : options_.note;  // what is said by the way is said once
  reported_faults_ = work.faults_before;         // every look puts its findings in the same order
  override_parents(repository, found);
  if (options_.check_references) {
    say("Checking ref database");
    auto note = note_;
    check_twice(found, [&](FindingSink& sink) {
      check_ref_format(repository, policy_, sink, std::exchange(note, nullptr));
    });
  }
  // The state first, then the refs, then the objects: what a ref names was written before the ref.
  const StorageState state = StorageState::take(system_, work.directories);
  const RefSnapshot refs = snapshot(repository);
  load_storage(repository, work, state, found);
  const Storage& storage = *work.storage;
  LinkLedger& ledger = *work.ledger;
  const std::size_t vanished = ledger.vanished().size();

  std::vector<ObjectId> tips;
  if (options_.heads.empty()) {
    for (const Ref& ref : refs.refs) tips.push_back(ref.id);
    for (const Ref& head : refs.heads) tips.push_back(head.id);
  }
  FindingList disputes;
  work.false_links =
      united(work.false_links, check_disputes(storage, ledger, tips, work.check, disputes));
  // Those who lost a dispute in a former look are gone and not heard again.
  for (Finding& finding : disputes.findings()) {
    if (work.disputed.insert(fmt::format("{} {}", finding.oid->hex(), finding.text)).second) {
      work.disputes.push_back(std::move(finding));
    }
  }
  const Promises promises = find_promises(storage, ledger);
  check_special_blobs(storage, ledger, work.checked.special_blobs, promises.absent, work.check,
                      found);
  RootTable roots(ledger, options_.name_objects);
  GraphOptions graph;
  graph.show_dangling = options_.show_dangling;
  graph.show_unreachable = options_.show_unreachable;
  graph.note = note_;
  MultiPackIndexLookup listed(storage);
  graph.is_listed_elsewhere = [&](const ObjectId& id) { return listed.contains(id); };
  CopyReader reader(storage, options_.memory);
  const bool unverified = options_.connectivity_only || !options_.full;
  const VerifiedObjects objects(ledger, promises.absent, unverified ? &reader : nullptr,
                                options_.connectivity_only, graph.is_listed_elsewhere);
  const ReadObject read = [&](const ObjectId& id) -> std::optional<ReadResult> {
    const std::uint32_t number = storage.table().find(id);
    if (number == ObjectTable::kAbsent) return std::nullopt;
    auto object = reader.read(number);
    if (!object) return std::nullopt;
    return ReadResult{object->type, std::move(object->bytes)};
  };
  check_roots(repository, refs, objects, read, roots, graph, found);
  work.dangling =
      check_graph(storage, ledger, roots, promises, work.false_links, graph, work.check, found);
  check_crossrefs(repository, storage, ledger, work.commit_graphs, work.check, found);

  // The links of objects that vanished before they could be counted are not known.
  for (std::size_t i = vanished; i < ledger.vanished().size(); ++i) {
    const std::uint32_t number = ledger.vanished()[i];
    const ObjectType type = ledger.present_type(number);
    if (type == ObjectType::kUnknown || type == ObjectType::kBlob) continue;
    if (!ledger.links_claimed(number)) unsettled_ = true;
  }
  Patience::Look result;
  result.unsettled = unsettled_;
  const bool alarmed =
      unsettled_ || std::any_of(found.findings().begin(), found.findings().end(), is_alarm);
  if (alarmed) {
    const StorageState now = StorageState::take(system_, work.directories);
    result.moved = state.is_fresh() || !state.same_as(now);
    result.packs_are_fresh = now.packs_are_fresh();
  }
  work.state = state;
  return result;
}

void Checker::report_inconclusive(const std::vector<Finding>& doubtful) {
  Finding finding;
  finding.id = MessageId::kRepositoryChanging;
  finding.severity = message(finding.id).severity;
  finding.bit = message(finding.id).bit;
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < std::min(kShown, doubtful.size()); ++i) {
    finding.causes.push_back("seen, but not for certain: " + doubtful[i].text);
  }
  finding.text = fmt::format(
      "repositoryChanging: the repository kept changing while it was checked; {} finding{} could "
      "not be confirmed",
      doubtful.size(), doubtful.size() == 1 ? "" : "s");
  finding.order = {kPhaseInconclusive, 0, 0, 0};
  findings_.add(std::move(finding));
}

Result<FsckReport> Checker::run() {
  const auto start = std::chrono::steady_clock::now();
  const RunTimer timer;
  const auto repository = Repository::open(system_, options_.repository);
  if (!repository) return tl::unexpected<Fault>(repository.error());
  if (options_.strict) policy_.set_strict(true);
  if (auto configured = configure_policy(*repository, policy_); !configured) {
    return tl::unexpected<Fault>(std::move(configured.error()));
  }
  if (repository->layout().fault) {
    report_fault(*repository->layout().fault, kPhaseRepository, findings_);
  }
  for (std::size_t i = 0; i < repository->alternate_problems().size(); ++i) {
    const std::string& file = repository->alternate_problem_files()[i];
    report_fault(repository->alternate_problems()[i], kPhaseRepository, findings_,
                 file.empty() ? file : repository->shown_path(file));
  }
  Work work;
  set_up(*repository, work);
  work.faults_before = reported_faults_;
  FindingList found;
  Patience::Look look = this->look(*repository, work, found);
  Patience patience(std::chrono::steady_clock::now() - start);
  while (options_.may_change && patience.wants_another_look(found.findings(), look)) {
    found.findings().clear();
    look = this->look(*repository, work, found);
  }
  const std::vector<Finding> doubtful = patience.take_doubtful(found.findings());
  if (!doubtful.empty() || (patience.unsettled() && look.unsettled)) report_inconclusive(doubtful);
  drop_results_of_unparsed(work.disputes, work.checked.findings);
  for (std::vector<Finding>* list : {&found.findings(), &work.disputes, &work.checked.findings}) {
    for (Finding& finding : *list) findings_.add(std::move(finding));
  }

  if (options_.lost_found) {
    for (Fault& problem :
         write_lost_found(*repository, *work.storage, *work.ledger, work.dangling)) {
      report_fault(std::move(problem), kPhaseGraph, findings_);
    }
  }
  describe_work(*work.storage, work.checked, work.check.threads, options_.detect_collisions,
                statistics_);
  timer.read(work.checked.stage_ticks, statistics_);
  return finish();
}

FsckReport Checker::finish() {
  FsckReport report;
  report.findings = std::move(findings_.findings());
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.order < b.order; });
  keep_first_verdicts(report.findings);
  std::erase_if(report.findings,
                [](const Finding& finding) { return finding.severity == Severity::kIgnore; });
  ExitStatus status;
  for (const Finding& finding : report.findings) status.add(finding);
  report.exit_status = status.value();
  report.statistics = std::move(statistics_);
  return report;
}

}  // namespace assay
