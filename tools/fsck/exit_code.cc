#include "tools/fsck/exit_code.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <vector>

#include "store/os/system.h"

namespace assay::tools {
namespace {

enum class Trouble : std::uint8_t { kNone, kTransient, kPermission };

// Whether a text ends in the words of one of these errors. Findings carry words, not numbers: git
// prints the words, and they are made at one place, os::Error::text().
bool ends_in_error(std::string_view text, std::span<const int> codes) {
  return std::any_of(codes.begin(), codes.end(),
                     [&](int code) { return text.ends_with(": " + os::Error{code}.text()); });
}

Trouble trouble_in(std::string_view text) {
  static constexpr std::array kTransientCodes = {EIO,    ENOMEM, EMFILE,   ENFILE,
                                                 EAGAIN, ESTALE, ETIMEDOUT};
  static constexpr std::array kPermissionCodes = {EACCES, EPERM};
  if (ends_in_error(text, kTransientCodes) || text.ends_with(": out of memory")) {
    return Trouble::kTransient;
  }
  return ends_in_error(text, kPermissionCodes) ? Trouble::kPermission : Trouble::kNone;
}

// Why something could not be read, if that is what the fault is about.
Trouble trouble_in(std::string_view text, const std::vector<std::string>& causes) {
  Trouble trouble = trouble_in(text);
  for (const std::string& cause : causes) {
    if (trouble == Trouble::kNone) trouble = trouble_in(cause);
  }
  return trouble;
}

// Findings that may merely follow from what could not be read elsewhere.
bool may_follow(MessageId id) {
  switch (id) {
    case MessageId::kMissing:
    case MessageId::kBrokenLink:
    case MessageId::kInvalidRefPointer:
    case MessageId::kInvalidReflogEntry:
    case MessageId::kInvalidCacheTreePointer:
    case MessageId::kInvalidResolveUndoPointer:
    case MessageId::kObjectUnreadable:
    case MessageId::kDeltaBaseBad:
    // Files that are derived from packs and objects are judged by these.
    case MessageId::kReverseIndexBad:
    case MessageId::kBitmapUntrue:
    case MessageId::kCommitGraphBad:
    case MessageId::kCommitGraphUnreadable:
    case MessageId::kCommitGraphUntrue:
    case MessageId::kMultiPackIndexBad:
    case MessageId::kMultiPackIndexUnreadable:
    case MessageId::kMultiPackIndexUntrue:
      return true;
    default:
      return false;
  }
}

// Git prints its own findings of severity info as warnings, too.
bool is_warning_or_worse(const Finding& finding) {
  return finding.severity >= Severity::kWarn ||
         (finding.severity == Severity::kInfo && message(finding.id).since == Since::kGit);
}

}  // namespace

int simple_status(std::span<const Finding> findings, bool strict_exit) {
  bool follows = false;
  bool transient = false;
  bool permission = false;
  bool changing = false;
  bool usage = false;
  bool harmless = false;
  for (const Finding& finding : findings) {
    harmless = harmless || is_warning_or_worse(finding);
    if (finding.severity < Severity::kError) continue;
    if (finding.bit == ExitBit::kBitInconclusive) changing = true;
    if (message(finding.id).klass == FaultClass::kCosmetic) continue;
    const Trouble trouble = trouble_in(finding.text, finding.causes);
    if (trouble == Trouble::kTransient) {
      transient = true;
    } else if (trouble == Trouble::kPermission) {
      permission = true;
    } else if (finding.id == MessageId::kPackChanged) {
      changing = true;
    } else if (finding.id == MessageId::kInvalidParameter) {
      usage = true;
    } else if (may_follow(finding.id)) {
      follows = true;
    } else {
      return kSimpleFinding;
    }
  }
  if (transient) return kSimpleTransient;
  if (permission) return kSimplePermission;
  if (changing) return kSimpleInconclusive;
  if (follows) return kSimpleFinding;
  if (usage) return kSimpleUsage;
  return strict_exit && harmless ? kSimpleHarmless : kSimpleSound;
}

int simple_status(const Fault& fault) {
  switch (trouble_in(fault.text, fault.causes)) {
    case Trouble::kTransient:
      return kSimpleTransient;
    case Trouble::kPermission:
      return kSimplePermission;
    case Trouble::kNone:
      break;
  }
  return kSimpleUnusable;
}

int joined_simple_status(int one, int other) {
  static constexpr std::array kFirstToLast = {
      kSimpleFinding,   kSimpleInternal,     kSimpleUsage,      kSimpleUnusable, kSimplePermission,
      kSimpleTransient, kSimpleInconclusive, kSimpleIncomplete, kSimpleHarmless, kSimpleSound};
  for (const int status : kFirstToLast) {
    if (one == status || other == status) return status;
  }
  return one;
}

}  // namespace assay::tools
