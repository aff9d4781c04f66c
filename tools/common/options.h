// OptionParser: the command line of a subcommand, with the habits of git's option parser.
//
// Long options may be abbreviated as far as they stay unambiguous, flags have a `--no-` form, short
// flags may be joined (-tw), values follow as `--name=value`, `--name value`, `-nvalue` or `-n
// value`; optional values only as `--name=value`. `--` ends the options, options and positional
// arguments may be mixed. `-h` prints the usage, as --help-all does. All wrong use ends with status
// 129.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/common/command.h"

namespace assay::tools {

class OptionParser {
 public:
  // Returns: an error text without "error: ", or nothing when the value is good.
  using SetValue = std::function<std::optional<std::string>(std::string_view value)>;
  // The value is absent for `--name` without one.
  using SetOptional = std::function<std::optional<std::string>(std::optional<std::string_view>)>;

  // `usage`: one line for each form, beginning with "assay ...", without "usage:".
  explicit OptionParser(std::vector<std::string> usage) : usage_(std::move(usage)) {}

  // `short_name` 0: none. `long_name` empty: none. Pointers must stay valid during parse().
  // --name sets true, --no-name false. A name that begins with "no-" sets true with its own
  // spelling and false without the "no-".
  void flag(char short_name, std::string long_name, std::string help, bool* value);
  void flag(char short_name, std::string long_name, std::string help, std::optional<bool>* value);
  // Counts how often it is given; --no-name sets 0.
  void count(char short_name, std::string long_name, std::string help, int* value);
  // Of all modes of one parser at most one may be given: it stores `mode` in *value.
  void mode(char short_name, std::string long_name, std::string help, int* value, int mode);
  void value(char short_name, std::string long_name, std::string placeholder, std::string help,
             SetValue set);
  void value(char short_name, std::string long_name, std::string placeholder, std::string help,
             std::string* value);
  void optional_value(char short_name, std::string long_name, std::string placeholder,
                      std::string help, SetOptional set);
  // A mode, as mode(), that may carry a value.
  void mode_value(std::string long_name, std::string placeholder, std::string help, int* value,
                  int mode, SetOptional set);

  // Returns: nothing when all is well, then positional() holds the other arguments; otherwise the
  // exit status, everything having been said.
  std::optional<int> parse(Context& context, Arguments arguments);
  const std::vector<std::string>& positional() const { return positional_; }

  // How the command of git is used whose place this one can take, for the usage.
  void takes_place_of(std::string git_usage) { git_usage_ = std::move(git_usage); }

  // Prints the usage to standard error. Returns: kExitUsage.
  int usage(Context& context) const;
  // "error: TEXT", then the usage. Returns: kExitUsage.
  int usage_error(Context& context, std::string_view text) const;
  // "fatal: TEXT", a blank line, then the usage. Returns: kExitUsage.
  int usage_fatal(Context& context, std::string_view text) const;

 private:
  enum class Kind : std::uint8_t { kFlag, kCount, kMode, kValue, kOptional };
  struct Option {
    Kind kind = Kind::kFlag;
    char short_name = 0;
    std::string long_name;
    std::string placeholder;
    std::string help;
    bool* flag = nullptr;
    std::optional<bool>* optional_flag = nullptr;
    int* number = nullptr;
    int mode = 0;
    SetValue set;
    SetOptional set_optional;
  };
  struct Match {
    const Option* option = nullptr;
    bool unset = false;
    std::string name;  // as to be shown, without dashes
  };

  Option& add(Kind kind, char short_name, std::string long_name, std::string help);
  std::optional<int> parse_long(Context& context, std::string_view argument, Arguments arguments,
                                std::size_t& next);
  std::optional<int> parse_short(Context& context, std::string_view letters, Arguments arguments,
                                 std::size_t& next);
  std::optional<int> apply(Context& context, const Match& match,
                           std::optional<std::string_view> attached, Arguments arguments,
                           std::size_t& next);
  std::string usage_text() const;
  // What was asked for: the usage to standard output. Returns: 0.
  int help(Context& context) const;

  std::vector<std::string> usage_;
  std::string git_usage_;
  std::vector<Option> options_;
  std::vector<std::string> positional_;
  const Option* mode_given_ = nullptr;
  std::string mode_given_name_;
};

}  // namespace assay::tools
