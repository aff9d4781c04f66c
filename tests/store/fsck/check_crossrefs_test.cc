// Every derived file that the installed git writes: sound ones are silent, every flipped byte and
// every truncation is found and its file is named; nothing crashes, resealed or not.
#include "store/fsck/check_crossrefs.h"

#include <gtest/gtest.h>

#include "tests/support/derived_repository.h"

namespace assay {
namespace {

using testing::DerivedRepository;
using testing::exit_status_of;
using testing::lines_of;

struct Kind {
  const char* name;
  HashKind hash;
  DerivedRepository::Commands commands;
  std::vector<const char*> parts;  // of the names of the files that are damaged
};

// What 2.39.5 cannot write (chains of multi-pack-indexes, BTMP) is made by hand in
// check_multi_pack_index_test.cc.
const Kind kKinds[] = {
    {"graph",
     HashKind::kSha1,
     {{"repack", "-adq"}, {"commit-graph", "write", "--reachable", "--changed-paths"}},
     {"info/commit-graph"}},
    {"graph256",
     HashKind::kSha256,
     {{"repack", "-adq"}, {"commit-graph", "write", "--reachable", "--changed-paths"}},
     {"info/commit-graph"}},
    {"chain",
     HashKind::kSha1,
     {{"commit-graph", "write", "--reachable", "--changed-paths", "--split"},
      {"+2"},
      {"commit-graph", "write", "--reachable", "--changed-paths", "--split=no-merge"}},
     {".graph"}},
    {"midx",
     HashKind::kSha1,
     {{"repack", "-dq"}, {"+2"}, {"repack", "-dq"}, {"multi-pack-index", "write", "--bitmap"}},
     {"pack/multi-pack-index"}},
    {"midx256",
     HashKind::kSha256,
     {{"repack", "-dq"}, {"+2"}, {"repack", "-dq"}, {"multi-pack-index", "write", "--bitmap"}},
     {"pack/multi-pack-index"}},
    {"pack",
     HashKind::kSha1,
     {{"-c", "pack.writeReverseIndex=true", "-c", "pack.writeBitmapLookupTable=true", "repack",
       "-adbq"}},
     {".rev", ".bitmap"}},
    {"pack256",
     HashKind::kSha256,
     {{"-c", "pack.writeReverseIndex=true", "repack", "-adbq"}},
     {".rev", ".bitmap"}},
    {"cruft",
     HashKind::kSha1,
     {{"+2"},
      {"update-ref", "refs/heads/main", "refs/heads/main~2"},
      {"-c", "pack.writeReverseIndex=true", "repack", "-q", "--cruft", "-d"}},
     {".mtimes", ".rev"}},
};

std::string kind_name(const ::testing::TestParamInfo<Kind>& info) { return info.param.name; }

class DerivedFiles : public ::testing::TestWithParam<Kind> {
 protected:
  DerivedFiles() : repository_(GetParam().commands, GetParam().hash) {}

  std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const char* part : GetParam().parts) {
      const std::vector<std::string> some = repository_.files(part);
      EXPECT_FALSE(some.empty()) << part;
      names.insert(names.end(), some.begin(), some.end());
    }
    return names;
  }

  DerivedRepository repository_;
};

TEST_P(DerivedFiles, SoundOnesAreSilent) {
  FindingList found = repository_.check();
  EXPECT_EQ(lines_of(found), "");
  found = repository_.check_all();
  EXPECT_EQ(lines_of(found), "");
}

TEST_P(DerivedFiles, EveryFlippedByteAndEveryTruncationIsFound) {
  for (const std::string& name : files()) {
    const std::string sound = repository_.read(name);
    const auto expect_found = [&](const std::string& what) {
      FindingList found = repository_.check();
      // What is wrong with a layer may only be a warning there, and an error of the chain.
      bool named = false;
      bool bad = false;
      for (const Finding& finding : found.findings()) {
        named = named || finding.file == name;
        bad = bad || finding.severity >= Severity::kError;
      }
      EXPECT_TRUE(named && bad) << name << ": " << what;
      return named && bad;
    };
    int missed = 0;
    for (std::size_t i = 0; i < sound.size() && missed < 5; ++i) {
      std::string changed = sound;
      changed[i] = static_cast<char>(changed[i] ^ (1 << ((i * 3 + 1) % 8)));
      repository_.write(name, changed);
      missed += expect_found("byte " + std::to_string(i)) ? 0 : 1;
    }
    for (std::size_t size = 0; size < sound.size() && missed < 5; ++size) {
      repository_.write(name, sound.substr(0, size));
      missed += expect_found("cut to " + std::to_string(size)) ? 0 : 1;
    }
    repository_.write(name, sound);
  }
  FindingList found = repository_.check();
  EXPECT_EQ(lines_of(found), "");
}

// The checksum is made right again: what is found now comes from looking at the content. Not every
// byte has a meaning that can be checked, but many have.
TEST_P(DerivedFiles, ResealedDamageIsReadSafelyAndMostlyFound) {
  std::size_t tried = 0;
  std::size_t noticed = 0;
  for (const std::string& name : files()) {
    const std::string sound = repository_.read(name);
    const std::size_t end = sound.size() - id_size(repository_.kind());
    for (std::size_t i = 0; i < end; ++i) {
      for (const int mask : {0xff, 1 << (i % 8)}) {
        std::string changed = sound;
        changed[i] = static_cast<char>(changed[i] ^ mask);
        repository_.write(name, repository_.sealed(std::move(changed)));
        ++tried;
        FindingList found = repository_.check();
        noticed += found.findings().empty() ? 0 : 1;
      }
    }
    repository_.write(name, sound);
  }
  EXPECT_GT(noticed * 10, tried * 6) << noticed << " of " << tried;
}

INSTANTIATE_TEST_SUITE_P(Kinds, DerivedFiles, ::testing::ValuesIn(kKinds), kind_name);

TEST(DerivedFilesOptions, AreNotReadWhenTheConfigurationSaysSo) {
  DerivedRepository repository({{"repack", "-adq"},
                                {"commit-graph", "write", "--reachable"},
                                {"multi-pack-index", "write"}});
  for (const char* name : {"objects/info/commit-graph", "objects/pack/multi-pack-index"}) {
    std::string changed = repository.read(name);
    changed[changed.size() - 1] ^= 1;
    repository.write(name, changed);
  }
  FindingList found = repository.check();
  EXPECT_EQ(exit_status_of(found), 16 + 32);
  found = repository.check({{"core.commitGraph", "false"}});
  EXPECT_EQ(exit_status_of(found), 32);
  found = repository.check({{"core.multiPackIndex", "false"}});
  EXPECT_EQ(exit_status_of(found), 16);
}

TEST(DerivedFilesOptions, OrphansAreWarnedOf) {
  DerivedRepository repository(DerivedRepository::Commands{{"repack", "-adq"}});
  repository.write("objects/pack/pack-1234.rev", "x");
  repository.write("objects/pack/pack-1234.keep", "");
  repository.write("objects/pack/tmp_pack_1234", "");
  FindingList found = repository.check();
  EXPECT_EQ(lines_of(found),
            "warning: no corresponding .pack: objects/pack/pack-1234.keep\n"
            "warning: no corresponding .pack: objects/pack/pack-1234.rev\n");
  EXPECT_EQ(exit_status_of(found), 0);
}

}  // namespace
}  // namespace assay
