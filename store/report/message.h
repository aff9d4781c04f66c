// The rows of messages.def as values: what can be wrong, and what git thinks of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace assay {

enum class MessageId : std::uint8_t {
#define ASSAY_MESSAGE(enumerator, name, since, shape, severity, klass, bit) enumerator,
#include "store/report/messages.def"
#undef ASSAY_MESSAGE
};

enum class Since : std::uint8_t { kGit, kOurs };

// How a finding becomes a line (tools/fsck renders it).
enum class Shape : std::uint8_t {
  kInObject,       // SEV in TYPE OID: NAME: TEXT
  kInObjectPlain,  // SEV in TYPE OID: TEXT
  kInRef,          // SEV: REF: NAME: TEXT
  kErrorLine,      // error: TEXT
  kWarningLine,    // warning: TEXT
  kPlainLine,      // TEXT
  kResultLine,     // TEXT, on stdout
};

enum class Severity : std::uint8_t { kIgnore, kInfo, kWarn, kError, kFatal };
enum class FaultClass : std::uint8_t { kIntegrity, kSecurity, kCosmetic };

// The exit bits of git fsck (builtin/fsck.c); kBitDies: git calls die() here, exit status 128.
enum class ExitBit : std::uint8_t {
  kBitNone = 0,
  kBitObject = 1,
  kBitReachable = 2,
  kBitPack = 4,
  kBitRefs = 8,
  kBitCommitGraph = 16,
  kBitMultiPackIndex = 32,
  kBitReverseIndex = 64,
  kBitBitmap = 128,
  kBitInconclusive = 240,  // assay's own, see exit_status.h
  kBitDies = 255,
};

// Both: git counts some faults twice.
constexpr ExitBit operator|(ExitBit one, ExitBit other) {
  return static_cast<ExitBit>(static_cast<unsigned>(one) | static_cast<unsigned>(other));
}

struct Message {
  MessageId id;
  std::string_view name;
  Since since;
  Shape shape;
  Severity severity;
  FaultClass klass;
  ExitBit bit;
};

const Message& message(MessageId id);
std::span<const Message> all_messages();

// Returns: the message of git that `fsck.<name>` means. Case and underscores do not count.
std::optional<MessageId> find_message(std::string_view name);

}  // namespace assay
