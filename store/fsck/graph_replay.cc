#include "store/fsck/graph_replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/base/ascii.h"

namespace assay {
namespace {

// Returns: what git calls the parent number `position` (from 1) of a commit it calls `name`.
std::string parent_name(const std::string& name, std::size_t position) {
  if (position > 1) return fmt::format("{}^{}", name, position);
  if (name.ends_with('^')) return name.substr(0, name.size() - 1) + "~2";
  std::size_t digits = 0;
  while (digits < name.size() && is_digit(name[name.size() - 1 - digits])) ++digits;
  const std::size_t rest = name.size() - digits;
  if (digits == 0 || digits > 9 || rest == 0 || name[rest - 1] != '~') return name + "^";
  const unsigned long generation = std::stoul(name.substr(rest));
  if (generation == 0) return name + "^";
  return fmt::format("{}{}", name.substr(0, rest), generation + 1);
}

}  // namespace

GraphReplay::GraphReplay(const Storage& storage, const LinkLedger& ledger,
                         const GraphNumbers& numbers, const RootTable& roots,
                         const Settings& settings)
    : storage_(storage),
      ledger_(ledger),
      numbers_(numbers),
      roots_(roots),
      settings_(settings),
      reader_(storage, settings.memory),
      reached_(numbers.count(), false),
      namers_(roots.keeps_names() ? numbers.count() : 0, kNobody) {}

bool GraphReplay::is_false(std::uint32_t parent, std::uint32_t target) const {
  const auto& links = *settings_.false_links;  // by parent and target
  const auto found = std::lower_bound(
      links.begin(), links.end(), std::pair(parent, target),
      [](const FalseLink& link, const std::pair<std::uint32_t, std::uint32_t>& wanted) {
        return std::pair(link.parent, link.target) < wanted;
      });
  return found != links.end() && found->parent == parent && found->target == target;
}

void GraphReplay::mark(std::uint32_t number, std::uint32_t parent) {
  if (reached_[number]) return;
  reached_[number] = true;
  if ((*settings_.promised)[number]) return;
  if (!is_present(number)) {
    if (parent != kNobody && is_nowhere(number)) broken_.push_back({parent, number});
    return;
  }
  if (ledger_.present_type(number) != ObjectType::kBlob) stack_.push_back(number);
}

void GraphReplay::visit(std::uint32_t number, const GraphMembers* members) {
  targets_.clear();
  if (members != nullptr && members->has_links(number)) {
    members->append_links(number, targets_);
  } else {
    for (const ObjectLink& link :
         read_links(reader_, numbers_.id(number), number, storage_.kind(), *settings_.parents)) {
      const std::uint32_t target = numbers_.find(link.target);
      if (target == GraphNumbers::kNone) continue;
      if (members == nullptr || members->is_member(target)) targets_.push_back(target);
    }
  }
  for (const std::uint32_t target : targets_) {
    if (is_false(number, target)) continue;
    if (!namers_.empty() && namers_[target] == kNobody && namers_[number] != kNobody) {
      namers_[target] = number;
    }
    mark(target, number);
  }
}

void GraphReplay::run(const GraphMembers* members) {
  const auto& roots = roots_.roots();
  for (std::uint32_t i = 0; i < roots.size(); ++i) {
    const std::uint32_t number = numbers_.find(roots[i].id);
    if (number == GraphNumbers::kNone) continue;
    if (members != nullptr && !members->is_member(number)) continue;
    if (!namers_.empty() && namers_[number] == kNobody && !roots[i].name.empty()) {
      namers_[number] = kARoot | i;
    }
    mark(number, kNobody);
  }
  while (!stack_.empty()) {
    const std::uint32_t number = stack_.back();
    stack_.pop_back();
    visit(number, members);
  }
  for (const FalseLink& link : *settings_.false_links) {
    if (is_present(link.parent) && reached_[link.parent] && !(*settings_.promised)[link.parent]) {
      false_.push_back(link);
    }
  }
}

std::string GraphReplay::name_of_child(const std::string& name, std::uint32_t parent,
                                       std::uint32_t child) {
  const auto links =
      read_links(reader_, numbers_.id(parent), parent, storage_.kind(), *settings_.parents);
  const ObjectId id = numbers_.id(child);
  const auto link = std::find_if(links.begin(), links.end(),
                                 [&](const ObjectLink& one) { return one.target == id; });
  if (link == links.end()) return {};
  switch (ledger_.present_type(parent)) {
    case ObjectType::kTree:
      return name + link->name + (link->type == ObjectType::kTree ? "/" : "");
    case ObjectType::kCommit:
      if (link == links.begin()) return name + ":";
      return parent_name(name, static_cast<std::size_t>(link - links.begin()));
    default:
      return name;
  }
}

std::string GraphReplay::name_of(std::uint32_t number) {
  if (namers_.empty() || namers_[number] == kNobody) return {};
  // From the object up to a root or to what was asked before; the names are made on the way back.
  std::vector<std::uint32_t> chain{number};
  while ((namers_[chain.back()] & kARoot) == 0 && !names_.contains(chain.back())) {
    chain.push_back(namers_[chain.back()]);
  }
  const auto known = names_.find(chain.back());
  std::string name =
      known != names_.end() ? known->second : roots_.roots()[namers_[chain.back()] & ~kARoot].name;
  for (std::size_t i = chain.size() - 1; i-- > 0;) {
    name = name_of_child(name, chain[i + 1], chain[i]);
    names_.emplace(chain[i], name);
  }
  return name;
}

}  // namespace assay
