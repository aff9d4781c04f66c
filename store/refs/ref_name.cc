#include "store/refs/ref_name.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

bool is_forbidden(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7f ||
         std::string_view("~^:?*[\\").find(c) != std::string_view::npos;
}

bool is_valid_component(std::string_view component) {
  if (component.empty() || component.front() == '.' || component.ends_with(".lock")) return false;
  if (std::any_of(component.begin(), component.end(), is_forbidden)) return false;
  return component.find("..") == std::string_view::npos &&
         component.find("@{") == std::string_view::npos;
}

}  // namespace

bool is_valid_ref_name(std::string_view name, bool one_level) {
  if (name == "@" || name.ends_with('.')) return false;
  std::size_t components = 0;
  for (std::size_t begin = 0; begin <= name.size(); ++components) {
    const auto end = std::min(name.find('/', begin), name.size());
    if (!is_valid_component(name.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return one_level || components >= 2;
}

bool has_root_ref_syntax(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || c == '-' || c == '_'; });
}

bool is_pseudo_ref_name(std::string_view name) {
  return name == "FETCH_HEAD" || name == "MERGE_HEAD";
}

bool is_root_ref_name(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kIrregular = {"HEAD",
                                                                 "AUTO_MERGE",
                                                                 "BISECT_EXPECTED_REV",
                                                                 "NOTES_MERGE_PARTIAL",
                                                                 "NOTES_MERGE_REF",
                                                                 "MERGE_AUTOSTASH"};
  if (!has_root_ref_syntax(name) || is_pseudo_ref_name(name)) return false;
  return name.ends_with("_HEAD") ||
         std::find(kIrregular.begin(), kIrregular.end(), name) != kIrregular.end();
}

bool is_per_worktree_ref(std::string_view name) {
  return has_root_ref_syntax(name) || name.starts_with("refs/worktree/") ||
         name.starts_with("refs/bisect/") || name.starts_with("refs/rewritten/");
}

bool is_safe_ref_name(std::string_view name) {
  static constexpr std::string_view kRefs = "refs/";
  if (!name.starts_with(kRefs)) {
    return !name.empty() && std::all_of(name.begin(), name.end(),
                                        [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
  }
  // Only what a path normaliser would leave as it is.
  name.remove_prefix(kRefs.size());
  for (std::size_t begin = 0; begin <= name.size();) {
    const auto end = std::min(name.find('/', begin), name.size());
    const std::string_view component = name.substr(begin, end - begin);
    if (component.empty() || component == "." || component == "..") return false;
    begin = end + 1;
  }
  return true;
}

WorktreeRefName split_worktree_ref(std::string_view name) {
  static constexpr std::string_view kOther = "worktrees/";
  static constexpr std::string_view kMain = "main-worktree/";
  WorktreeRefName split;
  if (name.starts_with(kOther)) {
    const std::string_view rest = name.substr(kOther.size());
    const auto slash = rest.find('/');
    if (slash != std::string_view::npos && is_per_worktree_ref(rest.substr(slash + 1))) {
      split.place = WorktreeRefPlace::kOtherWorktree;
      split.worktree = rest.substr(0, slash);
      split.name = rest.substr(slash + 1);
      return split;
    }
  }
  if (name.starts_with(kMain) && is_per_worktree_ref(name.substr(kMain.size()))) {
    split.place = WorktreeRefPlace::kMainWorktree;
    split.name = name.substr(kMain.size());
    return split;
  }
  split.name = name;
  split.place =
      is_per_worktree_ref(name) ? WorktreeRefPlace::kCurrentWorktree : WorktreeRefPlace::kShared;
  return split;
}

}  // namespace assay
