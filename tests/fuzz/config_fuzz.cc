// Configuration files: keys that come out are canonical; numbers and booleans never trap.
#include "store/repository/config_syntax.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(config) {
  const ConfigPrefix prefix = parse_config_prefix(as_text(input));
  for (const ConfigVariable& variable : prefix.variables) {
    FUZZ_EXPECT(!variable.key.empty());  // of no section, perhaps: git takes that, too
    if (variable.value) (void)parse_config_int(*variable.value);
    (void)parse_config_bool(variable.value);
  }
  const auto whole = parse_config_text(as_text(input), "config");
  FUZZ_EXPECT(whole.has_value() == !prefix.error_line.has_value());
}
