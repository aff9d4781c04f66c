// Delta programs: applied they give exactly the size they promise, or nothing.
#include "store/codec/delta.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(delta) {
  const auto delta = parse_delta(input);
  if (!delta || delta->base_size > 4096 || delta->result_size > (1 << 20)) return;
  Bytes base(static_cast<std::size_t>(delta->base_size) + kDeltaSlack);
  for (std::size_t i = 0; i < base.size(); ++i) base[i] = static_cast<std::uint8_t>(i * 7);
  const auto size = static_cast<std::size_t>(delta->result_size);
  Bytes result(size + kDeltaSlack);
  const ByteView view(base.data(), static_cast<std::size_t>(delta->base_size));
  if (!apply_delta(view, delta->program, std::span(result).first(size))) return;
  // The slow way: operation by operation.
  Bytes expected;
  DeltaCursor cursor(delta->program);
  DeltaOperation operation;
  while (cursor.next(operation)) {
    if (operation.copy) {
      FUZZ_EXPECT(std::uint64_t{operation.offset} + operation.size <= view.size());
      const auto* from = view.data() + operation.offset;
      expected.insert(expected.end(), from, from + operation.size);
    } else {
      const auto* from = delta->program.data() + operation.offset;
      expected.insert(expected.end(), from, from + operation.size);
    }
    FUZZ_EXPECT(expected.size() <= size);
  }
  FUZZ_EXPECT(!cursor.bad());
  FUZZ_EXPECT(expected == Bytes(result.begin(), result.begin() + static_cast<long>(size)));
}
