#include "store/fsck/rules/commit_rules.h"

#include "store/fsck/rules/header_line.h"
#include "store/fsck/rules/ident_rules.h"

namespace assay {

void check_commit_rules(ByteView body, HashKind kind, RuleReporter& reporter) {
  std::string_view rest = as_text(body);
  if (check_header(rest, reporter)) return;

  if (!skip_word(rest, "tree ")) {
    reporter.report(MessageId::kMissingTree, "invalid format - expected 'tree' line");
    return;
  }
  if (!skip_id_line(rest, kind) &&
      reporter.report(MessageId::kBadTreeSha1, "invalid 'tree' line format - bad sha1")) {
    return;
  }
  while (skip_word(rest, "parent ")) {
    if (!skip_id_line(rest, kind) &&
        reporter.report(MessageId::kBadParentSha1, "invalid 'parent' line format - bad sha1")) {
      return;
    }
  }

  unsigned authors = 0;
  while (skip_word(rest, "author ")) {
    if (authors < 2) ++authors;
    if (check_ident(rest, reporter)) return;
  }
  if (authors == 0 &&
      reporter.report(MessageId::kMissingAuthor, "invalid format - expected 'author' line")) {
    return;
  }
  if (authors > 1 &&
      reporter.report(MessageId::kMultipleAuthors, "invalid format - multiple 'author' lines")) {
    return;
  }
  if (!skip_word(rest, "committer ")) {
    reporter.report(MessageId::kMissingCommitter, "invalid format - expected 'committer' line");
    return;
  }
  if (check_ident(rest, reporter)) return;
  if (as_text(body).find('\0') != std::string_view::npos) {
    reporter.report(MessageId::kNulInCommit, "NUL byte in the commit object body");
  }
}

}  // namespace assay
