// Headers of loose objects: what is understood is written the same way again.
#include "store/object/object_header.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(object_header) {
  const auto header = parse_object_header(input);
  if (!header) return;
  FUZZ_EXPECT(header->header_size <= input.size());
  const ObjectHeaderText text(header->type, header->body_size);
  const ByteView again = text.bytes();
  FUZZ_EXPECT(as_text(again) == as_text(input.first(header->header_size)));
}
