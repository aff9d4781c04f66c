// LinkedRepository: a small repository made by hand, of loose objects that link to each other, and
// what `assay fsck` says of it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/loose_files.h"
#include "tests/support/repository_files.h"
#include "tests/support/run_tool.h"

namespace assay::testing {

inline constexpr std::string_view kIdent = "A U Thor <author@example.com> 1700000000 +0000";
inline const std::string kObjects = "top/.git/objects";

// Tests derive from it.
class LinkedRepository : public ::testing::Test {
 protected:
  ObjectId put(std::string_view type, std::string_view content) {
    return put_object(files_.root(), type, content, kObjects);
  }
  static std::string entry(std::string_view mode_and_name, const ObjectId& id) {
    return std::string(mode_and_name) + '\0' + std::string(as_text(id.bytes()));
  }
  ObjectId commit(const ObjectId& tree, const std::vector<ObjectId>& parents = {}) {
    std::string text = "tree " + tree.hex() + "\n";
    for (const ObjectId& parent : parents) text += "parent " + parent.hex() + "\n";
    return put("commit", text + "author " + std::string(kIdent) + "\ncommitter " +
                             std::string(kIdent) + "\n\nmessage\n");
  }
  void branch(const std::string& name, const ObjectId& id) {
    files_.write("refs/heads/" + name, id.hex() + "\n");
  }
  ToolResult fsck(std::vector<std::string> options = {}) {
    options.insert(options.begin(), "fsck");
    return run_tool(options, files_.top());
  }
  static std::string broken(std::string_view from_type, const std::string& from,
                            std::string_view to_type, const std::string& to) {
    const auto padded = [](std::string_view word) {
      return std::string(7 - word.size(), ' ') + std::string(word);
    };
    return "broken link from " + padded(from_type) + " " + from + "\n              to " +
           padded(to_type) + " " + to + "\n";
  }

  RepositoryFiles files_;
  const ObjectId absent_ = id_of(with_header("blob", "absent\n"));
};

}  // namespace assay::testing
