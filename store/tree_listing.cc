#include "store/tree_listing.h"

#include "store/object/tree_entry.h"

namespace assay {

Result<std::vector<ListedEntry>> list_tree(ByteView tree, HashKind kind) {
  static constexpr std::string_view kTypes[] = {"tree", "blob", "commit"};
  std::vector<ListedEntry> entries;
  TreeEntry entry;
  while (!tree.empty()) {
    if (!parse_tree_entry(tree, kind, entry)) {
      return fault(MessageId::kObjectNotParsed,
                   std::string(tree_entry_words(tree_entry_problem(tree, kind))));
    }
    entries.push_back({entry.mode, kTypes[static_cast<std::size_t>(entry_kind(entry.mode))],
                       ObjectId::from_raw(entry.id, kind), entry.name});
    tree = tree.subspan(entry.size);
  }
  return entries;
}

}  // namespace assay
