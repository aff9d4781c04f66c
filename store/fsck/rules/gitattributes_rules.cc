#include "store/fsck/rules/gitattributes_rules.h"

namespace assay {
namespace {

void report_large(RuleReporter& reporter) {
  reporter.report(MessageId::kGitattributesLarge, ".gitattributes too large to parse");
}

}  // namespace

void check_gitattributes_blob(ByteView body, RuleReporter& reporter) {
  if (body.size() > kMaxGitattributesSize) {
    report_large(reporter);
    return;
  }
  // A C string to git: what follows a NUL is not looked at.
  std::string_view rest = as_text(body);
  rest = rest.substr(0, rest.find('\0'));
  while (!rest.empty()) {
    const std::size_t line_end = rest.find('\n');
    const std::size_t line_size = line_end == std::string_view::npos ? rest.size() : line_end;
    if (line_size >= kMaxGitattributesLine) {
      reporter.report(MessageId::kGitattributesLineLength,
                      ".gitattributes has too long lines to parse");
      return;
    }
    if (line_end == std::string_view::npos) return;
    rest.remove_prefix(line_end + 1);
  }
}

constinit const SpecialBlobRules kGitattributesRules = {
    check_gitattributes_blob,
    report_large,
    [](RuleReporter& reporter) {
      reporter.report(MessageId::kGitattributesMissing, "unable to read .gitattributes blob");
    },
    [](RuleReporter& reporter) {
      reporter.report(MessageId::kGitattributesBlob, "non-blob found at .gitattributes");
    },
};

}  // namespace assay
