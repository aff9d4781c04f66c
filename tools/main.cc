#include <exception>
#include <new>

#include "tools/common/command.h"

int main(int argc, char** argv) {
  using assay::os::System;
  // Exceptions mean that memory ran out or that we have a bug; data never throws.
  try {
    return assay::tools::run_assay(System::real(), 0, 1, 2,
                                   {argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::bad_alloc&) {
    assay::tools::Output err(System::real(), 2, assay::tools::Output::Buffering::kUnbuffered);
    err.write("fatal: Out of memory\n");
  } catch (const std::exception& error) {
    assay::tools::Output err(System::real(), 2, assay::tools::Output::Buffering::kUnbuffered);
    err.write("fatal: ");
    err.write(error.what());
    err.write("\n");
  }
  return assay::tools::kExitFatal;
}
