#include "store/fsck/check_packed_refs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "store/base/ascii.h"
#include "store/os/follow_file.h"
#include "store/refs/packed_refs.h"
#include "store/refs/ref_name.h"

namespace assay {
namespace {

// git prints lines as C strings.
std::string_view shown_text(std::string_view text) { return text.substr(0, text.find('\0')); }

class PackedRefsChecker {
 public:
  PackedRefsChecker(std::string_view text, HashKind kind, const Policy& policy,
                    FaultReporter& reporter)
      : text_(text), rest_(text), kind_(kind), policy_(policy), reporter_(reporter) {}

  void check();

 private:
  std::string_view next_line();
  void check_terminated(std::string_view line, bool terminated);
  bool header(std::string_view line);  // Returns: true for the trait "sorted"
  void main_line(std::string_view line);
  void peeled_line(std::string_view line);
  void check_order();

  void report(MessageId id, std::string text) {
    report_at(fmt::format("packed-refs line {}", line_number_), id, std::move(text));
  }
  void report_at(std::string place, MessageId id, std::string text) {
    failed_ = failed_ || policy_.severity(id) >= Severity::kError;
    reporter_.report(id, std::move(text), std::move(place));
  }

  std::string_view text_;
  std::string_view rest_;
  HashKind kind_;
  const Policy& policy_;
  FaultReporter& reporter_;
  std::uint64_t line_number_ = 1;
  bool failed_ = false;
};

void PackedRefsChecker::check() {
  bool sorted = false;
  // git looks at the end of the first line before it knows whether that is a header; without one
  // it looks again.
  const auto first_end = text_.find('\n');
  check_terminated(text_.substr(0, first_end), first_end != std::string_view::npos);
  if (rest_.starts_with('#')) {
    sorted = header(next_line());
    ++line_number_;
  }
  while (!rest_.empty()) {
    const auto take = [&] {
      const auto end = rest_.find('\n');
      check_terminated(rest_.substr(0, end), end != std::string_view::npos);
      return next_line();
    };
    main_line(take());
    ++line_number_;
    if (rest_.starts_with('^')) {
      peeled_line(take());
      ++line_number_;
    }
  }
  if (sorted && !failed_) check_order();
}

std::string_view PackedRefsChecker::next_line() {
  const std::string_view line = rest_.substr(0, rest_.find('\n'));
  rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
  return line;
}

void PackedRefsChecker::check_terminated(std::string_view line, bool terminated) {
  if (terminated) return;
  report(MessageId::kPackedRefEntryNotTerminated,
         fmt::format("'{}' is not terminated with a newline", shown_text(line)));
}

bool PackedRefsChecker::header(std::string_view line) {
  line = shown_text(line);
  if (!line.starts_with(kPackedRefsHeader)) {
    report_at("packed-refs.header", MessageId::kBadPackedRefHeader,
              fmt::format("'{}' does not start with '{}'", line, kPackedRefsHeader));
    return false;
  }
  std::string_view traits = line.substr(kPackedRefsHeader.size());
  while (!traits.empty()) {
    const std::string_view trait = traits.substr(0, traits.find(' '));
    if (trait == "sorted") return true;
    traits.remove_prefix(std::min(traits.size(), trait.size() + 1));
  }
  return false;
}

void PackedRefsChecker::main_line(std::string_view line) {
  const std::size_t hex_size = id_hex_size(kind_);
  const auto id = ObjectId::from_hex(line.substr(0, hex_size), kind_);
  if (!id) {
    report(MessageId::kBadPackedRefEntry, fmt::format("'{}' has invalid oid", shown_text(line)));
    return;
  }
  std::string_view name = line.substr(hex_size);
  if (name.empty() || !is_blank(name.front())) {
    report(MessageId::kBadPackedRefEntry,
           fmt::format("has no space after oid '{}' but with '{}'", id->hex(), shown_text(name)));
    return;
  }
  name.remove_prefix(1);
  const std::string_view shown = shown_text(name);
  if (shown.size() != name.size()) {
    report(MessageId::kBadPackedRefEntry,
           fmt::format("refname '{}' contains NULL binaries", shown));
  }
  if (!is_valid_ref_name(shown)) {
    report(MessageId::kBadRefName, fmt::format("has bad refname '{}'", shown));
  } else if (!shown.starts_with("refs/")) {
    report(MessageId::kRefBroken,
           fmt::format("packed-refs line {}: git does not see '{}', which is not below refs/",
                       line_number_, shown));
  }
}

void PackedRefsChecker::peeled_line(std::string_view line) {
  const std::string_view text = line.substr(1);  // behind the "^"
  const std::size_t hex_size = id_hex_size(kind_);
  if (!ObjectId::from_hex(text.substr(0, hex_size), kind_)) {
    report(MessageId::kBadPackedRefEntry,
           fmt::format("'{}' has invalid peeled oid", shown_text(text)));
  } else if (text.size() > hex_size) {
    report(MessageId::kBadPackedRefEntry, fmt::format("has trailing garbage after peeled oid '{}'",
                                                      shown_text(text.substr(hex_size))));
  }
}

// Requires: every line was found sound, so that names begin where they should.
void PackedRefsChecker::check_order() {
  const std::size_t name_offset = id_hex_size(kind_) + 1;
  std::optional<std::string_view> former;
  rest_ = text_;
  line_number_ = 1;
  if (rest_.starts_with('#')) {
    next_line();
    ++line_number_;
  }
  for (; !rest_.empty(); ++line_number_) {
    const std::string_view line = next_line();
    if (line.starts_with('^') || line.size() < name_offset) continue;
    const std::string_view name = line.substr(name_offset);
    if (former && *former >= name) {
      report(MessageId::kPackedRefUnsorted,
             fmt::format("refname '{}' is less than previous refname '{}'", name, *former));
      return;
    }
    former = name;
  }
}

}  // namespace

void check_packed_refs(os::System& system, const std::string& path, const std::string& shown,
                       HashKind kind, const Policy& policy, FaultReporter& reporter) {
  const auto bytes = os::read_regular_file(system, os::kCurrentDirectory, path, kMaxPackedRefsSize);
  if (!bytes) {
    const int code = bytes.error().code;
    if (code == ENOENT) return;
    if (code == ELOOP) {
      reporter.report(MessageId::kBadRefFiletype, "not a regular file but a symlink",
                      "packed-refs");
    } else if (code == EISDIR || code == EINVAL) {
      reporter.report(MessageId::kBadRefFiletype, "not a regular file", "packed-refs");
    } else {
      reporter.report(MessageId::kRefUnreadable,
                      fmt::format("unable to open '{}': {}", shown, bytes.error().text()));
    }
    return;
  }
  if (bytes->empty()) {
    reporter.report(MessageId::kEmptyPackedRefsFile, "file is empty", "packed-refs");
    return;
  }
  PackedRefsChecker(as_text(*bytes), kind, policy, reporter).check();
}

}  // namespace assay
