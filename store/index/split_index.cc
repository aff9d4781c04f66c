// Putting a split index together: the entries of the shared file, less those deleted, some
// replaced, and the new ones of the split file.
#include <fmt/format.h>

#include <algorithm>

#include "store/index/index_file.h"

namespace assay {
namespace {

bool comes_before(const IndexEntry& a, const IndexEntry& b) {
  const int order = a.path.compare(b.path);
  return order != 0 ? order < 0 : a.stage < b.stage;
}

// Adds `added` (sorted) to `entries` (sorted). An entry of the same path and stage is replaced; one
// of stage 0 replaces all stages of its path.
std::vector<IndexEntry> merged(std::vector<IndexEntry> entries, std::vector<IndexEntry> added) {
  std::vector<IndexEntry> result;
  result.reserve(entries.size() + added.size());
  std::size_t i = 0;
  for (IndexEntry& entry : added) {
    while (i < entries.size() && comes_before(entries[i], entry)) {
      result.push_back(std::move(entries[i++]));
    }
    while (i < entries.size() && entries[i].path == entry.path &&
           (entry.stage == 0 || entries[i].stage == entry.stage)) {
      ++i;
    }
    result.push_back(std::move(entry));
  }
  for (; i < entries.size(); ++i) result.push_back(std::move(entries[i]));
  return result;
}

}  // namespace

Result<IndexFile> merge_split_index(IndexFile split, const IndexFile& shared) {
  const std::size_t base_size = shared.entries.size();
  std::vector<IndexEntry> base = shared.entries;
  std::vector<bool> deleted(base_size, false);
  std::optional<Fault> why;
  const auto stop = [&](std::string text) {
    why = Fault(MessageId::kIndexFileBad, std::move(text));
    return false;
  };
  std::size_t replacements = 0;
  split.link->replaced.for_each([&](std::uint64_t position) {
    if (position >= base_size) {
      return stop(fmt::format("position for replacement {} exceeds base index size {}", position,
                              base_size));
    }
    if (replacements >= split.entries.size()) {
      return stop(
          fmt::format("too many replacements ({} vs {})", replacements, split.entries.size()));
    }
    IndexEntry& replacement = split.entries[replacements++];
    if (!replacement.path.empty()) {
      return stop(
          fmt::format("corrupt link extension, entry {} should have zero length name", position));
    }
    replacement.path = base[position].path;
    base[position] = std::move(replacement);
    return true;
  });
  if (!why) {
    split.link->deleted.for_each([&](std::uint64_t position) {
      if (position >= base_size) {
        return stop(
            fmt::format("position for delete {} exceeds base index size {}", position, base_size));
      }
      deleted[position] = true;
      return true;
    });
  }
  if (why) return tl::unexpected<Fault>(std::move(*why));

  std::vector<IndexEntry> kept;
  kept.reserve(base_size);
  for (std::size_t i = 0; i < base_size; ++i) {
    if (!deleted[i]) kept.push_back(std::move(base[i]));
  }
  std::vector<IndexEntry> added;
  for (std::size_t i = replacements; i < split.entries.size(); ++i) {
    if (split.entries[i].path.empty()) {
      return fault(
          MessageId::kIndexFileBad,
          fmt::format("corrupt link extension, entry {} should have non-zero length name", i));
    }
    added.push_back(std::move(split.entries[i]));
  }
  std::stable_sort(added.begin(), added.end(), comes_before);
  split.entries = merged(std::move(kept), std::move(added));
  split.is_sparse = split.is_sparse || shared.is_sparse;
  split.link.reset();
  return split;
}

}  // namespace assay
