#include "tools/common/version.h"

#include <fmt/format.h>

#include "sha1/kernel.h"

namespace assay::tools {

std::string program_version() { return fmt::format("assay {}", ASSAY_VERSION); }

void print_version(Context& context, bool verbose) {
  context.out.write(fmt::format("assay version {}\n", ASSAY_VERSION));
  if (!verbose) return;
  context.out.write(fmt::format("compiler: {}\n", ASSAY_COMPILER));
  const sha1::Choice& choice = sha1::process_choice();
  for (const sha1::Kernels& kernels : sha1::all_kernels()) {
    const bool chosen = choice.kernels->name == kernels.name;
    context.out.write(fmt::format("SHA-1 kernel: {}{}\n", kernels.name,
                                  chosen                   ? " (chosen)"
                                  : !sha1::usable(kernels) ? " (this processor cannot run it)"
                                                           : ""));
  }
  if (const std::string problem = sha1::describe_problem(choice); !problem.empty()) {
    print_warning(context, problem);
  }
}

}  // namespace assay::tools
