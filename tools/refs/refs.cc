#include "tools/refs/refs.h"

#include "store/verify_refs.h"
#include "tools/common/open_store.h"
#include "tools/common/verify_command.h"

namespace assay::tools {
namespace {

// What git makes of its -1.
constexpr int kExitBadRefs = 255;

}  // namespace

int run_refs(Context& context, Arguments arguments) {
  VerifyRefsOptions options;
  bool verbose = false;
  OptionParser parser({"assay refs verify [--strict] [--verbose]"});
  parser.flag(0, "verbose", "be verbose", &verbose);
  parser.flag(0, "strict", "enable strict checking", &options.strict);
  if (const auto status = parser.parse(context, arguments)) return *status;
  if (const auto status = require_verify(context, parser)) return *status;
  options.repository = open_options(context);
  if (verbose) {
    options.note = [&context](const std::string& line) { context.err.write(line + "\n"); };
  }
  const auto findings = verify_refs(context.system, options);
  if (!findings) return die_of(context, findings.error());
  return print_verified(context, *findings, kExitBadRefs);
}

}  // namespace assay::tools
