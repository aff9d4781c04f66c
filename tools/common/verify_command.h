// What commit-graph, multi-pack-index and refs have in common: one subcommand, `verify`.
#pragma once

#include <span>

#include "store/verify_derived.h"
#include "tools/common/options.h"

namespace assay::tools {

// The options that git calls --object-dir and --progress.
void declare_verify_options(OptionParser& parser, VerifyDerivedOptions& options, bool& progress);

// Returns: nothing when the arguments are the word `verify` alone, else the status of wrong use.
std::optional<int> require_verify(Context& context, const OptionParser& parser);

// Prints what was found. Returns: 128 where git dies, else `failure` when there is an error, else
// 0.
int print_verified(Context& context, std::span<const Finding> findings, int failure = 1);

// git's lines of progress, at their end ("TITLE: 100% (N/N), done."); none when there is nothing.
void print_commit_graph_progress(Context& context, std::uint64_t commits);
void print_multi_pack_index_progress(Context& context, std::uint64_t objects);

}  // namespace assay::tools
