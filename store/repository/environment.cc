#include "store/repository/environment.h"

// POSIX declares it nowhere: a program does (environ(7)).
extern "C" char** environ;

namespace assay {

Environment Environment::of_process() {
  Environment environment;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.set(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
  }
  return environment;
}

}  // namespace assay
