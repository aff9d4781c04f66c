#include <filesystem>
#include <fstream>

#include "tests/fuzz/fuzz_target.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

struct Folder {
  std::string path;
  Folder() {
    const fs::path parent =
        fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
    path = (parent / "assay-fuzz-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) std::abort();
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

const std::string& scratch_folder() {
  static const Folder folder;
  return folder.path;
}

ScratchFile::ScratchFile(const std::string& name) : path_(scratch_folder() + "/" + name) {}

const std::string& ScratchFile::put(ByteView content) {
  std::ofstream file(path_, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(content.data()),
             static_cast<std::streamsize>(content.size()));
  file.close();
  expect(file.good(), "scratch file written", __FILE__, __LINE__);
  return path_;
}

}  // namespace assay::fuzz
