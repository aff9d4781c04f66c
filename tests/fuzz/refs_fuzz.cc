// Loose refs, packed-refs, reflogs, shallow and grafts: the small texts that name objects.
#include "store/refs/packed_refs.h"
#include "store/refs/ref_file.h"
#include "store/refs/ref_name.h"
#include "store/refs/reflog.h"
#include "store/repository/grafts.h"
#include "store/repository/shallow.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(refs) {
  if (input.empty()) return;
  const HashKind kind = (input[0] & 1) != 0 ? HashKind::kSha256 : HashKind::kSha1;
  const ByteView text = input.subspan(1);
  const auto ref = parse_ref_file(text, kind);
  if (ref && ref->is_symref) FUZZ_EXPECT(ref->target.size() <= text.size());
  const PackedRefs packed = parse_packed_refs(text, kind);
  for (std::size_t i = 0; i < packed.refs.size(); ++i) {
    FUZZ_EXPECT(i == 0 || packed.refs[i - 1].name <= packed.refs[i].name);
    FUZZ_EXPECT(packed.find(packed.refs[i].name) != nullptr);
  }
  const Reflog log = parse_reflog(text, kind);
  FUZZ_EXPECT(log.bad_lines.size() <= 100);
  (void)parse_shallow(text, kind);
  (void)parse_grafts(text, kind);
  (void)is_valid_ref_name(as_text(text), false);
}
