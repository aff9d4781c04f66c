// The syntax of a git config file: what one file says, without looking at any other.
//
// Sections `[core]`, `[remote "origin"]` and the old `[remote.origin]`; variables `name = value`;
// quotes, escapes (\n \t \b \" \\), continuation lines, comments (# and ;), a UTF-8 byte order
// mark, CR LF line ends. Section and variable names are folded to lower case, subsections are not.
// Source of the format: git-config(1), "Syntax", and the behaviour of git 2.55.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/report/fault.h"

namespace assay {

struct ConfigVariable {
  std::string key;                   // "section.name" or "section.subsection.name"
  std::optional<std::string> value;  // nothing for a name without "=": true as a boolean
  std::uint32_t line = 0;            // where the variable ends, counted from 1
};

// The variables before the first syntax error, and the line of that error if there is one.
struct ConfigPrefix {
  std::vector<ConfigVariable> variables;
  std::optional<std::uint32_t> error_line;
};
ConfigPrefix parse_config_prefix(std::string_view text);

// Returns: the variables in the order of the file, or kConfigBad with
// "bad config line N in file NAME" (git's words; git dies there).
// `file` is only used in the text of the fault.
Result<std::vector<ConfigVariable>> parse_config_text(std::string_view text, std::string_view file);

// Returns: the key as config stores it (names folded), or nothing if it is no valid key.
std::optional<std::string> canonical_config_key(std::string_view key);

// Numbers with an optional unit: "12", "0x10", "-1", "8k", "2M", "1g".
enum class ConfigNumberError : std::uint8_t { kInvalidUnit, kOutOfRange };
tl::expected<std::int64_t, ConfigNumberError> parse_config_int(std::string_view text);

// true/yes/on, false/no/off/empty (any case), or a number: 0 is false. Nothing if it is neither.
std::optional<bool> parse_config_bool(const std::optional<std::string>& value);

}  // namespace assay
