#include "tools/common/finding_lines.h"

#include <fmt/format.h>

namespace assay::tools {
namespace {

std::string_view severity_word(Severity severity) {
  return severity >= Severity::kError ? "error" : "warning";
}

std::string line_of(const Finding& finding) {
  const Message& row = message(finding.id);
  const std::string_view word = severity_word(finding.severity);
  std::string oid = finding.oid ? finding.oid->hex() : std::string();
  if (!finding.object_name.empty()) oid += fmt::format(" ({})", finding.object_name);
  switch (row.shape) {
    case Shape::kInObject:
      return fmt::format("{} in {} {}: {}: {}", word, type_name(finding.type), oid, row.name,
                         finding.text);
    case Shape::kInObjectPlain:
      return fmt::format("{} in {} {}: {}", word, type_name(finding.type), oid, finding.text);
    case Shape::kInRef:
      return fmt::format("{}: {}: {}: {}", word, finding.ref, row.name, finding.text);
    case Shape::kErrorLine:
      return "error: " + finding.text;
    case Shape::kWarningLine:
      return fmt::format("{}: {}", word, finding.text);
    case Shape::kPlainLine:
    case Shape::kResultLine:
      return finding.text;
  }
  return finding.text;
}

}  // namespace

bool is_about_graph_file(MessageId id) {
  switch (id) {
    case MessageId::kCommitGraphBad:
    case MessageId::kCommitGraphUnreadable:
    case MessageId::kCommitGraphUntrue:
    case MessageId::kCommitGraphDoubtful:
    case MessageId::kMultiPackIndexBad:
    case MessageId::kMultiPackIndexUnreadable:
    case MessageId::kMultiPackIndexFatal:
    case MessageId::kMultiPackIndexUntrue:
    case MessageId::kMultiPackIndexDoubtful:
      return true;
    default:
      return false;
  }
}

// What comes from a repository must not speak to the terminal: control bytes are shown as git shows
// them in its own messages. The line feed within a finding (the second half of a broken link) is
// ours.
std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f) c = '?';
  }
  return result;
}

void render_findings(std::span<const Finding> findings, Output& out, Output& err) {
  std::string results;
  std::string messages;
  constexpr std::size_t kEnough = std::size_t{64} << 10;
  const auto flush = [&] {
    out.write(results);
    err.write(messages);
    results.clear();
    messages.clear();
  };
  std::string_view derived_file;
  for (const Finding& finding : findings) {
    // git's words for these files seldom say which one is meant.
    if (is_about_graph_file(finding.id) && finding.file != derived_file) {
      derived_file = finding.file;
      messages += "in " + printable(derived_file) + ":\n";
    }
    std::string& text = message(finding.id).shape == Shape::kResultLine ? results : messages;
    for (const std::string& cause : finding.causes) text += "error: " + printable(cause) + "\n";
    text += printable(line_of(finding)) + "\n";
    if (results.size() + messages.size() > kEnough) flush();
  }
  flush();
}

}  // namespace assay::tools
