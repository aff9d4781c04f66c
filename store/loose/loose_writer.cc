#include "store/loose/loose_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "store/loose/loose_directory.h"
#include "store/object/object_header.h"

namespace assay {
namespace {

// Objects above this go through zlib in pieces even when they are in memory, so that no second
// buffer of their size is needed.
constexpr std::size_t kLargestWhole = std::size_t{4} << 20;
constexpr std::size_t kPieceSize = std::size_t{128} << 10;
// As many files are open at once with LooseSync::kBatch.
constexpr std::size_t kBatchSize = 64;

// libdeflate counts its levels as zlib does, but knows no "default".
int libdeflate_level(int compression) { return compression < 0 ? 6 : compression; }

}  // namespace

void LooseWriter::Deleter::operator()(libdeflate_compressor* compressor) const {
  libdeflate_free_compressor(compressor);
}

LooseWriter::LooseWriter(os::System& system, os::FileDescriptor objects, std::string shown_path,
                         HashKind kind, const LooseWriteOptions& options, bool allow_unnamed)
    : system_(system),
      objects_(std::move(objects)),
      shown_path_(std::move(shown_path)),
      kind_(kind),
      options_(options),
      allow_unnamed_(allow_unnamed),
      reader_(system),
      compressor_(libdeflate_alloc_compressor(libdeflate_level(options.compression))) {
  if (compressor_ == nullptr) throw std::bad_alloc();
}

LooseWriter::~LooseWriter() = default;

Result<std::unique_ptr<LooseWriter>> LooseWriter::open(os::System& system,
                                                       const std::string& objects_path,
                                                       const std::string& shown_path, HashKind kind,
                                                       const LooseWriteOptions& options) {
  auto objects =
      system.open(os::kCurrentDirectory, objects_path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
  if (!objects) {
    return fault(MessageId::kIoError,
                 fmt::format("unable to open {}: {}", shown_path, objects.error().text()));
  }
  // Unnamed files get their name through /proc; without it there is no way.
  const bool has_proc = system.status_at(os::kCurrentDirectory, "/proc/self/fd", true).has_value();
  return std::unique_ptr<LooseWriter>(
      new LooseWriter(system, std::move(*objects), shown_path, kind, options, has_proc));
}

Result<LooseWriter::Outcome> LooseWriter::write(const ObjectId& id, ObjectType type,
                                                ByteView content) {
  if (content.size() > kLargestWhole) {
    if (auto begun = begin(type, content.size()); !begun) return tl::unexpected(begun.error());
    if (auto added = append(content); !added) return tl::unexpected(added.error());
    if (auto name = end(); !name) return tl::unexpected(name.error());
    return publish();
  }
  const auto copy = look_at_copy(id);
  if (!copy) return tl::unexpected(copy.error());
  if (*copy == Copy::kSound) return Outcome::kExisted;
  auto temporary = new_temporary();
  if (!temporary) return tl::unexpected(temporary.error());
  const auto added = temporary->append(deflate_whole(type, content));
  if (!added) return tl::unexpected(added.error());
  return settle_and_publish(id, std::move(*temporary), *copy);
}

Result<void> LooseWriter::begin(ObjectType type, std::uint64_t size) {
  drop();
  auto temporary = new_temporary();
  if (!temporary) return tl::unexpected(temporary.error());
  if (deflater_ == nullptr) {
    deflater_ = std::make_unique<ZlibDeflater>(options_.compression);
  } else {
    deflater_->reset();
  }
  stream_.emplace(Stream{size, 0, ObjectHasher(kind_), std::move(*temporary), {}});
  const ObjectHeaderText header(type, size);
  stream_->hasher.update(header.bytes());
  return deflate_piece(header.bytes(), false);
}

Result<void> LooseWriter::append(ByteView content) {
  stream_->hasher.update(content);
  stream_->size += content.size();
  return deflate_piece(content, false);
}

Result<ObjectName> LooseWriter::end() {
  if (stream_->size != stream_->declared_size) {
    const Fault wrong(MessageId::kSizeMismatch, fmt::format("write stream object {} != {}",
                                                            stream_->size, stream_->declared_size));
    drop();
    return tl::unexpected(wrong);
  }
  if (auto ended = deflate_piece({}, true); !ended) return tl::unexpected(ended.error());
  const ObjectName name = stream_->hasher.finish();
  stream_->id = name.id;
  return name;
}

Result<LooseWriter::Outcome> LooseWriter::publish() {
  const ObjectId id = stream_->id;
  LooseTemporary temporary = std::move(stream_->temporary);
  drop();
  const auto copy = look_at_copy(id);
  if (!copy) return tl::unexpected(copy.error());
  if (*copy == Copy::kSound) return Outcome::kExisted;
  return settle_and_publish(id, std::move(temporary), *copy);
}

void LooseWriter::drop() { stream_.reset(); }

Result<bool> LooseWriter::freshen(const ObjectId& id) {
  const auto copy = look_at_copy(id);
  if (!copy) return tl::unexpected(copy.error());
  return *copy == Copy::kSound;
}

// Touching comes first: it also tells whether there is a copy, and once touched a gc leaves it.
Result<LooseWriter::Copy> LooseWriter::look_at_copy(const ObjectId& id) {
  const auto touched = system_.touch(objects_.get(), loose_file_path(id));
  if (!touched && (touched.error().code == ENOENT || touched.error().code == ENOTDIR)) {
    return Copy::kNone;
  }
  if (!is_sound(id)) return Copy::kBad;
  if (!touched) return Copy::kUntouchable;
  if (options_.sync == LooseSync::kFull || options_.sync == LooseSync::kBatch) {
    // Whoever wrote it may not have cared.
    if (auto durable = make_copy_durable(id); !durable) return tl::unexpected(durable.error());
  }
  return Copy::kSound;
}

bool LooseWriter::is_sound(const ObjectId& id) {
  LoosePlace place;
  place.directory = objects_.get();
  place.name = loose_file_path(id);
  place.path = fmt::format("{}/{}", shown_path_, place.name);
  place.id = id;
  const auto header = reader_.open(place);
  if (!header) return false;
  ObjectHasher hasher(kind_);
  hasher.update(ObjectHeaderText(header->type, header->size).bytes());
  const auto read = reader_.stream([&hasher](ByteView piece) { hasher.update(piece); });
  reader_.close();
  return read && hasher.finish().id == id;
}

Result<void> LooseWriter::make_copy_durable(const ObjectId& id) {
  const std::string path = loose_file_path(id);
  const auto file =
      system_.open(objects_.get(), path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  const auto synced = file ? system_.sync(file->get()) : tl::unexpected<os::Error>(file.error());
  if (!synced) {
    return fault(MessageId::kIoError,
                 fmt::format("unable to sync {}/{}: {}", shown_path_, path, synced.error().text()));
  }
  return LooseTemporary::sync_directory(system_, objects_.get(), shown_path_, id);
}

Result<LooseTemporary> LooseWriter::new_temporary() {
  return LooseTemporary::create(system_, objects_.get(), shown_path_, options_, allow_unnamed_);
}

ByteView LooseWriter::deflate_whole(ObjectType type, ByteView content) {
  const ObjectHeaderText header(type, content.size());
  inflated_.assign(header.bytes().begin(), header.bytes().end());
  inflated_.insert(inflated_.end(), content.begin(), content.end());
  const std::size_t bound = libdeflate_zlib_compress_bound(compressor_.get(), inflated_.size());
  if (deflated_.size() < bound) deflated_.resize(bound);
  const std::size_t size = libdeflate_zlib_compress(
      compressor_.get(), inflated_.data(), inflated_.size(), deflated_.data(), deflated_.size());
  return ByteView(deflated_).first(size);
}

Result<void> LooseWriter::deflate_piece(ByteView content, bool last) {
  if (deflated_.size() < kPieceSize) deflated_.resize(kPieceSize);
  for (;;) {
    const ZlibStep step = deflater_->run(content, deflated_, last);
    content = content.subspan(step.consumed);
    const auto added = stream_->temporary.append(ByteView(deflated_).first(step.produced));
    if (!added) {
      drop();
      return added;
    }
    const bool all_taken = content.empty() && step.produced < deflated_.size();
    if (last ? step.state == ZlibState::kEnd : all_taken) return {};
  }
}

Result<LooseWriter::Outcome> LooseWriter::settle_and_publish(const ObjectId& id,
                                                             LooseTemporary temporary, Copy copy) {
  const auto settled = temporary.settle(options_.sync);
  if (!settled) return tl::unexpected(settled.error());
  const auto replace =
      copy == Copy::kNone ? LooseTemporary::Replace::kNo : LooseTemporary::Replace::kYes;
  if (options_.sync == LooseSync::kBatch) {
    pending_.push_back({id, std::move(temporary), replace});
    if (pending_.size() >= kBatchSize) {
      if (auto flushed = flush(); !flushed) return tl::unexpected(flushed.error());
    }
    return copy == Copy::kBad ? Outcome::kReplaced : Outcome::kWritten;
  }
  auto outcome = publish_now(id, std::move(temporary), replace);
  // A new file in place of somebody else's would have been fresher; that one is good all the same.
  if (copy == Copy::kUntouchable) outcome = Outcome::kExisted;
  if (outcome && options_.sync == LooseSync::kFull) {
    const auto synced = LooseTemporary::sync_directory(system_, objects_.get(), shown_path_, id);
    if (!synced) return tl::unexpected(synced.error());
  }
  return outcome;
}

Result<LooseWriter::Outcome> LooseWriter::publish_now(const ObjectId& id, LooseTemporary temporary,
                                                      LooseTemporary::Replace replace) {
  const auto published = temporary.publish(id, replace);
  if (!published) return tl::unexpected(published.error());
  if (*published == LooseTemporary::Published::kNew) {
    return replace == LooseTemporary::Replace::kYes ? Outcome::kReplaced : Outcome::kWritten;
  }
  // Somebody else was faster with the same object.
  if (is_sound(id)) return Outcome::kExisted;
  const auto replaced = temporary.publish(id, LooseTemporary::Replace::kYes);
  if (!replaced) return tl::unexpected(replaced.error());
  return Outcome::kReplaced;
}

Result<void> LooseWriter::flush() {
  if (pending_.empty()) return {};
  std::vector<Pending> batch = std::move(pending_);
  pending_.clear();
  // Every file's pages are with the device already; flushing one flushes the device's cache.
  if (auto flushed = batch.back().temporary.flush_device(); !flushed) return flushed;
  for (Pending& item : batch) {
    const auto outcome = publish_now(item.id, std::move(item.temporary), item.replace);
    if (!outcome) return tl::unexpected(outcome.error());
  }
  std::sort(batch.begin(), batch.end(),
            [](const Pending& a, const Pending& b) { return a.id < b.id; });
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (i > 0 && batch[i].id.data()[0] == batch[i - 1].id.data()[0]) continue;
    const auto synced =
        LooseTemporary::sync_directory(system_, objects_.get(), shown_path_, batch[i].id);
    if (!synced) return synced;
  }
  return {};
}

}  // namespace assay
