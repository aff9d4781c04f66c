// libgit2 as an oracle: another implementation of the same object database.
#pragma once

#include <git2.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "store/base/object_id.h"
#include "store/base/object_type.h"

namespace assay::testing {

// An object as libgit2 sees it; type kUnknown when it cannot read it.
struct OracleObject {
  ObjectType type = ObjectType::kUnknown;
  std::string content;
};

inline void expect_git(int result, const char* what) {
  if (result >= 0) return;
  const git_error* error = git_error_last();
  ADD_FAILURE() << what << ": " << (error != nullptr ? error->message : "?");
}

class OracleRepository {
 public:
  // Opens the repository whose git directory is `path`.
  explicit OracleRepository(const std::string& path) {
    git_libgit2_init();
    expect_git(git_repository_open(&repository_, path.c_str()), "open");
    expect_git(git_repository_odb(&odb_, repository_), "odb");
  }
  OracleRepository(const OracleRepository&) = delete;
  OracleRepository& operator=(const OracleRepository&) = delete;
  ~OracleRepository() {
    git_odb_free(odb_);
    git_repository_free(repository_);
    git_libgit2_shutdown();
  }

  git_repository* get() const { return repository_; }

  // libgit2 rehashes what it reads.
  OracleObject read(const ObjectId& id) const {
    git_oid oid;
    git_oid_fromraw(&oid, id.data());
    git_odb_object* raw = nullptr;
    if (git_odb_read(&raw, odb_, &oid) != 0) return {};
    OracleObject object;
    object.type = static_cast<ObjectType>(git_odb_object_type(raw));
    object.content.assign(static_cast<const char*>(git_odb_object_data(raw)),
                          git_odb_object_size(raw));
    git_odb_object_free(raw);
    return object;
  }

  ObjectId write(ObjectType type, std::string_view content) const {
    git_oid oid;
    expect_git(
        git_odb_write(&oid, odb_, content.data(), content.size(), static_cast<git_object_t>(type)),
        "write");
    return ObjectId::from_raw(oid.id, HashKind::kSha1);
  }

  // Every object, in no order.
  std::vector<ObjectId> all_ids() const {
    std::vector<ObjectId> ids;
    expect_git(git_odb_refresh(odb_), "refresh");
    expect_git(git_odb_foreach(
                   odb_,
                   [](const git_oid* oid, void* payload) {
                     static_cast<std::vector<ObjectId>*>(payload)->push_back(
                         ObjectId::from_raw(oid->id, HashKind::kSha1));
                     return 0;
                   },
                   &ids),
               "foreach");
    return ids;
  }

  // Puts the objects into one pack, with deltas where libgit2 finds them worthwhile.
  void pack(const std::vector<ObjectId>& ids) const {
    git_packbuilder* builder = nullptr;
    expect_git(git_packbuilder_new(&builder, repository_), "packbuilder");
    for (const ObjectId& id : ids) {
      git_oid oid;
      git_oid_fromraw(&oid, id.data());
      expect_git(git_packbuilder_insert(builder, &oid, "name"), "insert");
    }
    expect_git(git_packbuilder_write(builder, nullptr, 0, nullptr, nullptr), "write pack");
    git_packbuilder_free(builder);
  }

 private:
  git_repository* repository_ = nullptr;
  git_odb* odb_ = nullptr;
};

}  // namespace assay::testing
