#include "store/fsck/tree_links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "store/codec/delta.h"
#include "store/fsck/rules/tree_rules.h"
#include "store/report/policy.h"
#include "tests/support/pack_builder.h"
#include "tests/support/random.h"

namespace assay {
namespace {

using testing::DeltaWriter;
using testing::Random;

struct Entry {
  std::string mode;
  std::string name;
  ObjectId id;
};

bool comes_before(const Entry& a, const Entry& b) {
  const auto key = [](const Entry& entry) {
    return entry.mode == "40000" || entry.mode == "040000" ? entry.name + "/" : entry.name;
  };
  return key(a) < key(b);
}

Bytes tree_of(const std::vector<Entry>& entries) {
  Bytes tree;
  for (const Entry& entry : entries) {
    const std::string head = entry.mode + ' ' + entry.name + '\0';
    tree.insert(tree.end(), head.begin(), head.end());
    tree.insert(tree.end(), entry.id.data(), entry.id.data() + entry.id.size());
  }
  return tree;
}

// Ids that exist, and ids that do not.
class World {
 public:
  explicit World(HashKind kind) : kind_(kind) {
    Random random(99);
    for (int i = 0; i < 80; ++i) {
      const Bytes raw = random.bytes(id_size(kind));
      ids_.push_back(ObjectId::from_raw(raw.data(), kind));
    }
    Bytes present;
    for (int i = 0; i < 70; ++i) {
      present.insert(present.end(), ids_[i].data(), ids_[i].data() + id_size(kind));
    }
    table_ = std::make_unique<ObjectTable>(
        kind, std::vector<ObjectTable::IdRun>{{present.data(), id_size(kind), 70}});
  }
  HashKind kind() const { return kind_; }
  const ObjectTable& table() const { return *table_; }
  ObjectId some_id(Random& random) const {
    if (random.one_in(200)) return ObjectId::null(kind_);
    return random.one_in(10) ? ids_[70 + random.below(10)] : ids_[random.below(70)];
  }

 private:
  HashKind kind_;
  std::vector<ObjectId> ids_;
  std::unique_ptr<ObjectTable> table_;
};

std::string some_name(Random& random) {
  static const char* const kSpecial[] = {
      ".gitmodules", ".gitattributes", ".git", ".",     "..",          "GITMOD~1",      "a/b",
      ".gitignore",  ".mailmap",       ".GIT", "git~1", "back\\slash", ".gitmodules\\x"};
  if (random.one_in(40)) return kSpecial[random.below(std::size(kSpecial))];
  if (random.one_in(100)) return std::string(4000 + random.below(200), 'l');
  // Few letters around '/', so that names are starts of each other and dots sort before slashes.
  static const char kLetters[] = "xx.-0y\xe2";
  std::string name;
  for (std::uint64_t size = random.between(1, random.one_in(3) ? 6 : 3); size > 0; --size) {
    name += kLetters[random.below(sizeof kLetters - 1)];
  }
  return name;
}

std::string some_mode(Random& random) {
  static const char* const kOdd[] = {"100664", "040000", "0",      "777777",
                                     "10644",  "120777", "100600", "160001"};
  if (random.one_in(60)) return kOdd[random.below(std::size(kOdd))];
  static const char* const kUsual[] = {"100644", "100644", "100644", "40000",
                                       "40000",  "100755", "120000", "160000"};
  return kUsual[random.below(std::size(kUsual))];
}

Entry some_entry(const World& world, Random& random) {
  return {some_mode(random), some_name(random), world.some_id(random)};
}

std::vector<Entry> some_entries(const World& world, Random& random) {
  std::vector<Entry> entries;
  for (std::uint64_t size = random.below(random.one_in(5) ? 60 : 12); size > 0; --size) {
    entries.push_back(some_entry(world, random));
  }
  std::sort(entries.begin(), entries.end(), comes_before);
  // No name twice, mostly: a tree with such a fault passes nothing on.
  if (!random.one_in(30)) {
    std::set<std::string> names;
    std::erase_if(entries, [&](const Entry& entry) { return !names.insert(entry.name).second; });
  }
  return entries;
}

void change(std::vector<Entry>& entries, const World& world, Random& random) {
  const auto at = [&] {
    return entries.begin() + static_cast<std::ptrdiff_t>(random.below(entries.size()));
  };
  for (std::uint64_t changes = random.below(4); changes > 0; --changes) {
    switch (entries.empty() ? 0 : random.below(6)) {
      case 0:
      case 1:
        entries.push_back(some_entry(world, random));
        break;
      case 2:
        entries.erase(at());
        break;
      case 3:
        at()->id = world.some_id(random);
        break;
      case 4:
        at()->mode = some_mode(random);
        break;
      default:  // the same name once more, as something else
        entries.push_back({some_mode(random), at()->name, world.some_id(random)});
        break;
    }
  }
  if (!random.one_in(12)) std::stable_sort(entries.begin(), entries.end(), comes_before);
}

void damage(Bytes& tree, Random& random) {
  for (std::uint64_t changes = random.between(1, 3); changes > 0 && !tree.empty(); --changes) {
    const auto at = static_cast<std::ptrdiff_t>(random.below(tree.size()));
    switch (random.below(3)) {
      case 0:
        tree[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(random.below(64));
        break;
      case 1:
        tree.erase(tree.begin() + at, tree.begin() + at +
                                          static_cast<std::ptrdiff_t>(random.below(
                                              std::min<std::size_t>(30, tree.size() - at) + 1)));
        break;
      default:
        tree.insert(tree.begin() + at, static_cast<std::uint8_t>(random.next()));
        break;
    }
  }
}

// Where in a base the same few bytes stand.
class Places {
 public:
  static constexpr std::size_t kKey = 6;

  explicit Places(ByteView base) : base_(base), next_(base.size()) {
    heads_.fill(kNone);
    for (std::size_t i = 0; i + kKey <= base.size(); ++i) {
      std::uint32_t& head = heads_[slot(base.data() + i)];
      next_[i] = head;
      head = static_cast<std::uint32_t>(i);
    }
  }
  // Returns: one of the longest matches for the start of `bytes`: place and size, 0 for none.
  std::pair<std::size_t, std::size_t> find(ByteView bytes, Random& random) const {
    std::pair<std::size_t, std::size_t> best{0, 0};
    if (bytes.size() < kKey) return best;
    for (std::uint32_t at = heads_[slot(bytes.data())]; at != kNone; at = next_[at]) {
      std::size_t size = 0;
      while (size < bytes.size() && at + size < base_.size() && base_[at + size] == bytes[size]) {
        ++size;
      }
      if (size > best.second || (size == best.second && random.one_in(2))) best = {at, size};
    }
    return best.second < kKey ? std::pair<std::size_t, std::size_t>{0, 0} : best;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static std::size_t slot(const std::uint8_t* bytes) {
    std::uint64_t key = 0;
    std::memcpy(&key, bytes, kKey);
    return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15u >> 55);
  }

  ByteView base_;
  std::array<std::uint32_t, 512> heads_;
  std::vector<std::uint32_t> next_;
};

// One of the many deltas that make `result` from `base`: seams anywhere.
Bytes some_delta(ByteView base, ByteView result, Random& random) {
  const Places places(base);
  DeltaWriter delta(base.size(), result.size());
  const std::uint64_t style = random.below(3);  // 0: long copies, 1: cut copies, 2: many inserts
  std::size_t at = 0;
  while (at < result.size()) {
    std::size_t from = 0;
    std::size_t size = 0;
    if (style != 2 || !random.one_in(2)) {
      std::tie(from, size) = places.find(result.subspan(at), random);
    }
    if (size == 0) {
      const std::size_t insert =
          std::min<std::size_t>(result.size() - at, 1 + random.below(style == 2 ? 40 : 8));
      delta.insert(result.subspan(at, insert));
      at += insert;
      continue;
    }
    if (style != 0 && random.one_in(2)) size = 1 + random.below(size);
    size = std::min<std::size_t>(size, 0xffff);
    delta.copy(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(size));
    at += size;
  }
  return delta.bytes();
}

using Link = std::tuple<std::uint32_t, ObjectId, ObjectType>;

// The links of a history of trees, as one way of looking at them finds them.
class Side {
 public:
  Side(const World& world, const Policy& policy)
      : world_(world),
        ledger_(world.table()),
        writer_(ledger_),
        reporter_(policy, found_),
        tree_links_(writer_, special_, world.kind(), policy.max_pathname_size()) {}

  TreeLinks::Outcome parse(std::uint32_t number, ByteView body, TreeInfo* info) {
    return settled(tree_links_.parse(number, body, true, info), body, info);
  }
  TreeLinks::Outcome parse_difference(std::uint32_t number, ByteView body, ByteView program,
                                      const TreeInfo& base, TreeInfo* info) {
    return settled(tree_links_.parse_difference(number, body, program, base, true, info), body,
                   info);
  }
  std::size_t reported() { return found_.findings().size(); }
  const SpecialBlobs& special() const { return special_; }

  // By object: as which types it is linked to.
  std::vector<unsigned> expectations() const {
    std::vector<unsigned> result(world_.table().size());
    for (std::uint32_t i = 0; i < result.size(); ++i) {
      for (unsigned type = 1; type <= 4; ++type) {
        if (ledger_.is_expected_as(i, static_cast<ObjectType>(type))) result[i] |= 1u << type;
      }
    }
    return result;
  }
  std::multiset<Link> missing() {
    writer_.finish();
    std::multiset<Link> result;
    for (const MissingLink& link : ledger_.missing()) {
      result.emplace(link.parent, link.target, link.type);
    }
    return result;
  }

 private:
  // What a verifier does with the outcome: the rules look at what is unusual; a tree of which they
  // say nothing can be inherited from.
  TreeLinks::Outcome settled(const TreeLinks::Outcome& outcome, ByteView body, TreeInfo* info) {
    tree_links_.complete(*info);
    found_.findings().clear();
    if (outcome.unusual) {
      reporter_.begin(ObjectType::kTree, ObjectId::null(world_.kind()));
      check_tree_rules(body, world_.kind(), reporter_, special_);
    }
    info->inheritable = !outcome.malformed && found_.findings().empty();
    return outcome;
  }

  const World& world_;
  LinkLedger ledger_;
  LinkWriter writer_;
  FindingList found_;
  RuleReporter reporter_;
  SpecialBlobs special_;
  TreeLinks tree_links_;
};

std::size_t rules_say(ByteView body, const World& world, const Policy& policy) {
  FindingList found;
  RuleReporter reporter(policy, found);
  SpecialBlobs special;
  reporter.begin(ObjectType::kTree, ObjectId::null(world.kind()));
  check_tree_rules(body, world.kind(), reporter, special);
  return found.findings().size();
}

struct Counts {
  int by_difference = 0;
  int malformed = 0;
  int reported = 0;
  int needlessly_unusual = 0;
};

// A tree and some that derive from it, each from the one before.
void compare_history(const World& world, const Policy& policy, Random& random, Counts& counts) {
  Side full(world, policy);
  Side difference(world, policy);
  std::vector<Entry> entries = some_entries(world, random);
  Bytes body = tree_of(entries);
  auto full_info = std::make_unique<TreeInfo>();
  auto info = std::make_unique<TreeInfo>();
  full.parse(0, body, full_info.get());
  difference.parse(0, body, info.get());
  for (std::uint32_t number = 1; number <= 4; ++number) {
    if (!info->inheritable) break;
    const Bytes base = body;
    change(entries, world, random);
    body = tree_of(entries);
    if (random.one_in(15)) damage(body, random);
    const Bytes delta = some_delta(base, body, random);
    const auto parsed = parse_delta(delta);
    if (!parsed) break;  // two empty trees
    full_info = std::make_unique<TreeInfo>();
    auto next_info = std::make_unique<TreeInfo>();
    const auto expected = full.parse(number, body, full_info.get());
    const auto got =
        difference.parse_difference(number, body, parsed->program, *info, next_info.get());
    ++counts.by_difference;
    counts.malformed += got.malformed ? 1 : 0;
    const std::size_t found = rules_say(body, world, policy);
    counts.reported += found != 0 ? 1 : 0;
    ASSERT_EQ(expected.malformed, got.malformed);
    if (found != 0) {
      ASSERT_TRUE(expected.unusual);
      ASSERT_TRUE(got.unusual);
    }
    counts.needlessly_unusual += got.unusual && !expected.unusual ? 1 : 0;
    ASSERT_EQ(full.expectations(), difference.expectations());
    if (!got.malformed) {
      ASSERT_EQ(full_info->starts, next_info->starts);
      ASSERT_EQ(full_info->missing, next_info->missing);
    }
    info = std::move(next_info);
  }
  ASSERT_EQ(full.missing(), difference.missing());
  ASSERT_EQ(full.special().gitmodules(), difference.special().gitmodules());
  ASSERT_EQ(full.special().gitattributes(), difference.special().gitattributes());
}

std::vector<Policy> policies() {
  std::vector<Policy> result(4);
  result[1].set_strict(true);
  EXPECT_TRUE(result[2].configure("treenotsorted", "ignore"));
  for (const char* name : {"duplicateentries", "hasdotgit", "nullsha1", "zeropaddedfilemode"}) {
    EXPECT_TRUE(result[3].configure(name, "ignore"));
  }
  return result;
}

TEST(TreeLinks, ADifferenceTellsWhatAFullParseTells) {
  const std::vector<Policy> all_policies = policies();
  for (const HashKind kind : {HashKind::kSha1, HashKind::kSha256}) {
    const World world(kind);
    Random random(static_cast<std::uint64_t>(kind) + 1);
    Counts counts;
    for (std::size_t i = 0; counts.by_difference < 10000; ++i) {
      ASSERT_NO_FATAL_FAILURE(compare_history(world, all_policies[i % 4], random, counts))
          << "history " << i;
    }
    EXPECT_GT(counts.malformed, 200);
    EXPECT_GT(counts.reported, 600);
    EXPECT_LT(counts.needlessly_unusual, counts.by_difference / 50);
  }
}

TEST(TreeLinks, FindsLinksAndTheirTypes) {
  const World world(HashKind::kSha1);
  Policy policy;
  Side side(world, policy);
  const ObjectId absent = *ObjectId::from_hex(std::string(40, 'a'), HashKind::kSha1);
  const Bytes body = tree_of({{"100644", "a", world.table().id(3)},
                              {"40000", "b", world.table().id(4)},
                              {"120000", "c", world.table().id(5)},
                              {"160000", "d", world.table().id(6)},
                              {"100755", "e", absent},
                              {"160000", "f", absent}});
  TreeInfo info;
  const auto outcome = side.parse(7, body, &info);
  EXPECT_FALSE(outcome.malformed);
  EXPECT_FALSE(outcome.unusual);
  EXPECT_TRUE(info.inheritable);
  std::vector<unsigned> expected(world.table().size());
  expected[3] = expected[5] = 1u << static_cast<unsigned>(ObjectType::kBlob);
  expected[4] = 1u << static_cast<unsigned>(ObjectType::kTree);
  EXPECT_EQ(expected, side.expectations());
  EXPECT_EQ((std::vector<std::uint32_t>{0, 29, 57, 86, 115, 144, 173}), info.starts);
  EXPECT_EQ((std::vector<std::uint32_t>{115}), info.missing);
  EXPECT_EQ((std::multiset<Link>{{7, absent, ObjectType::kBlob}}), side.missing());
}

TEST(TreeLinks, LinksOfASecondCopyDoNotCount) {
  const World world(HashKind::kSha1);
  LinkLedger ledger(world.table());
  LinkWriter writer(ledger);
  SpecialBlobs special;
  TreeLinks links(writer, special, HashKind::kSha1, 4096);
  const ObjectId absent = *ObjectId::from_hex(std::string(40, 'a'), HashKind::kSha1);
  const Bytes body = tree_of({{"100644", "a", world.table().id(3)}, {"100644", "b", absent}});
  TreeInfo info;
  links.parse(1, body, false, &info);
  writer.finish();
  EXPECT_FALSE(ledger.has_links(3));
  EXPECT_TRUE(ledger.missing().empty());
  EXPECT_EQ((std::vector<std::uint32_t>{29}), info.missing);  // children need to know
}

}  // namespace
}  // namespace assay
