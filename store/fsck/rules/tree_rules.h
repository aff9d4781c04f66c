// Rules for trees: every message id that git knows of a tree, one finding per id and tree.
//
// A caller that walks the entries anyway needs the full check only for trees that the quick tests
// of store/object/tree_entry.h find unusual:
//
//   TreeOrder order;
//   bool unusual = false;
//   while (...) {
//     if (!parse_tree_entry(rest, kind, entry)) { unusual = true; break; }
//     const std::uint32_t quick = quick_problems(entry, policy.max_pathname_size());
//     if (quick != 0) unusual |= inspect_entry(entry, quick, kind, special);
//     unusual |= order.add(entry);
//   }
//   if (unusual) check_tree_rules(body, kind, reporter, special);
#pragma once

#include "store/fsck/rules/rule_reporter.h"
#include "store/fsck/rules/special_blobs.h"
#include "store/object/tree_entry.h"
#include "store/object/tree_order.h"

namespace assay {

// The full check, exact: git's ids, texts and order.
void check_tree_rules(ByteView body, HashKind kind, RuleReporter& reporter, SpecialBlobs& special);

// Looks closer at an entry for which quick_problems() gave `quick` (not 0). Collects the blob if
// the name is special and harmless. Returns: true when its tree needs the full check.
bool inspect_entry(const TreeEntry& entry, std::uint32_t quick, HashKind kind,
                   SpecialBlobs& special);

}  // namespace assay
