// What `assay fsck` says of links, roots and names, on small repositories made by hand.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/index_builder.h"
#include "tests/support/linked_repository.h"
#include "tests/support/midx_builder.h"
#include "tests/support/opened_pack.h"
#include "tests/support/pack_builder.h"

namespace assay::tools {
namespace {

using testing::deflated;
using testing::IndexBuilder;
using testing::kIdent;
using testing::kObjects;
using testing::put_object;
using testing::run_tool;
using testing::with_header;

class FsckGraph : public testing::LinkedRepository {};

TEST_F(FsckGraph, TheParentThatGitMeetsFirstIsBlamed) {
  // Two trees hold the absent blob; that of the last parent is walked first.
  const ObjectId other = put("blob", "x\n");
  const ObjectId one = put("tree", entry("100644 a", absent_));
  const ObjectId two = put("tree", entry("100644 a", absent_) + entry("100644 b", other));
  const ObjectId three = put("tree", entry("100644 b", other));
  for (const bool swapped : {false, true}) {
    const ObjectId first = commit(swapped ? two : one);
    const ObjectId last = commit(swapped ? one : two);
    branch("main", commit(three, {first, last}));
    branch("first", first);
    const auto result = fsck({"--no-dangling"});
    EXPECT_EQ(broken("tree", (swapped ? one : two).hex(), "blob", absent_.hex()) + "missing blob " +
                  absent_.hex() + "\n",
              result.out);
    EXPECT_EQ(2, result.status);
  }
}

// Chains longer than anybody has them, in no order: each link is followed once.
TEST_F(FsckGraph, LongChainsLeadToWhatIsMissing) {
  const ObjectId bottom = put("tree", entry("100644 a", absent_));
  ObjectId tree = bottom;
  for (int i = 0; i < 1000; ++i) tree = put("tree", entry("40000 d", tree));
  ObjectId tag = commit(tree);
  std::string type = "commit";
  for (int i = 0; i < 1000; ++i) {
    tag = put("tag", "object " + tag.hex() + "\ntype " + type + "\ntag t\ntagger " +
                         std::string(kIdent) + "\n\nm\n");
    type = "tag";
  }
  files_.write("refs/tags/top", tag.hex() + "\n");
  const auto result = fsck();
  EXPECT_EQ(
      broken("tree", bottom.hex(), "blob", absent_.hex()) + "missing blob " + absent_.hex() + "\n",
      result.out);
  EXPECT_EQ(2, result.status);
}

TEST_F(FsckGraph, NamesAreGitsNames) {
  const ObjectId inner = put("tree", entry("100644 file", absent_));
  const ObjectId tree = put("tree", entry("40000 dir", inner));
  const ObjectId oldest = commit(tree);
  const ObjectId sound = put("tree", entry("100644 x", put("blob", "x\n")));
  const ObjectId second = commit(sound, {oldest});
  const ObjectId third = commit(sound, {second});
  branch("main", third);
  const std::string name = "refs/heads/main~2:dir/";
  EXPECT_EQ(broken("tree", inner.hex() + " (" + name + ")", "blob",
                   absent_.hex() + " (" + name + "file)") +
                "missing blob " + absent_.hex() + " (" + name + "file)\n",
            fsck({"--name-objects"}).out);
}

// git's own lines; their order among objects is that of the work.
TEST_F(FsckGraph, VerboseSaysWhatIsLookedAt) {
  const ObjectId blob = put("blob", "x\n");
  const ObjectId inner = put("tree", entry("100644 x", blob));
  const ObjectId tree = put("tree", entry("40000 dir", inner));
  const ObjectId tip = commit(tree);
  branch("main", tip);
  const std::string reflog_ids = std::string(40, '0') + " " + tip.hex();
  files_.write("logs/refs/heads/main", reflog_ids + " " + std::string(kIdent) + "\tcreated\n");
  const auto lines_of = [&](const std::vector<std::string>& options) {
    const auto result = fsck(options);
    EXPECT_EQ(0, result.status) << result.err;
    EXPECT_EQ("", result.out);
    return "\n" + result.err;
  };
  const auto count = [](const std::string& text, const std::string& line) {
    std::size_t found = 0;
    for (auto at = text.find("\n" + line + "\n"); at != std::string::npos;
         at = text.find("\n" + line + "\n", at + 1)) {
      ++found;
    }
    return found;
  };
  const std::string said = lines_of({"--verbose", "--name-objects"});
  const std::string name = "refs/heads/main";
  for (const std::string& line :
       {std::string("ref database"), std::string("references consistency"),
        std::string("refs/heads/main"), std::string("object directory"), "blob " + blob.hex(),
        "tree " + inner.hex(), "tree " + tree.hex(), "commit " + tip.hex(),
        "reflog " + std::string(40, '0') + "->" + tip.hex(),
        std::string("connectivity (4 objects)"), tip.hex() + " (refs/heads/main)",
        tree.hex() + " (" + name + ":)", inner.hex() + " (" + name + ":dir/)",
        blob.hex() + " (" + name + ":dir/x)"}) {
    EXPECT_EQ(1U, count(said, "Checking " + line)) << line << " in" << said;
  }
  EXPECT_EQ(1U, count(lines_of({"-v"}), "Checking " + inner.hex()));
  EXPECT_EQ("\n", lines_of({"--name-objects"}));
}

TEST_F(FsckGraph, WhatTheIndexNamesIsOnlyMissing) {
  const ObjectId tree = put("tree", entry("100644 a", absent_));
  branch("main", commit(tree));
  files_.write("index", IndexBuilder(2).entry({absent_, "a"}).sealed());
  const auto result = fsck({"--name-objects"});
  EXPECT_EQ("missing blob " + absent_.hex() + " (:a)\n", result.out);
  EXPECT_EQ(2, result.status);
}

// Old gits wrote other modes; an index keeps the canonical one, its cache-tree the id as it was.
TEST_F(FsckGraph, TheCacheTreeMayNameTreesWithOldModes) {
  const ObjectId blob = put("blob", "content\n");
  branch("main", commit(put("tree", entry("100644 x", blob))));
  const auto said = [&](const std::string& inner_mode, const std::string& outer_mode) {
    const ObjectId inner = put("tree", entry(inner_mode + " file", blob));
    const ObjectId outer = put("tree", entry(outer_mode + " dir", inner));
    const auto raw = [](const ObjectId& id) { return std::string(as_text(id.bytes())); };
    const std::string tree =
        std::string("\0", 1) + "1 1\n" + raw(outer) + "dir" + '\0' + "1 0\n" + raw(inner);
    files_.write("index",
                 IndexBuilder(2).entry({blob, "dir/file"}).extension("TREE", tree).sealed());
    const auto result = fsck({"--no-dangling"});
    const bool untrue = result.err.find("cache-tree") != std::string::npos;
    EXPECT_EQ(untrue ? 8 : 0, result.status) << result.err;
    return untrue;
  };
  EXPECT_FALSE(said("100644", "40000"));
  EXPECT_FALSE(said("100664", "40000"));
  EXPECT_FALSE(said("0100644", "40000"));
  EXPECT_FALSE(said("100644", "040000"));
  EXPECT_TRUE(said("100775", "40000"));
}

TEST_F(FsckGraph, WhatOnlyTheIndexNamesIsMissingToo) {
  branch("main", commit(put("tree", entry("100644 x", put("blob", "x\n")))));
  files_.write("index", IndexBuilder(2).entry({absent_, "a"}).sealed());
  const auto result = fsck();
  EXPECT_EQ("missing blob " + absent_.hex() + "\n", result.out);
  EXPECT_EQ(2, result.status);
}

TEST_F(FsckGraph, ArgumentsAreRootsInsteadOfRefs) {
  const ObjectId bad = commit(put("tree", entry("100644 a", absent_)));
  const ObjectId good = commit(put("tree", entry("100644 x", put("blob", "x\n"))));
  branch("bad", bad);
  branch("good", good);
  EXPECT_EQ(0, fsck({"--no-dangling", "good"}).status);
  EXPECT_EQ(0, fsck({"--no-dangling", good.hex().substr(0, 12)}).status);
  EXPECT_EQ(2, fsck({"--no-dangling", "good", "bad"}).status);
  const auto unknown = fsck({"--no-dangling", "nothing-of-the-kind"});
  EXPECT_EQ(1, unknown.status);
  EXPECT_NE(std::string::npos,
            unknown.err.find("error: invalid parameter: expected sha1, got 'nothing-of-the-kind'"));
}

TEST_F(FsckGraph, AnEmptyFileIsAbsentToGitAndADamagedOneKillsIt) {
  const ObjectId head = commit(put("tree", entry("100644 x", put("blob", "x\n"))));
  branch("main", head);
  for (const std::string option : {"--full", "--no-full"}) {
    testing::put_file(files_.root(), head, "", kObjects);
    EXPECT_EQ(3, fsck({option}).status) << option;
    testing::put_file(files_.root(), head, "no zlib stream", kObjects);
    EXPECT_EQ(128, fsck({option}).status) << option;
  }
}

TEST_F(FsckGraph, GitDiesOfADamagedTreeThatTheCacheTreeNames) {
  const ObjectId blob = put("blob", "x\n");
  const ObjectId tree = put("tree", entry("100644 x", blob));
  branch("main", commit(put("tree", "")));
  const std::string cache_tree =
      std::string(1, '\0') + "1 0\n" + std::string(as_text(tree.bytes()));
  files_.write("index", IndexBuilder(2).entry({blob, "x"}).extension("TREE", cache_tree).sealed());
  EXPECT_EQ(0, fsck().status);
  testing::put_file(files_.root(), tree, "no zlib stream", kObjects);
  EXPECT_EQ(128, fsck().status);
}

TEST_F(FsckGraph, ConnectivityOnlyDoesNotReadBlobs) {
  const ObjectId blob = put("blob", "x\n");
  const ObjectId tree = put("tree", entry("100644 x", blob));
  branch("main", commit(tree));
  testing::put_file(files_.root(), blob, "no zlib stream", kObjects);
  EXPECT_EQ(3, fsck().status);
  const auto result = fsck({"--connectivity-only"});
  EXPECT_EQ(0, result.status);
  EXPECT_EQ("", result.out);
  testing::put_file(files_.root(), tree, "no zlib stream", kObjects);
  EXPECT_EQ(128, fsck({"--connectivity-only"}).status);
}

// git gives up a pack for an object at whose deltas it has failed there, but for no other.
TEST_F(FsckGraph, ADamagedDeltaBaseIsMissing) {
  const Bytes stream(20, 0);
  for (const bool has_delta : {false, true}) {
    for (const bool has_loose_copy : {false, true}) {
      testing::RepositoryFiles files;
      testing::PackBuilder pack;
      const std::string content(100, 'b');
      const std::size_t base = pack.add_blob(content);
      pack.entry(base).stream = stream;
      const ObjectId id = pack.entry(base).id;
      if (has_delta) pack.add_offset_delta(base, Bytes(120, 'b'));
      pack.build().write(files.root(), kObjects + "/pack/pack-1");
      const auto put = [&](std::string_view type, std::string_view text) {
        return put_object(files.root(), type, text, kObjects);
      };
      const ObjectId tree = put("tree", entry("100644 a", id));
      if (has_loose_copy) put("blob", content);
      files.write("refs/tags/tree", tree.hex() + "\n");
      const auto result = run_tool({"fsck", "--no-dangling"}, files.top());
      const bool is_missing = has_delta && !has_loose_copy;
      EXPECT_EQ(is_missing ? broken("tree", tree.hex(), "blob", id.hex()) + "missing blob " +
                                 id.hex() + "\n"
                           : "",
                result.out);
      // A good copy elsewhere takes its place, which git tells all the same.
      EXPECT_EQ(has_delta, result.err.find("error: failed to read delta base object " + id.hex() +
                                           " at offset 12 from ") != std::string::npos)
          << result.err;
      EXPECT_EQ(is_missing ? 6 : 4, result.status) << result.err;
    }
  }
}

// Every entry is compared with its CRC, those too that cannot be unpacked for want of a base.
TEST_F(FsckGraph, TheCrcOfADeltaWithoutBaseIsCompared) {
  testing::PackBuilder pack;
  const std::size_t base = pack.add_blob("base\n");
  pack.entry(base).stream = Bytes(8, 0);
  const std::size_t delta = pack.add_offset_delta(base, as_bytes("delta\n"));
  pack.entry(delta).index_crc = 1;
  pack.build().write(files_.root(), kObjects + "/pack/pack-1");
  const auto result = fsck();
  EXPECT_NE(std::string::npos,
            result.err.find("index CRC mismatch for object " + pack.entry(delta).id.hex()))
      << result.err;
}

// git does not go beyond what was promised, and so takes for dangling what hangs there.
TEST_F(FsckGraph, ConnectivityOnlyStopsAtPromises) {
  testing::PackBuilder pack;
  const auto add = [&](ObjectType type, std::string_view content) {
    return pack.entry(pack.add(type, as_bytes(content))).id;
  };
  const ObjectId blob = add(ObjectType::kBlob, "x\n");
  const ObjectId tree = add(ObjectType::kTree, entry("100644 x", blob));
  const std::string ident(kIdent);
  const ObjectId commit = add(ObjectType::kCommit, "tree " + tree.hex() + "\nauthor " + ident +
                                                       "\ncommitter " + ident + "\n\nm\n");
  pack.build().write(files_.root(), kObjects + "/pack/pack-1");
  files_.write("objects/pack/pack-1.promisor", "");
  branch("main", commit);
  EXPECT_EQ("", fsck({"--connectivity-only"}).out);
  files_.write("config",
               "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tpartialClone = o\n"
               "[remote \"o\"]\n\tpromisor = true\n");
  EXPECT_EQ("", fsck().out);
  EXPECT_EQ("dangling tree " + tree.hex() + "\n", fsck({"--connectivity-only"}).out);
  EXPECT_EQ("", fsck({"--connectivity-only", "--no-dangling"}).out);
}

// git believes a multi-pack-index about an object as long as the pack it names can be used.
TEST_F(FsckGraph, AMultiPackIndexIsBelievedWhileItsPackIsThere) {
  testing::PackBuilder complete;
  complete.add_blob("kept\n");
  const ObjectId lost = complete.entry(complete.add_blob("lost\n")).id;
  testing::PackBuilder rest;
  rest.add_blob("kept\n");
  files_.write("objects/pack/multi-pack-index",
               testing::MidxBuilder()
                   .pack("pack-1.idx", testing::OpenedPack(complete.build()).index())
                   .build());
  const ObjectId tree = put("tree", entry("100644 lost", lost));
  files_.write("refs/tags/tree", tree.hex() + "\n");
  rest.build().write(files_.root(), kObjects + "/pack/pack-1");
  EXPECT_EQ("", fsck({"--no-dangling"}).out);
  std::filesystem::rename(files_.path(kObjects + "/pack/pack-1.idx"),
                          files_.path(kObjects + "/pack/pack-2.idx"));
  std::filesystem::rename(files_.path(kObjects + "/pack/pack-1.pack"),
                          files_.path(kObjects + "/pack/pack-2.pack"));
  EXPECT_EQ(broken("tree", tree.hex(), "blob", lost.hex()) + "missing blob " + lost.hex() + "\n",
            fsck({"--no-dangling"}).out);
}

// The same of what a ref, the cache of trees or a resolved conflict names.
TEST_F(FsckGraph, WhatOnlyAMultiPackIndexNamesIsThereForRefs) {
  testing::PackBuilder builder;
  const std::size_t number = builder.add(ObjectType::kTree, {});
  const ObjectId lost = builder.entry(number).id;
  files_.write("objects/pack/multi-pack-index",
               testing::MidxBuilder()
                   .pack("pack-1.idx", testing::OpenedPack(builder.build()).index())
                   .build());
  builder.entry(number).id = absent_;
  builder.build().write(files_.root(), kObjects + "/pack/pack-1");
  files_.write("refs/tags/lost", lost.hex() + "\n");
  const std::string nul(1, '\0');
  const std::string raw(as_text(lost.bytes()));
  files_.write("index",
               IndexBuilder(2)
                   .extension("TREE", nul + "0 0\n" + raw)
                   .extension("REUC", "x" + nul + "100644" + nul + "0" + nul + "0" + nul + raw)
                   .sealed());
  const auto listed = fsck();
  EXPECT_EQ(std::string::npos, listed.err.find("invalid sha1 pointer")) << listed.err;
  EXPECT_EQ(std::string::npos, listed.err.find("No default references")) << listed.err;
  EXPECT_EQ(32 | 4, listed.status) << listed.err;
  std::filesystem::remove(files_.path(kObjects + "/pack/multi-pack-index"));
  const auto unlisted = fsck();
  EXPECT_NE(std::string::npos, unlisted.err.find("error: refs/tags/lost: invalid sha1 pointer"))
      << unlisted.err;
  for (const std::string place : {"cache-tree", "resolve-undo"}) {
    EXPECT_NE(std::string::npos, unlisted.err.find(": invalid sha1 pointer in " + place))
        << unlisted.err;
  }
  EXPECT_EQ(8 | 4 | 2, unlisted.status) << unlisted.err;
}

TEST_F(FsckGraph, LargeBlobsAreCheckedInLittleMemory) {
  testing::PackBuilder pack;
  Bytes content(3 << 20, 'x');
  const std::size_t base = pack.add(ObjectType::kBlob, content);
  content[1 << 20] = 'y';
  const std::size_t delta = pack.add_offset_delta(base, content);
  pack.build().write(files_.root(), kObjects + "/pack/pack-1");
  const auto sound = fsck({"--memory", "1m", "--no-dangling"});
  EXPECT_EQ(0, sound.status) << sound.err;
  const ObjectId other = testing::id_of("other");
  pack.entry(delta).id = other;
  pack.build().write(files_.root(), kObjects + "/pack/pack-1");
  const auto damaged = fsck({"--memory", "1m", "--no-dangling"});
  EXPECT_EQ(4, damaged.status);
  EXPECT_NE(std::string::npos, damaged.err.find("packed " + other.hex() + " from ")) << damaged.err;
}

TEST_F(FsckGraph, ADamagedSpecialBlobIsJudgedAsGitReadsIt) {
  const std::string line(3000, 'x');
  const ObjectId blob = put("blob", "x\n");  // its file will hold something else
  branch("main", commit(put("tree", entry("100644 .gitattributes", blob))));
  EXPECT_EQ(0, fsck().status);
  testing::put_file(files_.root(), blob, deflated(with_header("blob", line)), kObjects);
  const auto result = fsck();
  EXPECT_NE(std::string::npos, result.err.find("gitattributesLineLength")) << result.err;
  EXPECT_EQ(std::string::npos, result.err.find("gitattributesMissing")) << result.err;
  testing::put_file(files_.root(), blob, "no zlib stream", kObjects);
  EXPECT_EQ(128, fsck().status);
}

TEST_F(FsckGraph, LostFoundHoldsWhatDangles) {
  branch("main", commit(put("tree", entry("100644 x", put("blob", "x\n")))));
  const ObjectId blob = put("blob", "lost\n");
  const ObjectId lost = commit(put("tree", ""));
  EXPECT_EQ(0, fsck({"--lost-found"}).status);
  EXPECT_EQ("lost\n", files_.root().read("top/.git/lost-found/other/" + blob.hex()));
  EXPECT_EQ(lost.hex() + "\n", files_.root().read("top/.git/lost-found/commit/" + lost.hex()));
  // A second run replaces them.
  EXPECT_EQ(0, fsck({"--lost-found"}).status);
  EXPECT_EQ("lost\n", files_.root().read("top/.git/lost-found/other/" + blob.hex()));
}

TEST_F(FsckGraph, LostFoundFollowsNoLinks) {
  branch("main", commit(put("tree", entry("100644 x", put("blob", "x\n")))));
  const ObjectId blob = put("blob", "lost\n");
  files_.root().write("precious", "precious\n");
  const std::string folder = files_.git_dir() + "/lost-found";
  std::filesystem::create_directories(folder + "/other");
  std::filesystem::create_symlink(files_.path("precious"), folder + "/other/" + blob.hex());
  EXPECT_EQ(0, fsck({"--lost-found"}).status);
  EXPECT_EQ("precious\n", files_.root().read("precious"));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(files_.path("elsewhere"));
  std::filesystem::create_directory_symlink(files_.path("elsewhere"), folder);
  const auto result = fsck({"--lost-found"});
  EXPECT_EQ(128, result.status);
  EXPECT_NE(std::string::npos, result.err.find("could not create lost-found"));
  EXPECT_TRUE(std::filesystem::is_empty(files_.path("elsewhere")));
}

TEST_F(FsckGraph, ControlBytesAreShownAsQuestionMarks) {
  branch("main", commit(put("tree", entry("100644 x", put("blob", "x\n")))));
  const auto result = fsck({"a\x1b[31mb"});
  EXPECT_NE(std::string::npos, result.err.find("got 'a?[31mb'")) << result.err;
}

}  // namespace
}  // namespace assay::tools
