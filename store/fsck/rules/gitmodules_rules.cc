#include "store/fsck/rules/gitmodules_rules.h"

#include "store/fsck/rules/submodule_url.h"
#include "store/repository/config_syntax.h"

namespace assay {
namespace {

void report_large(RuleReporter& reporter) {
  reporter.report(MessageId::kGitmodulesLarge, ".gitmodules too large to parse");
}

// "submodule.NAME.KEY" in its parts; NAME may hold dots.
struct SubmoduleKey {
  std::string_view name;
  std::string_view key;
};

std::optional<SubmoduleKey> parse_submodule_key(std::string_view variable) {
  static constexpr std::string_view kSection = "submodule.";
  variable = variable.substr(0, variable.find('\0'));  // a C string to git
  if (!variable.starts_with(kSection)) return std::nullopt;
  const std::size_t last_dot = variable.rfind('.');
  if (last_dot < kSection.size()) return std::nullopt;  // "submodule.KEY" names no submodule
  return SubmoduleKey{variable.substr(kSection.size(), last_dot - kSection.size()),
                      variable.substr(last_dot + 1)};
}

// git's fsck reads the bytes of a blob as signed characters: a byte order mark is a syntax error to
// it, and FF is the end of the file, so that a url behind one escapes it, though not those who read
// the file in a worktree. The variables are judged all the same.
bool git_reads_differently(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") || text.find('\xff') != std::string_view::npos;
}

}  // namespace

void check_gitmodules_blob(ByteView body, RuleReporter& reporter) {
  const ConfigPrefix config = parse_config_prefix(as_text(body));
  // Each variable is judged alone and none ends the check, so that a bad name comes once for each
  // variable of its submodule, as in git.
  for (const ConfigVariable& variable : config.variables) {
    const auto submodule = parse_submodule_key(variable.key);
    if (!submodule) continue;
    if (!submodule_name_is_safe(submodule->name)) {
      reporter.report(MessageId::kGitmodulesName,
                      "disallowed submodule name: " + std::string(submodule->name));
    }
    if (!variable.value) continue;
    const std::string& value = *variable.value;
    if (submodule->key == "url" && !submodule_url_is_safe(value)) {
      reporter.report(MessageId::kGitmodulesUrl, "disallowed submodule url: " + value);
    }
    if (submodule->key == "path" && value.starts_with('-')) {
      reporter.report(MessageId::kGitmodulesPath, "disallowed submodule path: " + value);
    }
    if (submodule->key == "update" && value.starts_with('!')) {
      reporter.report(MessageId::kGitmodulesUpdate,
                      "disallowed submodule update setting: " + value);
    }
  }
  if (config.error_line || git_reads_differently(as_text(body))) {
    reporter.report(MessageId::kGitmodulesParse, "could not parse gitmodules blob");
  }
}

constinit const SpecialBlobRules kGitmodulesRules = {
    check_gitmodules_blob,
    report_large,
    [](RuleReporter& reporter) {
      reporter.report(MessageId::kGitmodulesMissing, "unable to read .gitmodules blob");
    },
    [](RuleReporter& reporter) {
      reporter.report(MessageId::kGitmodulesBlob, "non-blob found at .gitmodules");
    },
};

bool submodule_name_is_safe(std::string_view name) {
  if (name.empty()) return false;
  for (;;) {
    const std::size_t end = name.find_first_of("/\\");
    if (name.substr(0, end) == "..") return false;
    if (end == std::string_view::npos) return true;
    name.remove_prefix(end + 1);
  }
}

}  // namespace assay
