// The content of one loose ref file: an id, or "ref: NAME".
//
// Source of the format: gitrepository-layout(5). Reading is as lenient as git: after an id any
// text may follow a blank. store/fsck/check_ref_format.h judges strictly.
#pragma once

#include <string>

#include "store/base/object_id.h"
#include "store/report/fault.h"

namespace assay {

struct RefFile {
  bool is_symref = false;
  ObjectId id;         // when it is no symref
  std::string target;  // the name after "ref:" and blanks, without trailing blanks
  // What follows the id: "\n" in a sound file. Empty for a symref.
  std::string trailing;
  // For a symref: the text after "ref:" and leading blanks, as it stands in the file.
  std::string raw_target;
};

// Errors: kRefUnreadable with `text` saying what the file holds instead ("file is empty", "file
// holds NUL bytes only", "content is neither an object id nor a symbolic ref").
Result<RefFile> parse_ref_file(ByteView bytes, HashKind kind);

// Files larger than this are no refs; reading stops there. Bytes.
constexpr std::uint64_t kMaxRefFileSize = 64 << 10;

}  // namespace assay
