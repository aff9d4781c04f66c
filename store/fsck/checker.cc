#include "store/fsck/checker.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#include "sha1/kernel.h"
#include "store/fsck/check_crossrefs.h"
#include "store/fsck/check_disputes.h"
#include "store/fsck/check_index_files.h"
#include "store/fsck/check_ref_format.h"
#include "store/fsck/check_reflogs.h"
#include "store/fsck/check_special_blobs.h"
#include "store/fsck/configured_policy.h"
#include "store/report/exit_status.h"

namespace assay {
namespace {

double cpu_seconds() {
  struct rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

unsigned usable_cpus() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    return std::max(1u, static_cast<unsigned>(CPU_COUNT(&set)));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

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

}  // namespace

void Checker::report_fault(Fault fault, std::uint32_t phase) {
  Finding finding;
  finding.id = fault.id;
  finding.severity = policy_.severity(fault.id);
  finding.bit = message(fault.id).bit;
  finding.text = std::move(fault.text);
  finding.causes = std::move(fault.causes);
  finding.offset = fault.offset;
  finding.order = {phase, 0, reported_faults_++, 0};
  findings_.add(std::move(finding));
}

void Checker::override_parents(const Repository& repository) {
  Grafts grafts = repository.grafts();
  for (Fault& problem : grafts.problems) report_fault(std::move(problem), kPhaseRepository);
  parents_ = std::move(grafts.parents);
  auto shallow = repository.shallow();
  if (!shallow) {
    report_fault(std::move(shallow.error()), kPhaseRepository);
    return;
  }
  for (const ObjectId& id : *shallow) parents_[id].clear();
}

void Checker::check_roots(const Repository& repository, const Result<RefSnapshot>& snapshot,
                          const ObjectView& objects, RootTable& roots, GraphOptions& graph) {
  if (!options_.objects.empty()) {
    std::vector<std::pair<std::string, ObjectId>> given;
    const auto refs = repository.refs();
    for (const std::string& text : options_.objects) {
      auto id = ObjectId::from_hex(text, repository.hash_kind());
      if (!id && refs) {
        if (const auto ref = refs->resolve(text)) id = ref->id;
      }
      if (id) {
        given.emplace_back(text, *id);
      } else {
        report_fault(Fault(MessageId::kInvalidParameter,
                           "invalid parameter: expected sha1, got '" + text + "'"),
                     kPhaseRefs);
      }
    }
    check_given_roots(given, objects, policy_, roots, findings_);
  } else if (snapshot) {
    for (const Fault& problem : snapshot->problems) report_fault(problem, kPhaseRefs);
    const std::size_t usable = check_refs(*snapshot, objects, policy_, roots, findings_);
    if (options_.use_reflogs) {
      ReflogCheckOptions reflogs;
      reflogs.now = static_cast<std::uint64_t>(std::time(nullptr));
      check_reflogs(repository, reflogs, objects, policy_, roots, findings_);
    }
    if (usable == 0) {
      report_no_default_references(policy_, findings_);
      graph.show_unreachable = false;
    }
  } else {
    report_fault(snapshot.error(), kPhaseRefs);
  }
  if (options_.use_index.value_or(options_.objects.empty())) {
    check_index_files(repository, objects, policy_, roots, findings_);
  }
}

Result<FsckReport> Checker::run() {
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = cpu_seconds();
  const std::uint64_t tick_start = StageClock::ticks();
  const auto repository = Repository::open(system_, options_.repository);
  if (!repository) return tl::unexpected<Fault>(repository.error());
  if (options_.strict) policy_.set_strict(true);
  if (auto configured = configure_policy(*repository, policy_); !configured) {
    return tl::unexpected<Fault>(std::move(configured.error()));
  }
  if (repository->layout().fault) report_fault(*repository->layout().fault, kPhaseRepository);
  override_parents(*repository);
  for (const Fault& problem : repository->alternate_problems()) {
    report_fault(problem, kPhaseRepository);
  }
  if (options_.check_references) check_ref_format(*repository, policy_, findings_, options_.note);
  const auto snapshot = snapshot_refs(*repository);

  const unsigned threads = options_.threads != 0 ? options_.threads : usable_cpus();
  std::vector<ObjectDirectoryPath> directories;
  for (const std::string& path : repository->object_directories()) {
    directories.push_back({path, repository->shown_path(path)});
  }
  Storage::Options storage_options;
  storage_options.kind = repository->hash_kind();
  storage_options.packs_are_promised = repository->has_promisor_remote();
  storage_options.threads = threads;
  CommitGraphs commit_graphs = load_commit_graphs(*repository, directories);
  const auto storage = Storage::load(system_, directories, storage_options, policy_, findings_);
  if (options_.connectivity_only) {
    // git looks for links only: a pack that it cannot open is no fault of its own here.
    for (Finding& finding : findings_.findings()) {
      if (finding.bit == ExitBit::kBitPack) finding.bit = ExitBit::kBitNone;
    }
  }
  LinkLedger ledger(storage->table());

  StorageCheckOptions check;
  check.threads = threads;
  check.memory = options_.memory;
  check.check_packs = options_.full || options_.connectivity_only;
  check.connectivity_only = options_.connectivity_only;
  check.verify.policy = &policy_;
  check.verify.parents = &parents_;
  check.verify.files = &storage->files();
  check.verify.report_roots = options_.show_roots;
  check.verify.report_tags = options_.show_tags;
  check.verify.detect_collisions = options_.detect_collisions;
  check.verify.progress = options_.progress;
  check.verify.note = options_.note;
  if (options_.progress != nullptr) options_.progress->total_objects = storage->copy_count();
  commit_graphs.number(storage->table());
  check.verify.commit_graphs = &commit_graphs;
  StorageCheckResult checked = check_storage(*storage, ledger, check);
  for (Finding& finding : checked.findings) findings_.add(std::move(finding));

  std::vector<ObjectId> tips;
  if (snapshot && options_.objects.empty()) {
    for (const Ref& ref : snapshot->refs) tips.push_back(ref.id);
    for (const Ref& head : snapshot->heads) tips.push_back(head.id);
  }
  const std::vector<FalseLink> false_links =
      check_disputes(*storage, ledger, tips, check, findings_);
  const ObjectIdSet promised = promised_objects(*storage, ledger);
  check_special_blobs(*storage, ledger, checked.special_blobs, promised, check, findings_);
  RootTable roots(storage->table());
  GraphOptions graph{options_.show_dangling, options_.show_unreachable};
  const VerifiedObjects objects(
      ledger, promised, check.check_packs ? std::vector<ObjectType>() : storage->packed_types());
  check_roots(*repository, snapshot, objects, roots, graph);
  check_graph(*storage, ledger, roots, promised, false_links, graph, check, findings_);
  check_crossrefs(*repository, *storage, ledger, commit_graphs, check, findings_);

  statistics_.objects = checked.counters.objects;
  statistics_.object_bytes = checked.counters.object_bytes;
  statistics_.hashed_bytes = checked.counters.hashed_bytes;
  statistics_.packs = storage->packs().size();
  for (const StoredFanout& fanout : storage->fanouts()) {
    statistics_.loose_objects += fanout.objects.size();
  }
  statistics_.threads = threads;
  statistics_.kernel = sha1::best().name;
  statistics_.detecting = options_.detect_collisions;
  statistics_.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  statistics_.cpu_seconds = cpu_seconds() - cpu_start;
  const auto ticks = static_cast<double>(StageClock::ticks() - tick_start);
  const double seconds_per_tick = ticks > 0 ? statistics_.seconds / ticks : 0;
  for (std::size_t i = 0; i < kStages; ++i) {
    const double seconds = static_cast<double>(checked.stage_ticks[i]) * seconds_per_tick;
    statistics_.stages.push_back({stage_name(static_cast<Stage>(i)), seconds});
  }
  statistics_.sha1_seconds = statistics_.stages[static_cast<std::size_t>(Stage::kSha1)].seconds;
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
