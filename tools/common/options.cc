#include "tools/common/options.h"

#include <fmt/format.h>

namespace assay::tools {
namespace {

constexpr std::size_t kHelpColumn = 26;  // where the help of an option begins in the usage

bool begins_with_no(std::string_view name) { return name.starts_with("no-"); }

}  // namespace

OptionParser::Option& OptionParser::add(Kind kind, char short_name, std::string long_name,
                                        std::string help) {
  Option option;
  option.kind = kind;
  option.short_name = short_name;
  option.long_name = std::move(long_name);
  option.help = std::move(help);
  options_.push_back(std::move(option));
  return options_.back();
}

void OptionParser::flag(char short_name, std::string long_name, std::string help, bool* value) {
  add(Kind::kFlag, short_name, std::move(long_name), std::move(help)).flag = value;
}

void OptionParser::flag(char short_name, std::string long_name, std::string help,
                        std::optional<bool>* value) {
  add(Kind::kFlag, short_name, std::move(long_name), std::move(help)).optional_flag = value;
}

void OptionParser::count(char short_name, std::string long_name, std::string help, int* value) {
  add(Kind::kCount, short_name, std::move(long_name), std::move(help)).number = value;
}

void OptionParser::mode(char short_name, std::string long_name, std::string help, int* value,
                        int mode) {
  Option& option = add(Kind::kMode, short_name, std::move(long_name), std::move(help));
  option.number = value;
  option.mode = mode;
}

void OptionParser::value(char short_name, std::string long_name, std::string placeholder,
                         std::string help, SetValue set) {
  Option& option = add(Kind::kValue, short_name, std::move(long_name), std::move(help));
  option.placeholder = std::move(placeholder);
  option.set = std::move(set);
}

void OptionParser::value(char short_name, std::string long_name, std::string placeholder,
                         std::string help, std::string* value) {
  this->value(short_name, std::move(long_name), std::move(placeholder), std::move(help),
              [value](std::string_view text) -> std::optional<std::string> {
                *value = text;
                return std::nullopt;
              });
}

void OptionParser::optional_value(char short_name, std::string long_name, std::string placeholder,
                                  std::string help, SetOptional set) {
  Option& option = add(Kind::kOptional, short_name, std::move(long_name), std::move(help));
  option.placeholder = std::move(placeholder);
  option.set_optional = std::move(set);
}

void OptionParser::mode_value(std::string long_name, std::string placeholder, std::string help,
                              int* value, int mode, SetOptional set) {
  optional_value(0, std::move(long_name), std::move(placeholder), std::move(help), std::move(set));
  options_.back().number = value;
  options_.back().mode = mode;
}

std::optional<int> OptionParser::parse(Context& context, Arguments arguments) {
  bool options_ended = false;
  for (std::size_t next = 0; next < arguments.size();) {
    const std::string_view argument = arguments[next++];
    std::optional<int> status;
    if (options_ended || argument.size() < 2 || argument[0] != '-') {
      positional_.emplace_back(argument);
    } else if (argument == "--") {
      options_ended = true;
    } else if (argument[1] == '-') {
      status = parse_long(context, argument.substr(2), arguments, next);
    } else {
      status = parse_short(context, argument.substr(1), arguments, next);
    }
    if (status) return status;
  }
  return std::nullopt;
}

std::optional<int> OptionParser::parse_long(Context& context, std::string_view argument,
                                            Arguments arguments, std::size_t& next) {
  if (argument == "help-all") return help(context);
  const std::size_t equals = argument.find('=');
  const std::string_view typed = argument.substr(0, equals);
  std::optional<std::string_view> attached;
  if (equals != std::string_view::npos) attached = argument.substr(equals + 1);

  std::vector<Match> abbreviated;
  for (const Option& option : options_) {
    if (option.long_name.empty()) continue;
    // An option answers to its own name and, when it can be negated, to the opposite one.
    std::vector<Match> forms{{&option, false, option.long_name}};
    if (option.kind == Kind::kFlag || option.kind == Kind::kCount) {
      forms.push_back({&option, true,
                       begins_with_no(option.long_name) ? option.long_name.substr(3)
                                                        : "no-" + option.long_name});
    }
    for (Match& form : forms) {
      if (form.name == typed) return apply(context, form, attached, arguments, next);
      if (form.name.starts_with(typed)) abbreviated.push_back(std::move(form));
    }
  }
  if (abbreviated.size() == 1) return apply(context, abbreviated[0], attached, arguments, next);
  if (abbreviated.size() > 1) {
    print_error(context, fmt::format("ambiguous option: {} (could be --{} or --{})", argument,
                                     abbreviated[0].name, abbreviated[1].name));
    return usage(context);
  }
  return usage_error(context, fmt::format("unknown option `{}'", argument));
}

std::optional<int> OptionParser::parse_short(Context& context, std::string_view letters,
                                             Arguments arguments, std::size_t& next) {
  while (!letters.empty()) {
    const char letter = letters[0];
    letters.remove_prefix(1);
    if (letter == 'h') return help(context);
    const Option* found = nullptr;
    for (const Option& option : options_) {
      if (option.short_name == letter) found = &option;
    }
    if (found == nullptr) {
      return usage_error(context, fmt::format("unknown switch `{}'", letter));
    }
    std::optional<std::string_view> attached;
    const bool takes_value = found->kind == Kind::kValue || found->kind == Kind::kOptional;
    if (takes_value && !letters.empty()) attached = std::exchange(letters, {});
    const Match match{found, false, std::string(1, letter)};
    if (const auto status = apply(context, match, attached, arguments, next)) return status;
  }
  return std::nullopt;
}

std::optional<int> OptionParser::apply(Context& context, const Match& match,
                                       std::optional<std::string_view> attached,
                                       Arguments arguments, std::size_t& next) {
  const Option& option = *match.option;
  const bool is_short = match.name.size() == 1 && match.name[0] == option.short_name;
  const std::string shown = fmt::format("{} `{}'", is_short ? "switch" : "option", match.name);
  // These mistakes end without the usage, as in git.
  const auto refuse = [&](std::string_view text) {
    print_error(context, text);
    return kExitUsage;
  };
  if (attached && option.kind != Kind::kValue && option.kind != Kind::kOptional) {
    return refuse(shown + " takes no value");
  }
  std::optional<std::string> problem;
  switch (option.kind) {
    case Kind::kFlag:
      if (option.flag != nullptr) *option.flag = !match.unset;
      if (option.optional_flag != nullptr) *option.optional_flag = !match.unset;
      break;
    case Kind::kCount:
      *option.number = match.unset ? 0 : *option.number + 1;
      break;
    case Kind::kValue:
      if (!attached) {
        if (next == arguments.size()) return refuse(shown + " requires a value");
        attached = arguments[next++];
      }
      problem = option.set(*attached);
      break;
    case Kind::kOptional:
    case Kind::kMode: {
      // An option with an optional value may be a mode as well: `number` then says so.
      const std::string given =
          fmt::format("{}{}{}{}", is_short ? "-" : "--", match.name,
                      attached && !is_short ? "=" : "", attached.value_or(""));
      if (option.number != nullptr) {
        if (mode_given_ != nullptr && *option.number != option.mode) {
          return refuse(fmt::format("options '{}' and '{}' cannot be used together", given,
                                    mode_given_name_));
        }
        mode_given_ = &option;
        mode_given_name_ = given;
        *option.number = option.mode;
      }
      if (option.kind == Kind::kOptional) problem = option.set_optional(attached);
      break;
    }
  }
  if (problem) return refuse(*problem);
  return std::nullopt;
}

std::string OptionParser::usage_text() const {
  std::string text;
  std::string_view prefix = "usage: ";
  for (const std::string& form : usage_) {
    text += fmt::format("{}{}\n", prefix, form);
    prefix = "   or: ";
  }
  if (!git_usage_.empty()) text += fmt::format("In the place of git, usage: {}\n", git_usage_);
  text += '\n';
  for (const Option& option : options_) {
    std::string line = "    ";
    if (option.short_name != 0) line += fmt::format("-{}", option.short_name);
    if (option.short_name != 0 && !option.long_name.empty()) line += ", ";
    if (!option.long_name.empty()) {
      const bool negatable = (option.kind == Kind::kFlag || option.kind == Kind::kCount) &&
                             !begins_with_no(option.long_name);
      line += fmt::format("--{}{}", negatable ? "[no-]" : "", option.long_name);
    }
    if (option.kind == Kind::kValue) line += fmt::format(" <{}>", option.placeholder);
    if (option.kind == Kind::kOptional) {
      line += fmt::format("[{}<{}>]", option.long_name.empty() ? "" : "=", option.placeholder);
    }
    if (line.size() < kHelpColumn) {
      line.resize(kHelpColumn, ' ');
    } else {
      line += '\n' + std::string(kHelpColumn, ' ');
    }
    text += line + option.help + '\n';
  }
  text += '\n';
  return text;
}

int OptionParser::help(Context& context) const {
  context.out.write(usage_text());
  return 0;
}

int OptionParser::usage(Context& context) const {
  context.out.flush();
  context.err.write(usage_text());
  return kExitUsage;
}

int OptionParser::usage_error(Context& context, std::string_view text) const {
  print_error(context, text);
  return usage(context);
}

int OptionParser::usage_fatal(Context& context, std::string_view text) const {
  die(context, text);
  context.err.write("\n");
  return usage(context);
}

}  // namespace assay::tools
