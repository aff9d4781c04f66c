// The table of commands: the one place where a command is registered.
#include "tools/bench/bench.h"
#include "tools/cat_file/cat_file.h"
#include "tools/commit_graph/commit_graph.h"
#include "tools/common/command.h"
#include "tools/count_objects/count_objects.h"
#include "tools/fsck/fsck.h"
#include "tools/hash_object/hash_object.h"
#include "tools/init/init.h"
#include "tools/multi_pack_index/multi_pack_index.h"
#include "tools/refs/refs.h"
#include "tools/sha1sum/sha1sum.h"
#include "tools/verify_pack/verify_pack.h"

namespace assay::tools {
namespace {

constexpr Command kCommands[] = {
    {"bench", "measure SHA-1, RC4 and runs of fsck, and compare measurements", run_bench},
    {"cat-file", "show types, sizes and contents of objects", run_cat_file},
    {"commit-graph", "verify what commit-graphs say of commits", run_commit_graph},
    {"count-objects", "count objects and what they take on disk", run_count_objects},
    {"fsck", "verify the objects of a repository and how they hang together", run_fsck_command},
    {"hash-object", "name files as objects and store them", run_hash_object},
    {"help", "show this help",
     [](Context& context, Arguments) {
       print_help(context);
       return 0;
     }},
    {"init", "make an empty repository", run_init},
    {"multi-pack-index", "verify what multi-pack-indexes say of packs", run_multi_pack_index},
    {"refs", "verify the files that hold refs", run_refs},
    {"sha1sum", "print or check SHA-1 checksums of files", run_sha1sum},
    {"verify-pack", "verify packs and their indexes", run_verify_pack_command},
};

}  // namespace

std::span<const Command> all_commands() { return kCommands; }

}  // namespace assay::tools
