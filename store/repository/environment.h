// Environment: the environment variables that a repository is opened with.
//
// A snapshot, so that one process can open repositories with different variables and tests need
// not touch their own. Thread safety: immutable once built.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

class Environment {
 public:
  Environment() = default;  // no variable is set

  // Returns: a copy of the variables of this process.
  static Environment of_process();

  void set(std::string name, std::string value) {
    variables_.insert_or_assign(std::move(name), std::move(value));
  }
  void unset(std::string_view name) {
    const auto found = variables_.find(name);
    if (found != variables_.end()) variables_.erase(found);
  }

  std::optional<std::string> get(std::string_view name) const {
    const auto found = variables_.find(name);
    if (found == variables_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::map<std::string, std::string, std::less<>> variables_;
};

}  // namespace assay
