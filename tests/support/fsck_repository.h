// A small repository made object by object, and the verdict of run_fsck on it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/fsck.h"
#include "store/loose/loose_directory.h"
#include "store/object/object_hash.h"
#include "tests/support/findings_text.h"
#include "tests/support/pack_builder.h"
#include "tests/support/repository_files.h"

namespace assay::testing {

struct TreeLine {
  std::string mode;
  std::string name;
  ObjectId id;
};

inline Bytes tree_text(const std::vector<TreeLine>& lines) {
  Bytes text;
  for (const TreeLine& line : lines) {
    const std::string head = line.mode + ' ' + line.name + '\0';
    text.insert(text.end(), head.begin(), head.end());
    text.insert(text.end(), line.id.data(), line.id.data() + line.id.size());
  }
  return text;
}

inline Bytes commit_text(const ObjectId& tree, const std::vector<ObjectId>& parents,
                         std::string_view message = "m") {
  std::string text = "tree " + tree.hex() + "\n";
  for (const ObjectId& parent : parents) text += "parent " + parent.hex() + "\n";
  text += "author A <a@b> 1700000000 +0000\ncommitter A <a@b> 1700000000 +0000\n\n";
  text += message;
  text += "\n";
  return {text.begin(), text.end()};
}

inline Bytes tag_text(const ObjectId& target, ObjectType type, std::string_view name) {
  const std::string text = "object " + target.hex() + "\ntype " + std::string(type_name(type)) +
                           "\ntag " + std::string(name) +
                           "\ntagger A <a@b> 1700000000 +0000\n\nm\n";
  return {text.begin(), text.end()};
}

// The report of a run that must begin.
inline FsckReport report_of(const FsckOptions& options, os::System& system = os::System::real()) {
  auto report = run_fsck(system, options);
  if (report) return std::move(*report);
  ADD_FAILURE() << "run_fsck: " << report.error().text;
  return {};
}

class FsckRepository {
 public:
  explicit FsckRepository(HashKind kind = HashKind::kSha1) : kind_(kind) {
    if (kind == HashKind::kSha256) {
      files_.write(
          "config",
          "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n");
    }
  }

  const RepositoryFiles& files() const { return files_; }
  HashKind kind() const { return kind_; }
  std::string object_path(const ObjectId& id) const { return "objects/" + loose_file_path(id); }

  ObjectId id_of(ObjectType type, ByteView content) const {
    return name_object(type, content, kind_).id;
  }
  // Stores a loose object. Returns: its id.
  ObjectId put(ObjectType type, ByteView content) const {
    const ObjectId id = id_of(type, content);
    put_as(id, type, content);
    return id;
  }
  // Stores it under another name.
  void put_as(const ObjectId& id, ObjectType type, ByteView content) const {
    const std::string head =
        std::string(type_name(type)) + ' ' + std::to_string(content.size()) + '\0';
    Bytes whole(head.begin(), head.end());
    whole.insert(whole.end(), content.begin(), content.end());
    put_file(id, zlib_stream(whole));
  }
  void put_file(const ObjectId& id, ByteView bytes) const {
    files_.write(object_path(id), as_text(bytes));
  }
  ObjectId blob(std::string_view content) const {
    return put(ObjectType::kBlob, as_bytes(content));
  }
  ObjectId tree(const std::vector<TreeLine>& lines) const {
    return put(ObjectType::kTree, tree_text(lines));
  }
  ObjectId commit(const ObjectId& tree, const std::vector<ObjectId>& parents = {},
                  std::string_view message = "m") const {
    return put(ObjectType::kCommit, commit_text(tree, parents, message));
  }
  ObjectId tag(const ObjectId& target, ObjectType type, std::string_view name = "t") const {
    return put(ObjectType::kTag, tag_text(target, type, name));
  }
  void remove(const ObjectId& id) const {
    std::filesystem::remove(files_.git_dir() + "/" + object_path(id));
  }
  void ref(const std::string& name, const ObjectId& id) const {
    files_.write("refs/" + name, id.hex() + "\n");
  }
  void add_pack(const BuiltPack& pack, const std::string& name) const {
    files_.write("objects/pack/pack-" + name + ".pack", as_text(pack.pack));
    files_.write("objects/pack/pack-" + name + ".idx", as_text(pack.index));
  }

  FsckOptions options(unsigned threads = 1) const {
    FsckOptions options;
    options.repository = files_.options();
    options.threads = threads;
    return options;
  }
  FsckReport check(const FsckOptions& options, os::System& system = os::System::real()) const {
    return report_of(options, system);
  }
  FsckReport check(unsigned threads = 1) const { return check(options(threads)); }

 private:
  RepositoryFiles files_;
  HashKind kind_;
};

// Every finding on a line of its own, in order; causes are left out.
inline std::vector<std::string> lines_of(const FsckReport& report) {
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) lines.push_back(line_of(finding));
  return lines;
}

inline std::vector<MessageId> ids_of(const FsckReport& report) {
  std::vector<MessageId> ids;
  for (const Finding& finding : report.findings) ids.push_back(finding.id);
  return ids;
}

inline std::vector<std::string> sorted_lines_of(const FsckReport& report) {
  std::vector<std::string> lines = lines_of(report);
  std::sort(lines.begin(), lines.end());
  return lines;
}

inline std::vector<std::string> sorted_lines(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Everything about every finding, to tell whether two runs gave the same.
inline std::string whole_text_of(const FsckReport& report) {
  std::string text;
  for (const Finding& finding : report.findings) {
    for (const std::string& cause : finding.causes) text += "cause: " + cause + "\n";
    text += line_of(finding) + " [" + finding.file + " " + std::to_string(finding.offset) + " " +
            (finding.oid ? finding.oid->hex() : "-") + " " + std::string(type_name(finding.type)) +
            " bit " + std::to_string(static_cast<unsigned>(finding.bit)) + "]\n";
  }
  return text + "exit " + std::to_string(report.exit_status) + "\n";
}

}  // namespace assay::testing
