#include "tools/fsck/finding_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace assay::tools {
namespace {

const Message* row_of(std::string_view name) {
  for (const Message& row : all_messages()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// What is wrong with an object wherever it lies, since its id is its content; and the graph.
bool is_about_content(const FindingFields& fields) {
  const Message* row = row_of(fields.id);
  if (row == nullptr || fields.oid.empty()) return false;
  return row->shape == Shape::kInObject || row->shape == Shape::kInObjectPlain ||
         row->shape == Shape::kResultLine;
}

std::string with_portable_path(std::string text, std::string_view path) {
  const std::string_view portable = portable_path(path);
  if (path.empty() || portable.size() == path.size()) return text;
  for (std::size_t at = text.find(path); at != std::string::npos;
       at = text.find(path, at + portable.size())) {
    text.replace(at, path.size(), portable);
  }
  return text;
}

}  // namespace

FindingFields fields_of(const Finding& finding) {
  FindingFields fields;
  fields.id = message(finding.id).name;
  if (finding.oid) fields.oid = finding.oid->hex();
  if (finding.from) fields.from = finding.from->hex();
  fields.ref = finding.ref;
  fields.file = finding.file;
  if (finding.offset != Fault::kNoOffset) fields.offset = std::to_string(finding.offset);
  fields.text = finding.text;
  return fields;
}

std::string_view portable_path(std::string_view path) {
  // Where each component begins.
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at <= path.size(); ++at) {
    if (at == 0 || path[at - 1] == '/') begins.push_back(at);
  }
  const auto component = [&](std::size_t i) {
    return path.substr(begins[i], path.find('/', begins[i]) - begins[i]);
  };
  static constexpr std::string_view kTopFiles[] = {"index",   "packed-refs", "HEAD",
                                                   "shallow", "config",      "config.worktree"};
  static constexpr std::string_view kFolders[] = {"objects", "refs", "logs", "reftable",
                                                  "worktrees"};
  const std::size_t last = begins.size() - 1;
  const auto is_one_of = [&](std::size_t i, const auto& names) {
    return std::find(std::begin(names), std::end(names), component(i)) != std::end(names);
  };
  if (is_one_of(last, kTopFiles)) {
    const bool of_worktree = last >= 2 && component(last - 2) == "worktrees";
    return path.substr(begins[of_worktree ? last - 2 : last]);
  }
  for (std::size_t i = last + 1; i-- > 0;) {
    if (is_one_of(i, kFolders)) return path.substr(begins[i]);
  }
  return path.substr(begins[last]);
}

std::string key_of(const FindingFields& fields) {
  std::string key;
  // Sizes first, so that no two lists of fields make one key.
  const auto add = [&key](std::string_view field) {
    key += fmt::format("{}:", field.size());
    key += field;
  };
  add(fields.id);
  add(fields.oid);
  add(fields.from);
  add(fields.ref);
  if (is_about_content(fields) || !fields.ref.empty()) return key;
  add(portable_path(fields.file));
  if (!fields.oid.empty()) return key;
  add(fields.offset);
  add(with_portable_path(fields.text, fields.file));
  return key;
}

std::string described(const FindingFields& fields) {
  std::string text = fields.id;
  if (!fields.oid.empty()) text += " " + fields.oid;
  if (!fields.ref.empty()) text += " " + fields.ref;
  if (fields.oid.empty() && fields.ref.empty()) text += " " + fields.file;
  return text;
}

}  // namespace assay::tools
