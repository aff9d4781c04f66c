#include "store/repository/reftable_stack.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <unordered_set>

#include "store/os/follow_file.h"

namespace assay {
namespace {

// Each time a writer had merged tables before we came to open them.
constexpr int kTries = 20;
constexpr std::chrono::milliseconds kWait(2);

}  // namespace

ReftableStack ReftableStack::read(os::System& system, const std::string& directory,
                                  const std::string& shown, const std::string& worktree,
                                  HashKind kind) {
  ReftableStack stack;
  stack.kind_ = kind;
  for (int tries = 1; !stack.read_once(system, directory, shown, worktree) && tries < kTries;
       ++tries) {
    std::this_thread::sleep_for(kWait);
  }
  stack.merge();
  return stack;
}

// Returns: false when a listed table is missing.
bool ReftableStack::read_once(os::System& system, const std::string& directory,
                              const std::string& shown, const std::string& worktree) {
  tables_.clear();
  problems_.clear();
  const std::string list_name = "/tables.list";
  const auto bad = [this](const std::string& file, std::string text) {
    problems_.push_back({file, Fault(MessageId::kReftableBad, fmt::format("{}: {}", file, text))});
  };
  bool is_broken = false;
  // git says so once of the stack of a linked worktree, and of no other.
  const auto unreadable = [&](const std::string& file, const os::Error& error) {
    if (worktree.empty()) {
      bad(file, fmt::format("cannot be read: {}", error.text()));
    } else if (!is_broken) {
      problems_.push_back(
          {file, Fault(MessageId::kReftableBad,
                       fmt::format("reftable stack for worktree '{}' is broken", worktree))});
    }
    is_broken = true;
  };
  const auto bytes = os::read_followed_file(system, directory + list_name, kMaxReftableListSize);
  if (!bytes) {
    unreadable(shown + list_name, bytes.error());
    return true;
  }
  const ReftableList list = parse_reftable_list(*bytes);
  if (list.fault) bad(shown + list_name, list.fault->text);
  bool complete = true;
  for (const std::string& name : list.names) {
    const std::string file = shown + "/" + name;
    auto fd = system.open(os::kCurrentDirectory, directory + "/" + name,
                          O_RDONLY | O_NONBLOCK | O_NOCTTY);
    auto mapped = fd ? os::MappedFile::map(system, *fd)
                     : os::OsResult<os::MappedFile>(tl::unexpected<os::Error>(fd.error()));
    if (!mapped) {
      unreadable(file, mapped.error());
      complete = complete && !os::is_missing(mapped.error());
      continue;
    }
    if (mapped->bytes().size() > kMaxReftableSize) {
      bad(file, "is too large");
      continue;
    }
    Table table;
    table.name = name;
    table.path = directory + "/" + name;
    table.shown = file;
    table.content = read_reftable(mapped->bytes(), kind_, {});
    table.file = std::move(*mapped);
    const auto note = [&](Fault fault) {
      fault.text = fmt::format("{}: {}", file, fault.text);
      problems_.push_back({file, std::move(fault)});
    };
    if (table.content.fault) note(*table.content.fault);
    for (const Fault& doubt : table.content.doubts) note(doubt);
    if (!tables_.empty() &&
        table.content.min_update_index <= tables_.back().content.max_update_index &&
        !table.content.fault && !tables_.back().content.fault) {
      note(Fault(
          MessageId::kReftableDoubtful,
          fmt::format("its update indexes begin at {}, the table before ends at {}",
                      table.content.min_update_index, tables_.back().content.max_update_index)));
    }
    tables_.push_back(std::move(table));
  }
  return complete;
}

void ReftableStack::merge() {
  for (const Table& table : tables_) {
    for (const ReftableRef& ref : table.content.refs) {
      if (ref.kind == ReftableRef::Kind::kDeletion) {
        refs_.erase(ref.name);
      } else {
        refs_.insert_or_assign(ref.name, FoundRef{&ref, &table});
      }
    }
  }
}

ReftableStack::FoundRef ReftableStack::find(std::string_view name) const {
  const auto found = refs_.find(name);
  return found != refs_.end() ? found->second : FoundRef{};
}

void ReftableStack::for_each_log(
    const std::function<void(const ReftableLog&, const Table&)>& function) const {
  // Hashes of what newer tables say; the oldest table hides nothing.
  std::unordered_set<std::size_t> hidden;
  for (std::size_t i = tables_.size(); i-- > 0;) {
    const Table& table = tables_[i];
    read_reftable(table.file.bytes(), kind_, [&](const ReftableLog& log) {
      const std::size_t hash = std::hash<std::string_view>()(log.name) * 31 +
                               std::hash<std::uint64_t>()(log.update_index * 0x9e3779b97f4a7c15u);
      if (i + 1 < tables_.size() && hidden.contains(hash)) return;
      if (i > 0) hidden.insert(hash);
      if (!log.is_deletion) function(log, table);
    });
  }
}

}  // namespace assay
