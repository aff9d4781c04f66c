#include "tools/bench/fsck_figures.h"

#include <algorithm>
#include <charconv>

namespace assay::tools {
namespace {

constexpr std::string_view kFrom = "broken link from ";

template <typename Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::vector<std::string> sorted_findings(std::string_view out, bool with_from) {
  std::vector<std::string> findings;
  for_each_line(out, [&](std::string_view line) {
    const std::size_t text = line.find_first_not_of(' ');
    const bool continues = !findings.empty() && text != 0 && text != std::string_view::npos &&
                           findings.back().starts_with(kFrom);
    if (!continues) {
      findings.emplace_back(line);
    } else if (with_from) {
      findings.back() += " " + std::string(line.substr(text));
    } else {
      findings.back() = "broken link " + std::string(line.substr(text));
    }
  });
  std::sort(findings.begin(), findings.end());
  return findings;
}

// Reads the number behind the first occurrence of `name` in the line.
template <typename Number>
bool read_number(std::string_view line, std::string_view name, Number& number) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos) return false;
  const std::size_t digits = line.find_first_not_of(' ', at + name.size());
  if (digits == std::string_view::npos) return false;
  const char* end = line.data() + line.size();
  return std::from_chars(line.data() + digits, end, number).ec == std::errc();
}

}  // namespace

std::vector<std::string> findings_of(std::string_view out) { return sorted_findings(out, true); }

std::vector<std::string> findings_without_from(std::string_view out) {
  return sorted_findings(out, false);
}

std::optional<FsckFigures> parse_profile(std::string_view err) {
  FsckFigures figures;
  bool total = false;
  bool waiting = false;
  bool sha1 = false;
  bool objects = false;
  bool bytes = false;
  for_each_line(err, [&](std::string_view line) {
    if (line.starts_with("workers ")) total = read_number(line, "workers", figures.total_seconds);
    if (line.starts_with("waiting ")) {
      waiting = read_number(line, "waiting", figures.waiting_seconds);
    }
    // The line of figures begins with the same word, but has a percentage there.
    if (line.starts_with("SHA-1 ") && line.find('(') == std::string_view::npos) {
      sha1 = read_number(line, "SHA-1", figures.hash_seconds);
    }
    if (line.starts_with("objects ")) {
      objects = read_number(line, "objects", figures.objects);
      bytes = read_number(line, "hashed bytes", figures.hashed_bytes);
    }
  });
  if (!total || !waiting || !sha1 || !objects || !bytes) return std::nullopt;
  return figures;
}

}  // namespace assay::tools
