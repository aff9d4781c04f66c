// A whole tiny repository, one file of which is replaced: the first byte says which. fsck must end,
// whatever it is, and must say the same with one thread and with three.
//
// The repository is a copy of $ASSAY_FUZZ_TEMPLATE (fixtures/scripts/make_fuzz_seeds.py makes it).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "store/fsck.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

namespace {

namespace fs = std::filesystem;

struct Template {
  std::string path = fuzz::scratch_folder() + "/repository";
  std::vector<fs::path> files;  // sorted

  Template() {
    const char* source = std::getenv("ASSAY_FUZZ_TEMPLATE");
    fuzz::expect(source != nullptr, "ASSAY_FUZZ_TEMPLATE is set", __FILE__, __LINE__);
    fs::copy(source, path, fs::copy_options::recursive);
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (!entry.is_regular_file()) continue;
      fs::permissions(entry.path(), fs::perms::owner_all);
      files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    fuzz::expect(files.size() > 4, "the template holds files", __FILE__, __LINE__);
  }
};

void write(const fs::path& path, ByteView content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(content.data()),
             static_cast<std::streamsize>(content.size()));
}

FsckReport check(const std::string& path, unsigned threads) {
  FsckOptions options;
  options.repository.git_dir = path;
  options.repository.environment = Environment();
  options.repository.environment.set("GIT_CONFIG_NOSYSTEM", "1");
  options.threads = threads;
  options.memory = 8 << 20;
  options.may_change = false;  // waits would cost most of the runs
  auto report = run_fsck(os::System::real(), options);
  return report ? std::move(*report) : FsckReport{};
}

}  // namespace

ASSAY_FUZZ_TARGET(repository) {
  if (input.empty()) return;
  static const Template repository;
  const fs::path& victim = repository.files[input[0] % repository.files.size()];
  std::ifstream file(victim, std::ios::binary);
  const Bytes original{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  file.close();
  write(victim, input.subspan(1));
  const FsckReport one = check(repository.path, 1);
  const FsckReport three = check(repository.path, 3);
  write(victim, original);
  FUZZ_EXPECT(one.exit_status == three.exit_status);
  FUZZ_EXPECT(one.findings.size() == three.findings.size());
  for (std::size_t i = 0; i < one.findings.size(); ++i) {
    FUZZ_EXPECT(one.findings[i].text == three.findings[i].text);
  }
}
