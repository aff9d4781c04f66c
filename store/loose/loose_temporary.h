// LooseTemporary: a loose object that is being written and has no name yet.
//
// The file is made with O_TMPFILE, so that nothing is left behind whatever happens, a power cut
// included; where the file system has no such files it is "tmp_obj_XXXXXX" in the objects
// directory, which git's own cleaning knows, and the destructor removes it.
// Publishing gives it its name in one step: other readers see a whole object or none. Fan-out
// directories are made on demand, again and again while a gc removes them (up to 100 times).
//
// On every fault the objects directory is as it was, save an empty fan-out directory.
// Thread safety: none; distinct temporaries may be used from distinct threads.
#pragma once

#include <cstdint>
#include <string>

#include "store/base/object_id.h"
#include "store/os/system.h"
#include "store/report/fault.h"

namespace assay {

// How sure it must be that an object survives a power cut (core.fsync, core.fsyncMethod).
enum class LooseSync : std::uint8_t {
  kNone,      // git's default for loose objects: the file system decides
  kWriteout,  // data is handed to the device, whose cache is not flushed; directories are not
  kBatch,     // as kWriteout, then one flush for all objects and directories at the end
  kFull,      // the file before it gets its name, the fan-out directory after
};

struct LooseWriteOptions {
  int compression = 1;  // -1 (zlib's choice) or 0 to 9; core.looseCompression
  LooseSync sync = LooseSync::kNone;
  // core.sharedRepository: 0 leaves modes to the umask; otherwise permission bits that are added
  // (0660 for group, 0664 for all) or, with `exact_mode`, set (0640 and the like).
  unsigned shared_mode = 0;
  bool exact_mode = false;
  bool use_rename = false;  // core.createObject = rename: never make hard links
};

class LooseTemporary {
 public:
  enum class Replace : std::uint8_t { kNo, kYes };
  enum class Published : std::uint8_t { kNew, kExisted };

  LooseTemporary() = default;
  LooseTemporary(LooseTemporary&& other) noexcept;
  LooseTemporary& operator=(LooseTemporary&& other) noexcept;
  ~LooseTemporary() { discard(); }

  // `objects`: an open objects directory that must, as `system`, outlive the temporary.
  // `shown_path` of it, for messages. `allow_unnamed` false: always a named one.
  static Result<LooseTemporary> create(os::System& system, int objects,
                                       const std::string& shown_path,
                                       const LooseWriteOptions& options, bool allow_unnamed);

  Result<void> append(ByteView deflated);

  // Sees to it that the data is as safe as `sync` demands, and sets the mode. After the last
  // append, before publish().
  Result<void> settle(LooseSync sync);

  // Gives the file the name of the object; the temporary is then empty. Replace::kNo leaves an
  // existing file alone and says kExisted, the temporary is then as before; Replace::kYes puts
  // this one in the place of what is there.
  Result<Published> publish(const ObjectId& id, Replace replace);

  // Makes the new names below the fan-out directory of `id` survive a power cut.
  static Result<void> sync_directory(os::System& system, int objects, const std::string& shown_path,
                                     const ObjectId& id);

  // Flushes the file and, by it, the device's cache.
  Result<void> flush_device();

  void discard();
  // Whether the file has no name yet.
  bool unnamed() const { return name_.empty(); }

 private:
  Result<Published> link_unnamed(const std::string& target, Replace replace);
  Result<Published> move_named(const std::string& target, Replace replace);
  Result<void> make_fanout(const std::string& target);
  Result<void> give_name();
  static Result<void> sync_directory_at(os::System& system, int objects,
                                        const std::string& shown_path, const std::string& name);
  tl::unexpected<Fault> failed(std::string_view doing, os::Error error) const;

  os::System* system_ = nullptr;
  int objects_ = -1;
  std::string shown_path_;
  LooseWriteOptions options_;
  os::FileDescriptor file_;
  std::string name_;  // of a named temporary, relative to `objects`
};

}  // namespace assay
