#include "store/report/message.h"

#include <array>
#include <cctype>
#include <string>

namespace assay {
namespace {

using enum Since;
using enum Shape;
using enum Severity;
using enum FaultClass;
using enum ExitBit;

constexpr std::array kMessages = {
#define ASSAY_MESSAGE(enumerator, name, since, shape, severity, klass, bit) \
  Message{MessageId::enumerator, name, since, shape, severity, klass, bit},
#include "store/report/messages.def"
#undef ASSAY_MESSAGE
};

std::string folded(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c != '_') result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

}  // namespace

const Message& message(MessageId id) { return kMessages[static_cast<std::size_t>(id)]; }

std::span<const Message> all_messages() { return kMessages; }

std::optional<MessageId> find_message(std::string_view name) {
  const std::string wanted = folded(name);
  for (const Message& row : kMessages) {
    if (row.since == Since::kGit && folded(row.name) == wanted) return row.id;
  }
  return std::nullopt;
}

}  // namespace assay
