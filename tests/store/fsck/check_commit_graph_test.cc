#include "store/fsck/check_commit_graph.h"

#include <gtest/gtest.h>

#include "tests/support/chunk_text.h"
#include "tests/support/derived_repository.h"

namespace assay {
namespace {

using testing::be32_text;
using testing::chunk_offset;
using testing::chunk_row;
using testing::DerivedRepository;
using testing::exit_status_of;
using testing::lines_of;

const char kName[] = "objects/info/commit-graph";
constexpr std::size_t kRow = 36;  // of CDAT: tree, two parents, generation and date

class CommitGraphFile : public ::testing::Test {
 protected:
  CommitGraphFile()
      : repository_({{"repack", "-adq"}, {"commit-graph", "write", "--reachable"}}),
        sound_(repository_.read(kName)) {}

  // The commit of that name, and its row.
  std::string id_of(const std::string& name) {
    return repository_.git({"rev-parse", name}).substr(0, 40);
  }
  std::size_t row_of(const std::string& hex) {
    const std::size_t ids = chunk_offset(sound_, "OIDL");
    const ObjectId id = *ObjectId::from_hex(hex, HashKind::kSha1);
    std::size_t row = 0;
    while (sound_.substr(ids + 20 * row, 20) != as_text(id.bytes())) ++row;
    return row;
  }
  std::size_t data_of(const std::string& hex) {
    return chunk_offset(sound_, "CDAT") + kRow * row_of(hex);
  }

  // What is said when bytes at `offset` are replaced and the checksum is right again.
  std::string said_of(std::size_t offset, std::string_view bytes) {
    std::string changed = sound_;
    changed.replace(offset, bytes.size(), bytes);
    return said_of_file(repository_.sealed(std::move(changed)));
  }
  std::string said_of_file(const std::string& file) {
    repository_.write(kName, file);
    FindingList found = repository_.check_all();
    status_ = exit_status_of(found);
    return lines_of(found);
  }

  DerivedRepository repository_;
  std::string sound_;
  int status_ = 0;
};

// An index that has lost a commit: git still finds it by a multi-pack-index.
TEST(CommitGraphBesideAnIndex, WhatAMultiPackIndexListsCanBeRead) {
  DerivedRepository repository({{"repack", "-adq"},
                                {"commit-graph", "write", "--reachable"},
                                {"multi-pack-index", "write"}});
  const ObjectId tip =
      *ObjectId::from_hex(repository.git({"rev-parse", "main"}).substr(0, 40), HashKind::kSha1);
  const std::string name = repository.file(".idx");
  std::string index = repository.read(name);
  const std::size_t at = index.find(std::string(as_text(tip.bytes())));
  ASSERT_NE(at, std::string::npos);
  index[at + 19] = static_cast<char>(index[at + 19] ^ 1);
  repository.write(name, repository.sealed(index));
  const std::string unread = "Could not read " + tip.hex();
  FindingList found = repository.check_all();
  EXPECT_EQ(lines_of(found).find(unread), std::string::npos) << lines_of(found);
  repository.remove("objects/pack/multi-pack-index");
  found = repository.check_all();
  EXPECT_NE(lines_of(found).find(unread), std::string::npos) << lines_of(found);
}

TEST_F(CommitGraphFile, LoadFaultsAreInGitsWords) {
  EXPECT_EQ(said_of(0, "X"),
            "error: commit-graph signature 58475048 does not match signature 43475048\n");
  EXPECT_EQ(status_, 16);
  EXPECT_EQ(said_of(4, "\2"), "error: commit-graph version 2 does not match version 1\n");
  EXPECT_EQ(said_of(5, "\3"), "error: commit-graph hash version 3 does not match version 1\n");
  EXPECT_EQ(said_of(6, "\1"), "error: final chunk has non-zero id 4f49444c\n");
  EXPECT_EQ(said_of(6, "\xff"), "error: commit-graph file is too small to hold 255 chunks\n");
  EXPECT_EQ(said_of_file("a small graph"), "error: commit-graph file is too small\n");
  for (const auto& [id, name] : {std::pair("OIDF", "OID fanout"), std::pair("OIDL", "OID lookup"),
                                 std::pair("CDAT", "commit data")}) {
    EXPECT_EQ(said_of(chunk_row(sound_, id), "x"), std::string("error: commit-graph required ") +
                                                       name + " chunk missing or corrupted\n");
    EXPECT_EQ(status_, 16);
  }
  const std::size_t fanout = chunk_offset(sound_, "OIDF");
  EXPECT_EQ(said_of(fanout, "\x01"),
            "error: commit-graph fanout values out of order\n"
            "error: commit-graph required OID fanout chunk missing or corrupted\n");
  EXPECT_EQ(said_of(fanout + 4 * 255, "\x01"),
            "error: commit-graph OID lookup chunk is the wrong size\n"
            "error: commit-graph required OID lookup chunk missing or corrupted\n");
}

TEST_F(CommitGraphFile, OrderAndFanoutAreChecked) {
  const std::size_t ids = chunk_offset(sound_, "OIDL");
  const std::string first = id_of("HEAD");  // any; only used to know that ids are hex
  ASSERT_EQ(first.size(), 40U);
  const std::string said = said_of(ids + 20, std::string(20, '\0'));
  EXPECT_NE(said.find("commit-graph has incorrect OID order: " +
                      to_hex(as_bytes(sound_.substr(ids, 20))) + " then " + std::string(40, '0')),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("failed to parse commit " + std::string(40, '0') + " from commit-graph"),
            std::string::npos)
      << said;
  EXPECT_NE(
      said.find("error: Could not read " + std::string(40, '0') + "\nfailed to parse commit " +
                std::string(40, '0') + " from object database for commit-graph"),
      std::string::npos)
      << said;
  EXPECT_EQ(status_, 16);
  // The fanout of the byte before the first id is 0; 1 keeps it in order and is wrong.
  const auto byte = static_cast<std::uint8_t>(sound_[ids]);
  ASSERT_GT(byte, 0);
  EXPECT_NE(said_of(chunk_offset(sound_, "OIDF") + 4 * (byte - 1u), be32_text(1))
                .find("commit-graph has incorrect fanout value: fanout[" +
                      std::to_string(byte - 1) + "] = 1 != 0\n"),
            std::string::npos);
}

TEST_F(CommitGraphFile, TreesParentsAndDatesAreCompared) {
  const std::string head = id_of("main");
  const std::string tree = id_of("main^{tree}");
  const std::size_t data = data_of(head);
  EXPECT_EQ(said_of(data, std::string(20, '\xee')),
            "root tree OID for commit " + head + " in commit-graph is " +
                to_hex(as_bytes(std::string(20, '\xee'))) + " != " + tree + "\n");
  // The octopus: its first parent is main~1; any other position is another commit.
  const std::string root = id_of("main~2");
  const std::string parent = id_of("main~1");
  EXPECT_EQ(
      said_of(data + 20, be32_text(static_cast<std::uint32_t>(row_of(root)))).substr(0, 24 + 40),
      "commit-graph parent for " + head);
  EXPECT_EQ(status_, 16);
  const std::size_t of_parent = data_of(parent);
  EXPECT_EQ(said_of(of_parent + 20, be32_text(CommitGraph::kNoParent)),
            "commit-graph parent list for commit " + parent +
                " terminates early\nwarning: commit-graph topological level for commit " + parent +
                " is 2 > 1\n");
  const std::string extra =
      said_of(of_parent + 24, be32_text(static_cast<std::uint32_t>(row_of(root))));
  EXPECT_EQ(extra, "commit-graph parent list for commit " + parent + " is too long\n");
  EXPECT_NE(said_of(of_parent + 20, be32_text(0x00ffffff))
                .find("fatal: invalid parent position 16777215\n"),
            std::string::npos);
  const std::string date = said_of(of_parent + 32, be32_text(7));
  EXPECT_NE(date.find("commit date for commit " + parent + " in commit-graph is 7 != "),
            std::string::npos)
      << date;
}

TEST_F(CommitGraphFile, ExtraEdgesAreChecked) {
  const std::string head = id_of("main");
  const std::size_t edges = chunk_offset(sound_, "EDGE");
  ASSERT_NE(edges, std::string::npos);
  EXPECT_NE(said_of(edges, be32_text(0x01000000)).find("fatal: invalid parent position 16777216\n"),
            std::string::npos);
  // No edge is the last.
  std::string open_end = sound_;
  open_end[edges + 4 * 2] = 0;
  EXPECT_NE(said_of_file(repository_.sealed(open_end))
                .find("error: commit-graph extra-edges pointer out of bounds\nfailed to parse "
                      "commit " +
                      head + " from commit-graph\n"),
            std::string::npos);
  EXPECT_NE(said_of(data_of(head) + 24, be32_text(0x80001234))
                .find("failed to parse commit " + head + " from commit-graph\n"),
            std::string::npos);
}

TEST_F(CommitGraphFile, GenerationsAreComparedWithThoseOfParents) {
  const std::string head = id_of("main");
  const std::size_t dates = chunk_offset(sound_, "GDA2");
  ASSERT_NE(dates, std::string::npos);
  // Without the chunk, levels count: 4 of the octopus.
  std::string levels = sound_;
  levels.replace(chunk_row(sound_, "GDA2"), 4, "XXXX");
  levels.replace(data_of(head) + 28, 4, be32_text(1 << 2));
  EXPECT_EQ(said_of_file(repository_.sealed(levels)),
            "commit-graph generation for commit " + head + " is 1 < 4\n");
  // Beside corrected dates git does not look at levels.
  EXPECT_EQ(said_of(data_of(head) + 28, be32_text(1 << 2)),
            "error: commit-graph topological level for commit " + head + " is 1 < 4\n");
  EXPECT_EQ(said_of(data_of(head) + 28, be32_text(9 << 2)),
            "warning: commit-graph topological level for commit " + head + " is 9 > 4\n");
  EXPECT_EQ(status_, 0);
  // A corrected date that is far too high makes the children's too low.
  const std::string parent = id_of("main~1");
  const std::string said = said_of(dates + 4 * row_of(parent), be32_text(0x00100000));
  EXPECT_NE(said.find("warning: commit-graph generation for commit " + parent + " is "),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("commit-graph generation for commit " + head + " is "), std::string::npos)
      << said;
  EXPECT_EQ(status_, 16);
  EXPECT_NE(said_of(dates + 4 * row_of(parent), be32_text(0x80000000))
                .find("fatal: commit-graph requires overflow generation data but has none\n"),
            std::string::npos);
}

TEST_F(CommitGraphFile, ZeroAndNonZeroGenerationsDoNotMix) {
  const std::string head = id_of("main");
  std::string levels = sound_;
  levels.replace(chunk_row(sound_, "GDA2"), 4, "XXXX");
  levels.replace(data_of(head) + 28, 4, be32_text(0));
  const std::string said = said_of_file(repository_.sealed(levels));
  EXPECT_NE(said.find("commit-graph has both zero and non-zero generations (e.g., commits '" +
                      head + "' and '"),
            std::string::npos)
      << said;
  // None at all is what old versions wrote.
  for (const char* name : {"main", "main~1", "main~2", "main^2", "main^3", "main^4"}) {
    levels.replace(data_of(id_of(name)) + 28, 4, be32_text(0));
  }
  EXPECT_EQ(said_of_file(repository_.sealed(levels)), "");
}

TEST_F(CommitGraphFile, CommitsThatAreGoneAreMissed) {
  // Two commits more in the graph than in the repository.
  DerivedRepository more({{"repack", "-adq"}, {"+1"}, {"commit-graph", "write", "--reachable"}});
  const std::string lost = more.git({"rev-parse", "main"}).substr(0, 40);
  more.git({"update-ref", "refs/heads/main", "main~1"});
  more.git({"prune", "--expire=now"});
  FindingList found = more.check_all();
  EXPECT_EQ(lines_of(found), "error: Could not read " + lost + "\nfailed to parse commit " + lost +
                                 " from object database for commit-graph\n");
}

TEST_F(CommitGraphFile, BloomFiltersAreReadAsFarAsTheyAreFramed) {
  repository_.git({"commit-graph", "write", "--reachable", "--changed-paths"});
  sound_ = repository_.read(kName);
  const std::size_t index = chunk_offset(sound_, "BIDX");
  const std::size_t data = chunk_offset(sound_, "BDAT");
  ASSERT_NE(index, std::string::npos);
  EXPECT_NE(said_of(index, be32_text(0x7fffffff))
                .find("error: commit-graph changed-path filter of commit "),
            std::string::npos);
  EXPECT_EQ(status_, 16);
  EXPECT_EQ(said_of(data, be32_text(7)),
            "error: commit-graph changed-path chunk has unknown hash version 7\n");
  EXPECT_NE(said_of(data + 4, be32_text(0)), "");
  // BIDX follows another chunk: moving its start makes it too large, which git warns of.
  const std::size_t row = chunk_row(sound_, "BIDX");
  const std::string moved = said_of(row + 4, testing::be64_text(index - 4));
  EXPECT_NE(moved.find("warning: commit-graph changed-path index chunk is too small\n"),
            std::string::npos)
      << moved;
}

class CommitGraphLayers : public ::testing::Test {
 protected:
  CommitGraphLayers()
      : repository_({{"commit-graph", "write", "--reachable", "--split"},
                     {"+1"},
                     {"commit-graph", "write", "--reachable", "--split=no-merge"},
                     {"+1"},
                     {"commit-graph", "write", "--reachable", "--split=no-merge"}}),
        chain_(repository_.read(kChain)) {}

  std::string layer(int number) const {
    return "objects/info/commit-graphs/graph-" + chain_.substr(41u * number, 40) + ".graph";
  }
  std::string said() {
    FindingList found = repository_.check_all();
    status_ = exit_status_of(found);
    return lines_of(found);
  }

  static constexpr char kChain[] = "objects/info/commit-graphs/commit-graph-chain";
  DerivedRepository repository_;
  std::string chain_;
  int status_ = 0;
};

TEST_F(CommitGraphLayers, AreReadThrough) {
  ASSERT_EQ(chain_.size(), 3U * 41);
  EXPECT_EQ(said(), "");
  const std::string middle = repository_.read(layer(1));
  std::string changed = middle;
  changed[chunk_offset(middle, "CDAT") + 20] ^= 0x70;  // its parent lies in the layer below
  repository_.write(layer(1), repository_.sealed(changed));
  const std::string found = said();
  EXPECT_NE(found.find("commit-graph chain does not match"), std::string::npos) << found;
}

TEST_F(CommitGraphLayers, EachOneIsVerified) {
  for (int number = 0; number < 3; ++number) {
    const std::string sound = repository_.read(layer(number));
    std::string changed = sound;
    changed[chunk_offset(sound, "CDAT") + 3] ^= 1;
    repository_.write(layer(number), changed);
    FindingList found = repository_.check_all();
    const std::string lines = lines_of(found);
    EXPECT_NE(lines.find("the commit-graph file has incorrect checksum and is likely corrupt\n"),
              std::string::npos)
        << lines;
    EXPECT_NE(lines.find("root tree OID for commit "), std::string::npos) << lines;
    for (const Finding& finding : found.findings()) EXPECT_EQ(finding.file, layer(number));
    repository_.write(layer(number), sound);
  }
}

TEST_F(CommitGraphLayers, AMissingLayerIsAnError) {
  repository_.remove(layer(1));
  EXPECT_EQ(said(),
            "warning: unable to find all commit-graph files\n"
            "error: one or more commit-graph chain files could not be loaded\n");
  EXPECT_EQ(status_, 16);
}

TEST_F(CommitGraphLayers, FiltersThatDoNotFitThoseAboveAreWarnedOf) {
  DerivedRepository mixed(
      {{"commit-graph", "write", "--reachable", "--changed-paths", "--split"},
       {"+1"},
       {"commit-graph", "write", "--reachable", "--changed-paths", "--split=no-merge"}});
  const std::string lower =
      mixed.read("objects/info/commit-graphs/commit-graph-chain").substr(0, 40);
  const std::string name = "objects/info/commit-graphs/graph-" + lower + ".graph";
  std::string changed = mixed.read(name);
  changed.replace(chunk_offset(changed, "BDAT") + 8, 4, be32_text(11));
  mixed.write(name, changed);
  FindingList found = mixed.check_all();
  EXPECT_EQ(lines_of(found),
            "warning: disabling Bloom filters for commit-graph layer '" + lower +
                "' due to incompatible settings\n"
                "the commit-graph file has incorrect checksum and is likely corrupt\n");
}

TEST_F(CommitGraphLayers, TheChainFileIsChecked) {
  std::string bogus = chain_;
  bogus[41] = 'x';
  repository_.write(kChain, bogus);
  EXPECT_EQ(said(), "warning: invalid commit-graph chain: line '" + bogus.substr(41, 40) +
                        "' not a hash\n"
                        "error: one or more commit-graph chain files could not be loaded\n");
  repository_.write(kChain, "too short");
  EXPECT_EQ(said(),
            "warning: commit-graph chain file too small\n"
            "error: could not open commit-graph chain 'objects/info/commit-graphs/"
            "commit-graph-chain': Invalid argument\n");
  EXPECT_EQ(status_, 16);
  // A line without its end is none for git, which fails without a word when it is the only one.
  repository_.write(kChain, chain_.substr(0, 40));
  EXPECT_EQ(said(), "error: commit-graph chain ends in the middle of a line: '" +
                        chain_.substr(0, 40) +
                        "'\nerror: one or more commit-graph chain files could not be loaded\n");
  EXPECT_EQ(status_, 16);
  repository_.write(kChain, "");
  EXPECT_EQ(said(), "");
  // In another order no layer fits the one below.
  repository_.write(kChain, chain_.substr(41, 41) + chain_.substr(0, 41));
  const std::string upside_down = said();
  EXPECT_NE(upside_down.find("warning: commit-graph has no base graphs chunk\n"), std::string::npos)
      << upside_down;
  EXPECT_EQ(status_, 16);
}

// A commit-graph is compared while commits pass by: all copies of a commit count.
TEST(CommitGraphsObserved, OneCopyThatDiffersIsEnough) {
  DerivedRepository repository({{"commit-graph", "write", "--reachable"}});
  FindingList none = repository.check();
  ASSERT_EQ(lines_of(none), "");
  CommitGraphs graphs = CommitGraphs::load(
      os::System::real(), {{repository.path("objects"), "objects"}}, HashKind::kSha1, {});
  graphs.number(repository.storage().table());
  const StoredCommitGraph::Layer& layer = graphs.graphs()[0].layers[0];
  const CommitGraph& graph = graphs.graphs()[0].chain.layers()[0].graph;
  Commit commit;
  commit.tree = graph.tree(0);
  commit.commit_time = graph.commit_time(0);
  graph.for_each_parent(0, [&](GraphPosition parent) {
    commit.parents.push_back(graph.id(parent.value));
    return true;
  });
  graphs.observe(layer.numbers[0], commit, commit.parents);
  EXPECT_EQ(layer.seen[0].load(), CommitGraphs::kAgreed);
  commit.commit_time += 1;
  graphs.observe(layer.numbers[0], commit, commit.parents);
  EXPECT_EQ(layer.seen[0].load(), CommitGraphs::kAgreed | CommitGraphs::kDiffered);
  EXPECT_EQ(layer.seen[1].load(), 0);
}

}  // namespace
}  // namespace assay
