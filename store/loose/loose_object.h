// Loose objects: one zlib stream a file, "TYPE SIZE\0" and then the content.
//
// LooseReader is strict: whatever git refuses to read is a fault here, and so are two lies that git
// passes over, a body shorter or longer than the header declares. Rules, in this order:
//   - the file is a regular file and not empty; FIFOs, directories and symbolic links are faults
//     of their own and never block the reader;
//   - it is a zlib stream whose first 32 inflated bytes hold the whole header;
//   - header: type word, one space, decimal size without sign or leading zeros, NUL;
//   - the type is one of the four, in lower case;
//   - the body has exactly the declared size, the stream ends there with the right Adler-32, and
//     nothing follows it.
// Whether the content has the id it is filed under is the caller's to check.
//
// A fault carries git's words: `text` is the line that git prints last before its
// "OID: object corrupt or missing: PATH", `causes` are the lines before it; the checker adds the
// final line. Nothing is allocated on the word of a header: memory is bounded by what the file can
// hold (deflate expands at most 1032 times) and by the limit that the caller gives.
//
//     LooseReader reader(os::System::real());
//     const auto header = reader.open({directory, name, path, id});
//     if (header && header->size <= limit) reader.read(content); else reader.stream(consumer);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "store/base/bytes.h"
#include "store/base/object_id.h"
#include "store/base/object_type.h"
#include "store/codec/zlib_stream.h"
#include "store/os/system.h"
#include "store/report/fault.h"

namespace assay {

struct LoosePlace {
  int directory = os::kCurrentDirectory;  // an open fan-out or objects directory
  std::string name;                       // of the file, relative to `directory`
  std::string path;                       // as messages show it
  ObjectId id;                            // what the file name says
  // Read through a symbolic link, as git does. Without it such a link is the fault
  // kSymlinkInObjects; a checker reports that and then reads again with it.
  bool follow_symlink = false;
};

struct LooseHeader {
  ObjectType type = ObjectType::kUnknown;
  std::uint64_t size = 0;           // of the content, as declared
  std::uint64_t deflated_size = 0;  // of the file
};

// Reads loose objects, one after the other. Keep one per thread: it owns the zlib state and the
// buffers (about 200 KB). Thread safety: none.
class LooseReader {
 public:
  // Called with successive pieces of the content, at most 64 KiB each, valid during the call.
  using Consumer = std::function<void(ByteView)>;

  explicit LooseReader(os::System& system);

  // Opens the file and reads the header; ends whatever was open before.
  Result<LooseHeader> open(const LoosePlace& place);

  // After a successful open(), one of these two, once.
  // Reads the whole content. On a fault `content` is unspecified. The caller has seen the declared
  // size and agrees to hold it; memory is also bounded by 1032 times the size of the file.
  Result<void> read(Bytes& content);
  // The same into memory of the caller, who asks check_size() before taking it.
  // Requires: content.size() is the declared size.
  Result<void> read(std::span<std::uint8_t> content);
  // Returns: a fault when the header declares more than the file can hold; the object is then read
  // to its end to say how much there is.
  Result<void> check_size();
  // Gives the content to the consumer in constant memory. Faults may come after the last piece.
  Result<void> stream(const Consumer& consume);

  // After content was read without a fault, until the next open(): whether bits were set in the
  // stream that mean nothing, see ZlibInflater.
  bool has_stray_bits() const { return inflater_.has_stray_bits(); }

  void close();

 private:
  enum class End : std::uint8_t { kFull, kEndOfStream, kTruncated, kDamaged };
  struct Filled {
    std::size_t size = 0;
    End end = End::kFull;
  };

  Result<void> open_file(const LoosePlace& place);
  Result<LooseHeader> read_header();
  Result<void> refill();
  Result<Filled> inflate(std::span<std::uint8_t> output);
  Result<void> expect_end(std::uint64_t produced);
  tl::unexpected<Fault> header_fault(Filled filled) const;
  tl::unexpected<Fault> content_fault(End end) const;
  tl::unexpected<Fault> too_short(std::uint64_t produced) const;
  tl::unexpected<Fault> too_long() const;

  os::System& system_;
  ZlibInflater inflater_;
  Bytes window_;     // deflated bytes read from the file
  Bytes piece_;      // inflated bytes for stream()
  ByteView unread_;  // the part of window_ that was not inflated yet
  os::FileDescriptor file_;
  std::uint64_t left_in_file_ = 0;
  bool stream_ended_ = false;
  LoosePlace place_;
  LooseHeader header_;
  Bytes begun_;  // content that was inflated together with the header
};

struct LooseObject {
  ObjectType type = ObjectType::kUnknown;
  std::uint64_t size = 0;
  std::optional<Bytes> content;  // absent when size is above the limit
};

// Reads one object whole, or only its header when it is larger than `in_memory_limit`. The
// reader is then still open and waits for stream().
Result<LooseObject> read_loose_object(LooseReader& reader, const LoosePlace& place,
                                      std::uint64_t in_memory_limit);

}  // namespace assay
