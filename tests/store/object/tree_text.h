// Trees for tests, made of readable entries.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/object/tree_entry.h"

namespace assay {

inline std::string entry_text(std::string_view mode, std::string_view name,
                              HashKind kind = HashKind::kSha1) {
  return std::string(mode) + " " + std::string(name) + '\0' + std::string(id_size(kind), '3');
}

// A tree in a buffer of exactly its size, so that a sanitizer sees a read past it.
class ExactTree {
 public:
  explicit ExactTree(std::string_view text)
      : size_(text.size()), bytes_(std::make_unique<std::uint8_t[]>(text.size())) {
    std::copy(text.begin(), text.end(), bytes_.get());
  }
  ByteView view() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<std::uint8_t[]> bytes_;
};

inline std::vector<TreeEntry> parse_all(ByteView rest, HashKind kind = HashKind::kSha1) {
  std::vector<TreeEntry> entries;
  TreeEntry entry;
  while (!rest.empty() && parse_tree_entry(rest, kind, entry)) {
    entries.push_back(entry);
    rest = rest.subspan(entry.size);
  }
  EXPECT_TRUE(rest.empty());
  return entries;
}

}  // namespace assay
