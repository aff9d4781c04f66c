#include "tools/commit_graph/commit_graph.h"

#include <unistd.h>

#include "tools/common/open_store.h"
#include "tools/common/verify_command.h"

namespace assay::tools {

int run_commit_graph(Context& context, Arguments arguments) {
  VerifyDerivedOptions options;
  bool progress = ::isatty(context.err.fd()) != 0;
  OptionParser parser(
      {"assay commit-graph verify [--object-dir <dir>] [--shallow] [--[no-]progress]"});
  declare_verify_options(parser, options, progress);
  parser.flag(0, "shallow", "if the commit-graph is split, only verify the tip file",
              &options.only_uppermost);
  if (const auto status = parser.parse(context, arguments)) return *status;
  if (const auto status = require_verify(context, parser)) return *status;
  options.repository = open_options(context);
  const auto report = verify_commit_graph(context.system, options);
  if (!report) return die_of(context, report.error());
  const int status = print_verified(context, report->findings);
  if (progress) print_commit_graph_progress(context, report->checked);
  return status;
}

}  // namespace assay::tools
