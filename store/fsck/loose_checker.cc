#include "store/fsck/loose_checker.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "store/fsck/copy_reader.h"
#include "store/os/follow_file.h"

namespace assay {

void LooseChecker::check_object(const ObjectCopy& place_copy, const LoosePlace& place) {
  ObjectCopy copy = place_copy;
  clock_.enter(Stage::kRead);
  const auto refuse = [&](Fault fault) {
    Fault whole(MessageId::kObjectCorrupt,
                fmt::format("{}: object corrupt or missing: {}", place.id.hex(), place.path));
    // A blob is read in pieces: git does not die of its content.
    if (copy.type != ObjectType::kBlob && kills_git(fault)) {
      verifier_.mark_unreadable(copy);
    } else {
      verifier_.mark_bad(copy);
    }
    whole.causes = std::move(fault.causes);
    whole.causes.push_back(std::move(fault.text));
    if (message(fault.id).since == Since::kOurs) whole.id = fault.id;
    verifier_.report(copy, std::move(whole), ExitBit::kBitObject);
    clock_.enter(Stage::kOther);
  };
  const auto look_at_stream = [&] {
    if (!reader_.has_stray_bits()) return;
    verifier_.report(
        copy,
        Fault(MessageId::kNonCanonicalZlib,
              fmt::format("{} has bits in its zlib stream that mean nothing", place.path)),
        ExitBit::kBitNone);
  };
  auto header = reader_.open(place);
  if (!header && header.error().id == MessageId::kSymlinkInObjects) {
    // git follows it, so what lies there is the object; that it is a link is worth a warning.
    verifier_.report(copy, std::move(header.error()), ExitBit::kBitNone);
    LoosePlace followed = place;
    followed.follow_symlink = true;
    header = reader_.open(followed);
  }
  if (!header && is_gone(place, copy.number)) {
    clock_.enter(Stage::kOther);
    return;
  }
  if (!header) return refuse(std::move(header.error()));
  copy.type = header->type;
  if (copy.type == ObjectType::kBlob && options_.skip_blobs) {
    // Blobs have no links: their content is not needed.
    verifier_.begin_large(copy, header->size);
    verifier_.end_large(false);
    clock_.enter(Stage::kOther);
    return;
  }
  constexpr std::uint64_t kStreamFrom = std::uint64_t{16} << 20;
  if (header->size >= kStreamFrom &&
      (copy.type == ObjectType::kBlob || header->size > options_.memory)) {
    verifier_.begin_large(copy, header->size);
    const auto streamed = reader_.stream([&](ByteView piece) {
      clock_.enter(Stage::kSha1);
      verifier_.add_large(piece);
      clock_.enter(Stage::kRead);
    });
    verifier_.end_large(streamed.has_value());
    if (!streamed) return refuse(std::move(streamed.error()));
    look_at_stream();
    clock_.enter(Stage::kOther);
    return;
  }
  if (auto plausible = reader_.check_size(); !plausible) {
    return refuse(std::move(plausible.error()));
  }
  BufferRef buffer = pool_.make(static_cast<std::size_t>(header->size));
  auto read = reader_.read({buffer->data(), buffer->size()});
  clock_.enter(Stage::kOther);
  if (!read) {
    pool_.release(std::move(buffer));
    return refuse(std::move(read.error()));
  }
  look_at_stream();
  verifier_.verify(copy, buffer, nullptr, {}, false);
  pool_.release(std::move(buffer));
}

// True when the file is no more where it was listed.
bool LooseChecker::is_gone(const LoosePlace& place, std::uint32_t number) {
  const auto status = storage_.system().status_at(place.directory, place.name, false);
  if (status || !os::is_missing(status.error())) return false;
  ledger_.add_vanished(number);
  return true;
}

void LooseChecker::check(const StoredFanout& fanout) {
  const ObjectSource& paths = storage_.directories()[fanout.directory];
  const std::string name = fanout_name(fanout.fanout);
  const auto directory = storage_.system().open(os::kCurrentDirectory, paths.path + "/" + name,
                                                O_RDONLY | O_DIRECTORY);
  for (std::size_t i = 0; i < fanout.objects.size(); ++i) {
    const LooseFile& file = fanout.objects[i];
    const ObjectCopy copy{fanout.numbers[i],
                          ObjectType::kUnknown,
                          {fanout.file, fanout.first_item + static_cast<std::uint32_t>(i)},
                          Fault::kNoOffset};
    LoosePlace place;
    place.directory = directory ? directory->get() : os::kCurrentDirectory;
    place.name = directory ? file.name : paths.path + "/" + name + "/" + file.name;
    place.path = paths.shown_path + "/" + name + "/" + file.name;
    place.id = file.id;
    check_object(copy, place);
  }
}

}  // namespace assay
