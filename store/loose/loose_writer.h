// LooseWriter: puts objects into one objects directory as loose objects.
//
// What it says is written is there, whole and under its right name; on every fault nothing is left
// behind (see LooseTemporary for how). An existing copy is only freshened, so that a prune spares
// it, and only if it is sound: one that is empty, does not inflate or has other content is
// replaced. Objects in memory are deflated by libdeflate, 1.5 times as fast as zlib; streamed ones
// by zlib, hashed in the same pass.
//
// With LooseSync::kBatch nothing counts as written before flush() has returned; the objects are
// not even visible. Figures for the choice of methods: docs/adr/0002-loose-writing.md.
//
// Thread safety: one writer a thread; several writers, also in other processes, may write to one
// directory, the same objects too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/base/object_id.h"
#include "store/base/object_type.h"
#include "store/codec/zlib_stream.h"
#include "store/loose/loose_object.h"
#include "store/loose/loose_temporary.h"
#include "store/object/object_hash.h"
#include "store/os/system.h"
#include "store/report/fault.h"

struct libdeflate_compressor;

namespace assay {

class LooseWriter {
 public:
  enum class Outcome : std::uint8_t {
    kWritten,
    kExisted,   // a sound copy was there; it looks new now
    kReplaced,  // a copy was there that nobody could have read
  };

  // `objects_path`: an existing directory. `shown_path`: the same in messages.
  // Errors: kIoError.
  static Result<std::unique_ptr<LooseWriter>> open(os::System& system,
                                                   const std::string& objects_path,
                                                   const std::string& shown_path, HashKind kind,
                                                   const LooseWriteOptions& options);
  LooseWriter(const LooseWriter&) = delete;
  LooseWriter& operator=(const LooseWriter&) = delete;
  ~LooseWriter();

  // Writes an object that is in memory. Requires: `id` is the name of exactly these bytes.
  Result<Outcome> write(const ObjectId& id, ObjectType type, ByteView content);

  // Writes an object of any size in constant memory: begin, append its pieces, end says its name,
  // then publish() or drop() it. One at a time; a new begin() drops the one before.
  // Errors: end() gives kSizeMismatch when the pieces are not `size` bytes.
  Result<void> begin(ObjectType type, std::uint64_t size);
  Result<void> append(ByteView content);
  Result<ObjectName> end();
  Result<Outcome> publish();
  void drop();

  // Makes everything written so far as safe as the options demand. Does nothing but with kBatch.
  Result<void> flush();

  // Freshens the copy in this directory, if there is a sound one. Returns: whether there is.
  Result<bool> freshen(const ObjectId& id);

 private:
  enum class Copy : std::uint8_t {
    kNone,
    kSound,
    kUntouchable,  // sound, but its times cannot be set: it belongs to somebody else
    kBad,
  };
  struct Deleter {
    void operator()(libdeflate_compressor* compressor) const;
  };
  struct Stream {
    std::uint64_t declared_size;
    std::uint64_t size = 0;
    ObjectHasher hasher;
    LooseTemporary temporary;
    ObjectId id;
  };
  struct Pending {
    ObjectId id;
    LooseTemporary temporary;
    LooseTemporary::Replace replace;
  };

  LooseWriter(os::System& system, os::FileDescriptor objects, std::string shown_path, HashKind kind,
              const LooseWriteOptions& options, bool allow_unnamed);

  Result<Copy> look_at_copy(const ObjectId& id);
  bool is_sound(const ObjectId& id);
  Result<void> make_copy_durable(const ObjectId& id);
  Result<LooseTemporary> new_temporary();
  // Returns: a view of deflated_.
  ByteView deflate_whole(ObjectType type, ByteView content);
  Result<void> deflate_piece(ByteView content, bool last);
  Result<Outcome> settle_and_publish(const ObjectId& id, LooseTemporary temporary, Copy copy);
  Result<Outcome> publish_now(const ObjectId& id, LooseTemporary temporary,
                              LooseTemporary::Replace replace);

  os::System& system_;
  os::FileDescriptor objects_;
  std::string shown_path_;
  HashKind kind_;
  LooseWriteOptions options_;
  bool allow_unnamed_;
  LooseReader reader_;
  std::unique_ptr<libdeflate_compressor, Deleter> compressor_;
  std::unique_ptr<ZlibDeflater> deflater_;
  Bytes inflated_;
  Bytes deflated_;
  std::optional<Stream> stream_;
  std::vector<Pending> pending_;
};

}  // namespace assay
