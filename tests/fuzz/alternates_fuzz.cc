// The list of alternates and C-style quoting.
#include <filesystem>

#include "store/odb/alternates.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(alternates) {
  static const std::string objects = [] {
    const std::string path = fuzz::scratch_folder() + "/objects";
    std::filesystem::create_directories(path + "/info");
    std::filesystem::create_directories(fuzz::scratch_folder() + "/other");
    return path;
  }();
  static fuzz::ScratchFile file("objects/info/alternates");
  file.put(input);
  const ObjectDirectories found = find_object_directories(os::System::real(), objects, "");
  FUZZ_EXPECT(!found.paths.empty());
  FUZZ_EXPECT(found.paths.size() + found.problems.size() <= input.size() + 1);
  const auto unquoted = unquote_c_style(as_text(input));
  if (unquoted) FUZZ_EXPECT(unquoted->consumed <= input.size());
}
