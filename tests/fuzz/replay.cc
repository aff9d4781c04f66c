// fuzz_replay FOLDER...: gives each target the files that lie in FOLDER/<name of the target>/.
//
// A folder whose name is no target is an error, and so is a run without any input: what is not
// replayed must not look as if it were.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> table;
  return table;
}

Bytes read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int replay(const std::vector<std::string>& folders) {
  std::map<std::string, int> counts;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (!entry.is_directory()) continue;
      const std::string name = entry.path().filename().string();
      const auto target = targets().find(name);
      if (target == targets().end()) {
        std::fprintf(stderr, "%s: no target of that name\n", entry.path().c_str());
        return 1;
      }
      for (const auto& file : fs::recursive_directory_iterator(entry.path())) {
        if (!file.is_regular_file()) continue;
        // Printed before, so that a crash says what caused it.
        std::printf("%s\n", file.path().c_str());
        std::fflush(stdout);
        target->second(read_file(file.path()));
        ++counts[name];
      }
    }
  }
  int status = 0;
  for (const auto& [name, target] : targets()) {
    if (counts[name] > 0) continue;
    std::fprintf(stderr, "%s: no input\n", name.c_str());
    status = 1;
  }
  return status;
}

}  // namespace

bool register_target(const char* name, Target target) {
  return targets().emplace(name, target).second;
}

}  // namespace assay::fuzz

int main(int argc, char** argv) {
  return assay::fuzz::replay(std::vector<std::string>(argv + 1, argv + argc));
}
