// Fuzz targets: ASSAY_FUZZ_TARGET(name) { use `input` }, one in each tests/fuzz/NAME_fuzz.cc.
//
// Built with ASSAY_FUZZ=ON (clang) each becomes a libFuzzer program; otherwise all are part of the
// program fuzz_replay, which ctest runs over seeds and over the inputs that once made one fail
// (fixtures/artifacts/NAME/). A target fails by crashing: FUZZ_EXPECT traps.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "store/base/bytes.h"

namespace assay::fuzz {

using Target = void (*)(ByteView input);

// Adds a target to the list of the replaying program.
bool register_target(const char* name, Target target);

inline void expect(bool good, const char* what, const char* file, int line) {
  if (good) return;
  std::fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
  std::abort();
}

// A file on a memory file system that lives as long as the process; for readers that open files.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& name);
  // Gives the file this content. Returns: its path.
  const std::string& put(ByteView content);

 private:
  std::string path_;
};

// Returns: a folder of this process on a memory file system, removed when it ends.
const std::string& scratch_folder();

}  // namespace assay::fuzz

#define FUZZ_EXPECT(what) ::assay::fuzz::expect((what), #what, __FILE__, __LINE__)

#ifdef ASSAY_FUZZING
#define ASSAY_FUZZ_TARGET(name)                                                       \
  static void fuzz_##name(::assay::ByteView input);                                   \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    fuzz_##name({data, size});                                                        \
    return 0;                                                                         \
  }                                                                                   \
  static void fuzz_##name([[maybe_unused]] ::assay::ByteView input)
#else
#define ASSAY_FUZZ_TARGET(name)                           \
  static void fuzz_##name(::assay::ByteView input);       \
  [[maybe_unused]] static const bool registered_##name =  \
      ::assay::fuzz::register_target(#name, fuzz_##name); \
  static void fuzz_##name([[maybe_unused]] ::assay::ByteView input)
#endif
