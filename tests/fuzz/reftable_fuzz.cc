// One reftable, its footer's checksum made right so that mutants get past it, and tables.list.
#include "store/refs/reftable.h"

#include "store/codec/crc32.h"
#include "tests/fuzz/fuzz_target.h"

using namespace assay;

ASSAY_FUZZ_TARGET(reftable) {
  if (input.empty()) return;
  const HashKind kind = (input[0] & 1) != 0 ? HashKind::kSha256 : HashKind::kSha1;
  Bytes file(input.begin() + 1, input.end());
  const std::size_t header = file.size() > 4 && file[4] == 2 ? 28 : 24;
  const std::size_t footer = header + 44;
  if (file.size() >= footer) {
    std::copy_n(file.begin(), header, file.end() - static_cast<std::ptrdiff_t>(footer));
    const std::uint32_t crc = crc32_of(ByteView(file).last(footer).first(footer - 4));
    for (int i = 0; i < 4; ++i) {
      file[file.size() - 1 - static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(crc >> 8 * i);
    }
  }
  std::uint64_t logs = 0;
  const Reftable table = read_reftable(file, kind, [&](const ReftableLog& log) {
    ++logs;
    FUZZ_EXPECT(!log.name.empty() && log.offset < file.size());
  });
  FUZZ_EXPECT(logs <= file.size() * 1032);
  for (std::size_t i = 0; i < table.refs.size(); ++i) {
    FUZZ_EXPECT(i == 0 || table.refs[i - 1].name < table.refs[i].name);
    FUZZ_EXPECT(table.refs[i].offset < file.size());
  }
  const ReftableList list = parse_reftable_list(input);
  for (const std::string& name : list.names) {
    FUZZ_EXPECT(name.find('/') == std::string::npos && !is_valid_reftable_name("x" + name));
  }
}
