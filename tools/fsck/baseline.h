// Baseline: the findings that are known already, read from a file of JSON lines.
//
// What --format=jsonl prints is a baseline as it is; --write-baseline writes one without what is no
// fault. Only records of findings count, others are passed over; empty lines and lines that begin
// with '#' too. Findings are compared by key_of(). docs/jsonl.md describes the file.
//
// Memory: the keys, a few hundred bytes an entry. Thread safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/os/system.h"
#include "store/report/finding.h"

namespace assay::tools {

class Baseline {
 public:
  static constexpr std::uint64_t kMaxFileSize = std::uint64_t{256} << 20;
  static constexpr std::size_t kMaxLineSize = std::size_t{16} << 20;
  static constexpr int kMaxDepth = 8;  // of brackets in a line

  // Errors: kConfigBad, "baseline FILE:LINE: ..." for a line that is no JSON object, too long, of
  // another version, or a finding without an id.
  static Result<Baseline> parse(std::string_view text, const std::string& file);

  // Where the name of the file comes from decides how far it is trusted: that of a config is opened
  // without following a link and without waiting for a FIFO.
  enum class Origin : std::uint8_t { kOption, kConfig };
  static Result<Baseline> read(os::System& system, const std::string& file, Origin origin);

  // Returns: true when the baseline has the finding, which is noted as met.
  bool knows(const Finding& finding);

  std::size_t size() const { return entries_.size(); }
  // Returns: descriptions of the entries that no finding has met, in the order of the file.
  std::vector<std::string> gone() const;

 private:
  struct Entry {
    std::string description;
    std::uint64_t line = 0;
    bool met = false;
  };
  std::unordered_map<std::string, Entry> entries_;  // by key
};

// Writes a baseline of the findings that are faults: beside the file, then in its place.
// Errors: kIoError.
Result<void> write_baseline(os::System& system, const std::string& file,
                            std::string_view repository, const std::vector<Finding>& findings);

}  // namespace assay::tools
