// Faults that git fsck passes over: each found, its near miss not. Small repositories made by hand.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "store/object/object_hash.h"
#include "tests/support/index_builder.h"
#include "tests/support/loose_files.h"
#include "tests/support/pack_builder.h"
#include "tests/support/repository_files.h"
#include "tests/support/run_tool.h"

namespace assay::tools {
namespace {

using testing::put_object;
using testing::raw_text;

const std::string kObjects = "top/.git/objects";
const std::string kNul(1, '\0');

class BlindSpots : public ::testing::Test {
 protected:
  BlindSpots() {
    blob_ = put("blob", "content\n");
    tree_ = put("tree", entry("100644 file", blob_));
    commit_ = commit(tree_);
    files_.write("refs/heads/main", commit_.hex() + "\n");
  }

  ObjectId put(std::string_view type, std::string_view content) {
    return put_object(files_.root(), type, content, kObjects);
  }
  static std::string entry(std::string_view mode_and_name, const ObjectId& id) {
    return std::string(mode_and_name) + kNul + raw_text(id);
  }
  ObjectId commit(const ObjectId& tree) {
    const std::string who = " A <a@b> 1 +0000\n";
    return put("commit",
               "tree " + tree.hex() + "\nauthor" + who + "committer" + who + "\nmessage\n");
  }
  ObjectId tag(std::string_view type, const ObjectId& target) {
    return put("tag", "object " + target.hex() + "\ntype " + std::string(type) +
                          "\ntag t\ntagger A <a@b> 1 +0000\n\nmessage\n");
  }
  // Returns: what stands on stderr; these findings have no part in the status.
  std::string warnings(int status = 0) {
    const auto result = run_tool({"fsck", "--no-dangling"});
    EXPECT_EQ(status, result.status) << result.err;
    return result.err;
  }
  testing::ToolResult run_tool(const std::vector<std::string>& arguments) {
    return testing::run_tool(arguments, files_.top());
  }

  testing::RepositoryFiles files_;
  ObjectId blob_;
  ObjectId tree_;
  ObjectId commit_;
};

TEST_F(BlindSpots, BitsOfALooseObjectThatMeanNothing) {
  const std::string hex = blob_.hex();
  const std::string name = kObjects + "/" + hex.substr(0, 2) + "/" + hex.substr(2);
  const std::string file = files_.root().read(name);
  int found = 0;
  for (int bit = 0; bit < 8; ++bit) {
    std::string changed = file;
    changed[changed.size() - 5] ^= static_cast<char>(1 << bit);
    files_.root().write(name, changed);
    const auto result = run_tool({"fsck", "--no-dangling"});
    if (result.status != 0) continue;  // that bit meant something
    ++found;
    EXPECT_EQ("warning: .git/objects/" + hex.substr(0, 2) + "/" + hex.substr(2) +
                  " has bits in its zlib stream that mean nothing\n",
              result.err);
  }
  EXPECT_GT(found, 0);
}

TEST_F(BlindSpots, FilesWhereGitDoesNotLook) {
  EXPECT_EQ("", warnings());
  for (const char* name :
       {"info/x", "pack/tmp_pack_x", "tmp_obj_x", "incoming-x/y", "tmp_objdir-x/y",
        "maintenance.lock", "loose-object-idx", "bitmap-ref-tips_4LArND", "pack/.tmp-1-pack-x",
        "pack/.nfs01", "pack/multi-pack-index.lock", "pack/pack-x.bitmap.bak"}) {
    files_.write(std::string("objects/") + name, "");
  }
  EXPECT_EQ("", warnings());
  for (const char* name : {"AB/x", "zz/x", "0/x", "file", "pack/notes.txt", "pack/old/x"}) {
    files_.write(std::string("objects/") + name, "");
  }
  const auto line = [](const std::string& name) {
    return "warning: .git/objects/" + name + " is no part of an object directory\n";
  };
  EXPECT_EQ(line("0") + line("AB") + line("file") + line("zz") + line("pack/notes.txt") +
                line("pack/old"),
            warnings());
}

TEST_F(BlindSpots, NamesOfPacks) {
  testing::PackBuilder builder;
  const ObjectId first = builder.entry(builder.add_blob("one\n")).id;
  const ObjectId second = builder.entry(builder.add_blob("two\n")).id;
  const auto pack = builder.build();
  ObjectHasher of_ids(HashKind::kSha1);
  of_ids.update(std::min(first, second).bytes());
  of_ids.update(std::max(first, second).bytes());
  const std::string trailer = to_hex(ByteView(pack.pack).last(id_size(HashKind::kSha1)));
  const std::string ids = of_ids.finish().id.hex();
  const std::string other(40, 'a');
  const auto under = [&](const std::string& name) {
    std::filesystem::remove_all(files_.path(kObjects + "/pack"));
    pack.write(files_.root(), kObjects + "/pack/" + name);
    return warnings();
  };
  EXPECT_EQ("", under("pack-" + trailer));
  EXPECT_EQ("", under("pack-" + ids));
  EXPECT_EQ("", under("pack-mine"));
  EXPECT_EQ("warning: the name of .git/objects/pack/pack-" + other +
                ".pack fits neither its checksum nor its objects\n",
            under("pack-" + other));
}

TEST_F(BlindSpots, PeeledValues) {
  const ObjectId inner = tag("commit", commit_);
  const ObjectId outer = tag("tag", inner);
  const std::string header = "# pack-refs with: peeled fully-peeled sorted \n";
  const auto packed = [&](const ObjectId& id, const std::string& peeled) {
    files_.write("packed-refs", header + id.hex() + " refs/tags/t\n" + peeled);
    return warnings();
  };
  const std::string right = "^" + commit_.hex() + "\n";
  EXPECT_EQ("", packed(inner, right));
  EXPECT_EQ("", packed(outer, right));
  EXPECT_EQ("", packed(commit_, ""));
  const std::string line = "warning: .git/packed-refs:2: refs/tags/t: ";
  EXPECT_EQ(line + "the peeled value is " + inner.hex() + ", but the tag leads to " +
                commit_.hex() + "\n",
            packed(outer, "^" + inner.hex() + "\n"));
  EXPECT_EQ(line + "has a peeled value, but is no tag\n", packed(commit_, right));
  EXPECT_EQ(line + "lacks its peeled value " + commit_.hex() + "\n", packed(outer, ""));
  // Without the trait nothing is claimed.
  files_.write("packed-refs", outer.hex() + " refs/tags/t\n");
  EXPECT_EQ("", warnings());
}

TEST_F(BlindSpots, TheEmptyTreeThatGitHasBuiltIn) {
  const ObjectId empty = empty_tree_id(HashKind::kSha1);
  files_.write("refs/heads/empty", commit(empty).hex() + "\n");
  EXPECT_EQ(
      "warning: " + empty.hex() + " is the empty tree, which git has built in: nothing is lost\n",
      warnings(2));
  put("tree", "");
  EXPECT_EQ("", warnings());
}

TEST_F(BlindSpots, NamesForOtherSystemsOnlyWhenAsked) {
  const ObjectId tree = put("tree", entry("100644 Aux.c", blob_) + entry("100644 aUX.c", blob_) +
                                        entry("100644 aux1.c", blob_));
  files_.write("refs/heads/main", commit(tree).hex() + "\n");
  EXPECT_EQ("", warnings());
  const auto result = run_tool({"fsck", "--no-dangling", "--portable-names"});
  EXPECT_EQ(0, result.status);
  EXPECT_EQ("warning in tree " + tree.hex() +
                ": nameNotPortable: 'Aux.c' is no name for Windows (and 1 more)\n" +
                "warning in tree " + tree.hex() +
                ": namesCollide: 'Aux.c' and 'aUX.c' are one name where case or composition do not "
                "count\n",
            result.err);
}

}  // namespace
}  // namespace assay::tools
