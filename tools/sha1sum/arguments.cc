#include "tools/sha1sum/arguments.h"

#include <fmt/format.h>

#include "tools/common/version.h"

namespace assay::tools {
namespace {

constexpr std::string_view kHelpText =
    "Usage: assay sha1sum [OPTION]... [FILE]...\n"
    "Print or check SHA1 (160-bit) checksums, and detect SHA-1 collision attacks.\n"
    "\n"
    "With no FILE, or when FILE is -, read standard input.\n"
    "\n"
    "  -b, --binary         read in binary mode (the same; marks names with '*')\n"
    "  -c, --check          read checksums from the FILEs and check them\n"
    "      --tag            create a BSD-style checksum\n"
    "  -t, --text           read in text mode (the same; default)\n"
    "  -z, --zero           end each output line with NUL, not newline,\n"
    "                       and disable file name escaping\n"
    "\n"
    "The following five options are useful only when verifying checksums:\n"
    "      --ignore-missing  don't fail or report status for missing files\n"
    "      --quiet          don't print OK for each successfully verified file\n"
    "      --status         don't output anything, status code shows success\n"
    "      --strict         exit non-zero for improperly formatted checksum lines\n"
    "  -w, --warn           warn about improperly formatted checksum lines\n"
    "\n"
    "      --help           display this help and exit\n"
    "      --version        output version information and exit\n"
    "\n"
    "A file that carries a collision attack is hashed as usual and named on\n"
    "standard error; the exit status is then 1.\n";

enum class Letter : char {
  kBinary = 'b',
  kCheck = 'c',
  kText = 't',
  kWarn = 'w',
  kZero = 'z',
  kTag = 'T',  // these have no letter of their own
  kIgnoreMissing = 'I',
  kQuiet = 'Q',
  kStatus = 'S',
  kStrict = 'R',
  kHelp = 'H',
  kVersion = 'V',
};

struct Option {
  std::string_view name;
  Letter letter;
};

constexpr Option kOptions[] = {
    {"binary", Letter::kBinary},
    {"check", Letter::kCheck},
    {"ignore-missing", Letter::kIgnoreMissing},
    {"quiet", Letter::kQuiet},
    {"status", Letter::kStatus},
    {"tag", Letter::kTag},
    {"text", Letter::kText},
    {"warn", Letter::kWarn},
    {"strict", Letter::kStrict},
    {"zero", Letter::kZero},
    {"help", Letter::kHelp},
    {"version", Letter::kVersion},
};

int refuse(Context& context, std::string_view text) {
  context.out.flush();
  context.err.write(
      fmt::format("{}{}\nTry 'assay sha1sum --help' for more information.\n", kSha1sum, text));
  return 1;
}

// Returns: the exit status when the program ends with this option.
std::optional<int> apply(Context& context, Sha1sumOptions& options, Letter letter) {
  switch (letter) {
    case Letter::kBinary:
      options.binary = options.binary_given = true;
      break;
    case Letter::kText:
      options.binary = false;
      options.text_given = true;
      break;
    case Letter::kTag:
      options.binary = options.tag = true;
      break;
    case Letter::kCheck:
      options.check = true;
      break;
    case Letter::kZero:
      options.zero = true;
      break;
    // Of these three the last counts.
    case Letter::kStatus:
      options.status = true;
      options.warn = options.quiet = false;
      break;
    case Letter::kQuiet:
      options.quiet = true;
      options.status = options.warn = false;
      break;
    case Letter::kWarn:
      options.warn = true;
      options.status = options.quiet = false;
      break;
    case Letter::kIgnoreMissing:
      options.ignore_missing = true;
      break;
    case Letter::kStrict:
      options.strict = true;
      break;
    case Letter::kHelp:
      context.out.write(kHelpText);
      return 0;
    case Letter::kVersion:
      print_version(context, false);
      return 0;
  }
  return std::nullopt;
}

std::optional<int> apply_long(Context& context, Sha1sumOptions& options,
                              std::string_view argument) {
  const std::size_t equals = argument.find('=');
  const std::string_view typed = argument.substr(0, equals);
  std::vector<const Option*> meant;
  for (const Option& option : kOptions) {
    if (option.name == typed) {
      meant = {&option};
      break;
    }
    if (option.name.starts_with(typed)) meant.push_back(&option);
  }
  if (meant.empty()) return refuse(context, fmt::format("unrecognized option '--{}'", argument));
  if (meant.size() > 1) {
    std::string names;
    for (const Option* option : meant) names += fmt::format(" '--{}'", option->name);
    return refuse(context,
                  fmt::format("option '--{}' is ambiguous; possibilities:{}", argument, names));
  }
  if (equals != std::string_view::npos) {
    return refuse(context, fmt::format("option '--{}' doesn't allow an argument", meant[0]->name));
  }
  return apply(context, options, meant[0]->letter);
}

std::optional<int> apply_letters(Context& context, Sha1sumOptions& options,
                                 std::string_view letters) {
  constexpr std::string_view kLetters = "bctwz";
  for (const char letter : letters) {
    if (kLetters.find(letter) == std::string_view::npos) {
      return refuse(context, fmt::format("invalid option -- '{}'", letter));
    }
    if (const auto status = apply(context, options, static_cast<Letter>(letter))) return status;
  }
  return std::nullopt;
}

// Returns: what is wrong with the options together, in the order in which coreutils looks.
std::string_view find_contradiction(const Sha1sumOptions& options) {
  if (options.tag && !options.binary) return "--tag does not support --text mode";
  if (options.check) {
    if (options.zero) return "the --zero option is not supported when verifying checksums";
    if (options.tag) return "the --tag option is meaningless when verifying checksums";
    if (options.binary_given || options.text_given) {
      return "the --binary and --text options are meaningless when verifying checksums";
    }
    return {};
  }
  if (options.ignore_missing) {
    return "the --ignore-missing option is meaningful only when verifying checksums";
  }
  if (options.status) return "the --status option is meaningful only when verifying checksums";
  if (options.warn) return "the --warn option is meaningful only when verifying checksums";
  if (options.quiet) return "the --quiet option is meaningful only when verifying checksums";
  if (options.strict) return "the --strict option is meaningful only when verifying checksums";
  return {};
}

}  // namespace

std::optional<int> parse_sha1sum_arguments(Context& context, Arguments arguments,
                                           Sha1sumOptions& options) {
  bool options_ended = false;
  for (const char* raw : arguments) {
    const std::string_view argument = raw;
    std::optional<int> status;
    if (options_ended || argument.size() < 2 || argument[0] != '-') {
      options.files.emplace_back(argument);
    } else if (argument == "--") {
      options_ended = true;
    } else if (argument[1] == '-') {
      status = apply_long(context, options, argument.substr(2));
    } else {
      status = apply_letters(context, options, argument.substr(1));
    }
    if (status) return status;
  }
  if (const std::string_view text = find_contradiction(options); !text.empty()) {
    return refuse(context, text);
  }
  if (options.files.empty()) options.files.emplace_back("-");
  return std::nullopt;
}

}  // namespace assay::tools
