// GraphReplay: walks the graph in the order in which git 2.55 walks it: roots in the order in which
// they are named, then last in, first out, the links of an object in their order. It tells which
// parent git blames for a missing object, what is reached at all, and what git calls an object.
//
// Thread safety: none.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "store/fsck/check_disputes.h"
#include "store/fsck/copy_reader.h"
#include "store/fsck/graph_members.h"
#include "store/fsck/object_links.h"

namespace assay {

class GraphReplay {
 public:
  struct Settings {
    const CommitParents* parents = nullptr;
    const std::vector<FalseLink>* false_links = nullptr;
    // By object number, those of GraphNumbers: the walk goes no further at what a remote promised.
    const std::vector<bool>* promised = nullptr;
    // By number of the object table, or null: those for which git has given up all their files.
    const std::vector<bool>* given_up = nullptr;
    std::uint64_t memory = 0;  // larger objects are not read
  };

  // A link that the walk could not follow because no file has the target.
  struct BrokenLink {
    std::uint32_t parent;
    std::uint32_t target;
  };

  GraphReplay(const Storage& storage, const LinkLedger& ledger, const GraphNumbers& numbers,
              const RootTable& roots, const Settings& settings);

  // Walks everything, or (if not null) only over these members: then the answers below are right
  // for them alone.
  void run(const GraphMembers* members);

  bool is_reached(std::uint32_t number) const { return reached_[number]; }
  const std::vector<BrokenLink>& broken_links() const { return broken_; }
  // Parents of false links that were reached, with the link.
  const std::vector<FalseLink>& false_links() const { return false_; }

  // Returns: what git would call the object: "refs/tags/v1^:src/f". Empty if it would not.
  // Requires: the roots keep names.
  std::string name_of(std::uint32_t number);

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  static constexpr std::uint32_t kARoot = std::uint32_t{1} << 31;  // the rest: which of them

  bool is_present(std::uint32_t number) const {
    return !numbers_.is_absent(number) && ledger_.present_type(number) != ObjectType::kUnknown;
  }
  bool is_nowhere(std::uint32_t number) const {
    return numbers_.is_absent(number) ||
           (settings_.given_up != nullptr && (*settings_.given_up)[number]);
  }
  bool is_false(std::uint32_t parent, std::uint32_t target) const;
  void mark(std::uint32_t number, std::uint32_t parent);
  void visit(std::uint32_t number, const GraphMembers* members);
  std::string name_of_child(const std::string& name, std::uint32_t parent, std::uint32_t child);

  const Storage& storage_;
  const LinkLedger& ledger_;
  const GraphNumbers& numbers_;
  const RootTable& roots_;
  const Settings settings_;
  CopyReader reader_;
  std::vector<bool> reached_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::uint32_t> targets_;  // of the object being visited
  std::vector<std::uint32_t> namers_;   // who named an object first: a parent, or a root
  std::unordered_map<std::uint32_t, std::string> names_;  // made already
  std::vector<BrokenLink> broken_;
  std::vector<FalseLink> false_;
};

}  // namespace assay
