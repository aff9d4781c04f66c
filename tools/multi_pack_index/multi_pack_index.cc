#include "tools/multi_pack_index/multi_pack_index.h"

#include <unistd.h>

#include "tools/common/open_store.h"
#include "tools/common/verify_command.h"

namespace assay::tools {

int run_multi_pack_index(Context& context, Arguments arguments) {
  VerifyDerivedOptions options;
  bool progress = ::isatty(context.err.fd()) != 0;
  OptionParser parser({"assay multi-pack-index [--object-dir <dir>] [--[no-]progress] verify"});
  declare_verify_options(parser, options, progress);
  if (const auto status = parser.parse(context, arguments)) return *status;
  if (const auto status = require_verify(context, parser)) return *status;
  options.repository = open_options(context);
  const auto report = verify_multi_pack_index(context.system, options);
  if (!report) return die_of(context, report.error());
  const int status = print_verified(context, report->findings);
  if (progress) print_multi_pack_index_progress(context, report->checked);
  return status;
}

}  // namespace assay::tools
