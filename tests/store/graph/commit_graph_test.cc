#include "store/graph/commit_graph.h"

#include <gtest/gtest.h>

#include "tests/support/chunk_text.h"
#include "tests/support/hostile.h"

namespace assay {
namespace {

using testing::be32_text;
using testing::be64_text;
using testing::chunk_file;
using testing::ChunkText;

// Three commits, 11.., 22.. and 33..; the third has three parents by way of an extra edge.
constexpr std::uint32_t kNoParent = CommitGraph::kNoParent;

std::string raw_id(char digit) { return std::string(20, digit); }

std::string data(char tree, std::uint32_t first, std::uint32_t second, std::uint32_t level,
                 std::uint64_t date) {
  return raw_id(tree) + be32_text(first) + be32_text(second) +
         be32_text(level << 2 | static_cast<std::uint32_t>(date >> 32)) +
         be32_text(static_cast<std::uint32_t>(date));
}

std::vector<ChunkText> chunks() {
  const std::vector<std::string> ids = {raw_id('\x11'), raw_id('\x22'), raw_id('\x33')};
  return {{"OIDF", testing::fanout_text(ids)},
          {"OIDL", ids[0] + ids[1] + ids[2]},
          {"CDAT", data('a', kNoParent, kNoParent, 1, 1000) + data('b', 0, kNoParent, 2, 2000) +
                       data('c', 1, 0x80000000, 3, (std::uint64_t{3} << 32) + 5)},
          {"EDGE", be32_text(0) + be32_text(0x80000001)},
          {"GDA2", be32_text(0) + be32_text(7) + be32_text(0x80000000)},
          {"GDO2", be64_text(std::uint64_t{1} << 40)},
          {"BIDX", be32_text(2) + be32_text(2) + be32_text(3)},
          {"BDAT", be32_text(1) + be32_text(7) + be32_text(10) + "xyz"}};
}

std::string file(const std::vector<ChunkText>& parts) {
  return chunk_file("CGPH" + std::string{'\1', '\1', static_cast<char>(parts.size()), '\0'}, parts);
}

Result<CommitGraph> parse(std::string_view text) {
  return CommitGraph::parse(as_bytes(text), HashKind::kSha1, {});
}

std::vector<std::uint32_t> parents_of(const CommitGraph& graph, std::uint32_t row) {
  std::vector<std::uint32_t> parents;
  EXPECT_TRUE(graph.for_each_parent(row, [&](GraphPosition parent) {
    parents.push_back(parent.value);
    return true;
  }));
  return parents;
}

TEST(CommitGraphFormat, SaysWhatItHolds) {
  const std::string text = file(chunks());
  const auto graph = parse(text);
  ASSERT_TRUE(graph) << graph.error().text;
  EXPECT_TRUE(graph->problems().empty()) << graph->problems()[0].text;
  ASSERT_EQ(graph->count(), 3U);
  EXPECT_EQ(graph->id(1).hex(), std::string(40, '2'));
  EXPECT_EQ(as_text(graph->tree(2).bytes()), raw_id('c'));
  EXPECT_EQ(graph->commit_time(0), 1000U);
  EXPECT_EQ(graph->commit_time(2), (std::uint64_t{3} << 32) + 5);
  EXPECT_EQ(graph->topological_level(2), 3U);
  EXPECT_TRUE(parents_of(*graph, 0).empty());
  EXPECT_EQ(parents_of(*graph, 1), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(parents_of(*graph, 2), (std::vector<std::uint32_t>{1, 0, 1}));
  EXPECT_EQ(graph->extra_edge(2), 0U);
  EXPECT_FALSE(graph->extra_edge(1));
  ASSERT_TRUE(graph->has_generation_data());
  EXPECT_EQ(graph->corrected_date(1).value(), 2007U);
  EXPECT_EQ(graph->corrected_date(2).value(),
            (std::uint64_t{3} << 32) + 5 + (std::uint64_t{1} << 40));
  ASSERT_TRUE(graph->bloom_settings());
  EXPECT_EQ(graph->bloom_settings()->bits_per_entry, 10U);
}

TEST(CommitGraphFormat, OptionsLeaveChunksOut) {
  const std::string text = file(chunks());
  const auto graph = CommitGraph::parse(as_bytes(text), HashKind::kSha1, {false, false});
  ASSERT_TRUE(graph);
  EXPECT_FALSE(graph->has_generation_data());
  EXPECT_FALSE(graph->bloom_settings());
}

TEST(CommitGraphFormat, GenerationsThatLieElsewhereAreFaults) {
  std::vector<ChunkText> parts = chunks();
  parts[4].second = be32_text(0) + be32_text(0) + be32_text(0x80000001);
  std::string text = file(parts);
  EXPECT_EQ(parse(text)->corrected_date(2).error().text,
            "commit-graph overflow generation data is too small");
  parts.erase(parts.begin() + 5);
  text = file(parts);
  EXPECT_EQ(parse(text)->corrected_date(2).error().text,
            "commit-graph requires overflow generation data but has none");
  parts[4].second += "12345";
  text = file(parts);
  const auto graph = parse(text);
  EXPECT_FALSE(graph->has_generation_data());
  ASSERT_EQ(graph->problems().size(), 1U);
  EXPECT_EQ(graph->problems()[0].text, "commit-graph generations chunk is wrong size");
}

TEST(CommitGraphFormat, ListsOfEdgesThatDoNotEndAreSeen) {
  std::vector<ChunkText> parts = chunks();
  parts[3].second = be32_text(0) + be32_text(1);
  const std::string text = file(parts);
  const auto graph = parse(text);
  std::size_t seen = 0;
  EXPECT_FALSE(graph->for_each_parent(2, [&](GraphPosition) {
    ++seen;
    return true;
  }));
  EXPECT_EQ(seen, 3U);
  EXPECT_TRUE(graph->for_each_parent(2, [](GraphPosition) { return false; }));
}

TEST(CommitGraphFormat, BloomFiltersMustFitTheirChunk) {
  const auto words = [](std::size_t part, const std::string& content) {
    std::vector<ChunkText> parts = chunks();
    parts[part].second = content;
    const std::string text = file(parts);
    const auto graph = parse(text);
    return graph && !graph->problems().empty() ? graph->problems()[0].text : std::string();
  };
  EXPECT_EQ(words(6, be32_text(2) + be32_text(2)),
            "commit-graph changed-path index chunk is too small");
  EXPECT_EQ(words(7, "short"),
            "ignoring too-small changed-path chunk (5 < 12) in commit-graph file");
  EXPECT_NE(words(6, be32_text(2) + be32_text(1) + be32_text(3)).find("filter of commit 2222"),
            std::string::npos);
  EXPECT_NE(words(6, be32_text(2) + be32_text(2) + be32_text(4)).find("filter of commit 3333"),
            std::string::npos);
  EXPECT_NE(words(6, be32_text(2) + be32_text(2) + be32_text(2)).find("filters end at 2 of 3"),
            std::string::npos);
}

TEST(CommitGraphFormat, SurvivesAnyDamage) {
  const std::string text = file(chunks());
  std::size_t refused = 0;
  std::uint64_t read = 0;  // the sum of all that the others say
  testing::for_each_damage(as_bytes(text), [&](ByteView bytes) {
    const auto graph = CommitGraph::parse(bytes, HashKind::kSha1, {});
    if (!graph) {
      ++refused;
      EXPECT_EQ(graph.error().id, MessageId::kCommitGraphUnreadable);
      return;
    }
    ASSERT_LE(std::uint64_t{graph->count()} * id_size(HashKind::kSha1), bytes.size());
    for (std::uint32_t row = 0; row < graph->count(); ++row) {
      read += graph->id(row).bytes()[0] + graph->tree(row).bytes()[0] + graph->commit_time(row);
      read += graph->topological_level(row) + graph->extra_edge(row).value_or(0);
      if (graph->has_generation_data()) read += graph->corrected_date(row).value_or(0);
      graph->for_each_parent(row, [&](GraphPosition parent) {
        read += parent.value;
        return true;
      });
    }
    for (std::size_t i = 0; i < graph->base_graph_count(); ++i) read += graph->base_graph(i).size();
  });
  EXPECT_GT(read, 0U);
  EXPECT_GT(refused, text.size());
}

}  // namespace
}  // namespace assay
