#include "store/loose/loose_object.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "store/codec/inflate.h"
#include "store/object/object_header.h"

namespace assay {
namespace {

// Nine of ten loose objects fit into it whole.
constexpr std::size_t kWindowSize = std::size_t{128} << 10;
constexpr std::size_t kPieceSize = std::size_t{64} << 10;

}  // namespace

LooseReader::LooseReader(os::System& system)
    : system_(system), window_(kWindowSize), piece_(kPieceSize) {}

void LooseReader::close() {
  file_.reset();
  unread_ = {};
  left_in_file_ = 0;
}

Result<LooseHeader> LooseReader::open(const LoosePlace& place) {
  close();
  place_ = place;
  header_ = {};
  begun_.clear();
  stream_ended_ = false;
  inflater_.reset();
  if (const auto opened = open_file(place); !opened) return tl::unexpected(opened.error());
  const auto header = read_header();
  if (!header) close();
  return header;
}

Result<void> LooseReader::open_file(const LoosePlace& place) {
  const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (place.follow_symlink ? 0 : O_NOFOLLOW);
  auto file = system_.open(place.directory, place.name, flags);
  if (!file && file.error().code == ELOOP && !place.follow_symlink) {
    return fault(MessageId::kSymlinkInObjects, fmt::format("{} is a symbolic link", place.path));
  }
  if (!file) {
    return fault(MessageId::kObjectUnreadable,
                 fmt::format("unable to mmap {}: {}", place.path, file.error().text()));
  }
  const auto status = system_.status(file->get());
  if (!status) {
    return fault(MessageId::kIoError,
                 fmt::format("unable to mmap {}: {}", place.path, status.error().text()));
  }
  if (status->kind != os::FileKind::kRegular) {
    return fault(
        MessageId::kObjectUnreadable,
        fmt::format("{} is {}, not a file", place.path,
                    status->kind == os::FileKind::kDirectory ? "a directory" : "a special file"));
  }
  if (status->size == 0) {
    Fault empty(MessageId::kObjectCorrupt, fmt::format("unable to mmap {}", place.path));
    empty.causes.push_back(fmt::format("object file {} is empty", place.path));
    return tl::unexpected(std::move(empty));
  }
  file_ = std::move(*file);
  left_in_file_ = status->size;
  header_.deflated_size = status->size;
  return {};
}

// Reads the next window; at the end of the file it stays empty.
Result<void> LooseReader::refill() {
  if (left_in_file_ == 0) return {};
  const std::size_t wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(left_in_file_, window_.size()));
  const auto size = system_.read(file_.get(), window_.data(), wanted);
  if (!size) {
    return fault(MessageId::kIoError,
                 fmt::format("unable to read {}: {}", place_.path, size.error().text()));
  }
  // A file that became shorter while it was read ends here.
  left_in_file_ = *size == 0 ? 0 : left_in_file_ - *size;
  unread_ = ByteView(window_).first(*size);
  return {};
}

// Fills the output as far as the stream reaches. An empty output finds out what comes next.
Result<LooseReader::Filled> LooseReader::inflate(std::span<std::uint8_t> output) {
  Filled filled;
  while (!stream_ended_) {
    if (unread_.empty()) {
      if (const auto refilled = refill(); !refilled) return tl::unexpected(refilled.error());
    }
    const ZlibStep step = inflater_.run(unread_, output);
    unread_ = unread_.subspan(step.consumed);
    output = output.subspan(step.produced);
    filled.size += step.produced;
    if (step.state == ZlibState::kError) {
      filled.end = End::kDamaged;
      return filled;
    }
    stream_ended_ = step.state == ZlibState::kEnd;
    if (!stream_ended_ && step.consumed == 0 && step.produced == 0) {
      // Nothing moved: either there is no room or nothing left to read.
      filled.end = unread_.empty() ? End::kTruncated : End::kFull;
      return filled;
    }
    if (!stream_ended_ && output.empty() && filled.size > 0) return filled;
  }
  filled.end = End::kEndOfStream;
  return filled;
}

Result<LooseHeader> LooseReader::read_header() {
  std::array<std::uint8_t, kMaxObjectHeaderSize> buffer;
  const auto filled = inflate(buffer);
  if (!filled) return tl::unexpected(filled.error());
  if (filled->end == End::kDamaged) return header_fault(*filled);
  const ByteView bytes = ByteView(buffer).first(filled->size);
  const auto parsed = parse_object_header(bytes);
  if (!parsed) {
    switch (parsed.error()) {
      case HeaderProblem::kUnterminated:
        return header_fault(*filled);
      case HeaderProblem::kGrammar:
      case HeaderProblem::kSizeOverflow:
        return fault(MessageId::kObjectCorrupt,
                     fmt::format("unable to parse header of {}", place_.path));
      case HeaderProblem::kUnknownType: {
        const std::string_view text = as_text(bytes);
        return fault(MessageId::kObjectCorrupt,
                     fmt::format("unable to parse type from header '{}' of {}",
                                 text.substr(0, text.find('\0')), place_.path));
      }
    }
  }
  header_.type = parsed->type;
  header_.size = parsed->body_size;
  const ByteView rest = bytes.subspan(parsed->header_size);
  begun_.assign(rest.begin(), rest.end());
  return header_;
}

Result<void> LooseReader::check_size() {
  if (header_.size <= max_inflated_size(header_.deflated_size)) return {};
  // More than the file can hold: find out how much there is, without holding it.
  return stream([](ByteView) {});
}

Result<void> LooseReader::read(Bytes& content) {
  if (auto checked = check_size(); !checked) return checked;
  content.resize(static_cast<std::size_t>(header_.size));
  return read(std::span<std::uint8_t>(content));
}

Result<void> LooseReader::read(std::span<std::uint8_t> content) {
  if (begun_.size() > header_.size) return too_long();
  std::copy(begun_.begin(), begun_.end(), content.begin());
  std::size_t produced = begun_.size();
  if (produced < content.size()) {
    const auto filled = inflate(content.subspan(produced));
    if (!filled) return tl::unexpected(filled.error());
    if (filled->end == End::kDamaged || filled->end == End::kTruncated) {
      return content_fault(filled->end);
    }
    produced += filled->size;
  }
  return expect_end(produced);
}

Result<void> LooseReader::stream(const Consumer& consume) {
  if (begun_.size() > header_.size) return too_long();
  std::uint64_t produced = begun_.size();
  if (!begun_.empty()) consume(begun_);
  while (produced < header_.size && !stream_ended_) {
    const std::size_t room =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece_.size(), header_.size - produced));
    const auto filled = inflate(std::span(piece_).first(room));
    if (!filled) return tl::unexpected(filled.error());
    produced += filled->size;
    if (filled->size > 0) consume(ByteView(piece_).first(filled->size));
    if (filled->end == End::kDamaged || filled->end == End::kTruncated) {
      return content_fault(filled->end);
    }
  }
  return expect_end(produced);
}

// The content is there as far as the stream goes or the header allows: the stream must end here,
// the file must end here, and the size must be the declared one.
Result<void> LooseReader::expect_end(std::uint64_t produced) {
  if (!stream_ended_) {
    const auto filled = inflate({});
    if (!filled) return tl::unexpected(filled.error());
    if (filled->end == End::kFull) return too_long();
    if (filled->end != End::kEndOfStream) return content_fault(filled->end);
  }
  if (!unread_.empty() || left_in_file_ > 0) {
    Fault garbage(MessageId::kObjectCorrupt,
                  fmt::format("unable to unpack contents of {}", place_.path));
    garbage.causes.push_back(fmt::format("garbage at end of loose object '{}'", place_.id.hex()));
    return tl::unexpected(std::move(garbage));
  }
  if (produced < header_.size) return too_short(produced);
  close();
  return {};
}

tl::unexpected<Fault> LooseReader::header_fault(Filled filled) const {
  Fault result(MessageId::kObjectCorrupt,
               fmt::format("unable to unpack header of {}", place_.path));
  if (filled.end == End::kDamaged) {
    result.causes.push_back("inflate: " + inflater_.error_text());
  }
  return tl::unexpected(std::move(result));
}

tl::unexpected<Fault> LooseReader::content_fault(End end) const {
  Fault result(MessageId::kObjectCorrupt,
               fmt::format("unable to unpack contents of {}", place_.path));
  if (end == End::kDamaged) result.causes.push_back("inflate: " + inflater_.error_text());
  result.causes.push_back(fmt::format("corrupt loose object '{}'", place_.id.hex()));
  return tl::unexpected(std::move(result));
}

tl::unexpected<Fault> LooseReader::too_short(std::uint64_t produced) const {
  return fault(MessageId::kSizeMismatch,
               fmt::format("header of {} declares {} bytes, but only {} follow", place_.path,
                           header_.size, produced));
}

tl::unexpected<Fault> LooseReader::too_long() const {
  Fault result(
      MessageId::kSizeMismatch,
      fmt::format("header of {} declares {} bytes, but more follow", place_.path, header_.size));
  if (!stream_ended_) {  // else git takes it as good
    result.causes.push_back(fmt::format("corrupt loose object '{}'", place_.id.hex()));
    result.causes.push_back(fmt::format("unable to unpack contents of {}", place_.path));
  }
  return tl::unexpected(std::move(result));
}

Result<LooseObject> read_loose_object(LooseReader& reader, const LoosePlace& place,
                                      std::uint64_t in_memory_limit) {
  const auto header = reader.open(place);
  if (!header) return tl::unexpected(header.error());
  LooseObject object{header->type, header->size, std::nullopt};
  if (header->size > in_memory_limit) return object;
  object.content.emplace();
  if (const auto read = reader.read(*object.content); !read) return tl::unexpected(read.error());
  return object;
}

}  // namespace assay
