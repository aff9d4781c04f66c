#include "tools/common/open_store.h"

namespace assay::tools {

OpenOptions open_options(const Context& context) {
  OpenOptions options;
  options.git_dir = context.globals.git_dir;
  options.overrides = context.globals.config;
  return options;
}

int die_of(Context& context, const Fault& fault) {
  for (const std::string& cause : fault.causes) print_error(context, cause);
  return die(context, fault.text);
}

std::unique_ptr<ObjectStore> open_store(Context& context) {
  auto store = ObjectStore::open(context.system, open_options(context));
  if (!store) {
    die_of(context, store.error());
    return nullptr;
  }
  for (const Fault& problem : (*store)->repository().alternate_problems()) {
    print_error(context, problem.text);
  }
  for (const Fault& problem : (*store)->objects().packs()->problems) {
    print_error(context, problem.text);
  }
  return std::move(*store);
}

}  // namespace assay::tools
