// Fault: what a parser or a reader found wrong. It says what, never where the file lies nor how
// bad it is: the checker adds the place (Finding), the policy decides the severity.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "store/report/message.h"

namespace assay {

struct Fault {
  static constexpr std::uint64_t kNoOffset = ~std::uint64_t{0};

  MessageId id{};
  std::string text;                  // in git's words where git has words for it
  std::uint64_t offset = kNoOffset;  // bytes from the start of the parsed bytes
  std::vector<std::string> causes;   // what git prints before it, outermost last

  Fault() = default;
  Fault(MessageId fault_id, std::string fault_text, std::uint64_t fault_offset = kNoOffset)
      : id(fault_id), text(std::move(fault_text)), offset(fault_offset) {}
};

template <typename T>
using Result = tl::expected<T, Fault>;

inline tl::unexpected<Fault> fault(MessageId id, std::string text,
                                   std::uint64_t offset = Fault::kNoOffset) {
  return tl::unexpected<Fault>(Fault(id, std::move(text), offset));
}

}  // namespace assay
