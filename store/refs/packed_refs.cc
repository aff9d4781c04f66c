#include "store/refs/packed_refs.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/base/ascii.h"
#include "store/refs/ref_name.h"

namespace assay {
namespace {

class Reader {
 public:
  Reader(ByteView bytes, HashKind kind, std::string_view file)
      : rest_(as_text(bytes)), kind_(kind), file_(file) {}

  PackedRefs read();

 private:
  // Takes the next line; `complete` says whether it ended in LF.
  std::string_view next_line(bool& complete);
  void header();
  void record(std::string_view line, bool complete);
  // The first fault is what git would die of; later lines are still read.
  void dies(std::string_view kind_of_line, std::string_view line);

  std::string_view rest_;
  HashKind kind_;
  std::string_view file_;
  std::uint32_t line_number_ = 0;
  PackedRefs result_;
};

void Reader::dies(std::string_view kind_of_line, std::string_view line) {
  if (result_.fault) return;
  // git's own way to shorten the line.
  const std::string shown =
      line.size() < 80 ? std::string(line) : fmt::format("{}...", line.substr(0, 75));
  result_.fault = Fault(MessageId::kPackedRefsBad,
                        fmt::format("{} line in {}: {}", kind_of_line, file_, shown));
}

std::string_view Reader::next_line(bool& complete) {
  const auto end = rest_.find('\n');
  complete = end != std::string_view::npos;
  const std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(complete ? end + 1 : rest_.size());
  ++line_number_;
  return line;
}

void Reader::header() {
  bool complete = false;
  const std::string_view line = next_line(complete);
  if (!complete) return dies("unterminated", line);
  if (!line.starts_with(kPackedRefsHeader)) return dies("unexpected", line);
  std::string_view traits = line.substr(kPackedRefsHeader.size());
  while (!traits.empty()) {
    const std::string_view trait = traits.substr(0, traits.find(' '));
    traits.remove_prefix(std::min(traits.size(), trait.size() + 1));
    if (trait == "peeled") result_.peeled = true;
    if (trait == "fully-peeled") result_.fully_peeled = true;
    if (trait == "sorted") result_.sorted = true;
  }
}

void Reader::record(std::string_view line, bool complete) {
  const std::size_t hex_size = id_hex_size(kind_);
  if (!complete) return dies("unterminated", line);
  const auto id = ObjectId::from_hex(line.substr(0, hex_size), kind_);
  // An id and a blank. That there is no name is for git a fault of the name.
  if (!id || line.size() < hex_size + 1 || !is_blank(line[hex_size])) {
    return dies("unexpected", line);
  }
  PackedRef ref;
  ref.name = line.substr(hex_size + 1);
  ref.id = *id;
  ref.line = line_number_;
  if (const auto nul = ref.name.find('\0'); nul != std::string::npos) {
    if (!result_.fault) {
      result_.fault =
          Fault(MessageId::kPackedRefsBad, fmt::format("packed refname contains embedded NULL: {}",
                                                       std::string_view(ref.name).substr(0, nul)));
    }
    return;
  }
  if (!is_valid_ref_name(ref.name, true) && !is_safe_ref_name(ref.name)) {
    if (!result_.fault) {
      result_.fault = Fault(MessageId::kPackedRefsBad,
                            fmt::format("packed refname is dangerous: {}", ref.name));
    }
    return;
  }
  if (rest_.starts_with('^')) {
    bool peeled_complete = false;
    const std::string_view peeled = next_line(peeled_complete);
    ref.peeled = ObjectId::from_hex(peeled.substr(1), kind_);
    // git notices first that the file does not end in LF, and shows where its last record begins.
    if (!peeled_complete) dies("unexpected", line);
    if (!ref.peeled) dies("unexpected", peeled);
  }
  result_.refs.push_back(std::move(ref));
}

PackedRefs Reader::read() {
  if (rest_.starts_with('#')) header();
  while (!rest_.empty()) {
    bool complete = false;
    const std::string_view line = next_line(complete);
    record(line, complete);
  }
  std::stable_sort(result_.refs.begin(), result_.refs.end(),
                   [](const PackedRef& a, const PackedRef& b) { return a.name < b.name; });
  return std::move(result_);
}

}  // namespace

const PackedRef* PackedRefs::find(std::string_view name) const {
  const auto found =
      std::lower_bound(refs.begin(), refs.end(), name,
                       [](const PackedRef& ref, std::string_view key) { return ref.name < key; });
  return found != refs.end() && found->name == name ? &*found : nullptr;
}

PackedRefs parse_packed_refs(ByteView bytes, HashKind kind, std::string_view file) {
  return Reader(bytes, kind, file).read();
}

}  // namespace assay
