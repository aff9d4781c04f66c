#include "store/odb/object_writer.h"

#include <fmt/format.h>

namespace assay {

ObjectWriter::ObjectWriter(const ObjectDatabase& database, std::unique_ptr<LooseWriter> loose)
    : database_(database), packs_(database.packs()), loose_(std::move(loose)) {}

Result<std::unique_ptr<ObjectWriter>> ObjectWriter::open(const ObjectDatabase& database,
                                                         const LooseWriteOptions& options) {
  const auto& directories = database.directories();
  const auto open_loose = [&](const ObjectDirectory& directory) {
    return LooseWriter::open(database.system(), directory.path(), directory.shown_path(),
                             database.kind(), options);
  };
  auto loose = open_loose(directories.front());
  if (!loose) return tl::unexpected(loose.error());
  std::unique_ptr<ObjectWriter> writer(new ObjectWriter(database, std::move(*loose)));
  for (std::size_t i = 1; i < directories.size(); ++i) {
    // An alternate that cannot be opened holds nothing.
    if (auto alternate = open_loose(directories[i])) {
      writer->alternates_.push_back(std::move(*alternate));
    }
  }
  return writer;
}

Result<ObjectWriter::Outcome> ObjectWriter::write(const ObjectId& id, ObjectType type,
                                                  ByteView content) {
  const auto elsewhere = freshen_elsewhere(id);
  if (!elsewhere) return tl::unexpected(elsewhere.error());
  if (*elsewhere) return Outcome::kExisted;
  return loose_->write(id, type, content);
}

Result<ObjectId> ObjectWriter::end() {
  const auto name = loose_->end();
  if (!name) return tl::unexpected(name.error());
  if (name->collision) {
    loose_->drop();
    return fault(MessageId::kCollisionDetected,
                 fmt::format("SHA-1 appears to be part of a collision attack: {}", name->id.hex()));
  }
  const auto elsewhere = freshen_elsewhere(name->id);
  if (!elsewhere) return tl::unexpected(elsewhere.error());
  if (*elsewhere) {
    loose_->drop();
    return name->id;
  }
  if (const auto published = loose_->publish(); !published) {
    return tl::unexpected(published.error());
  }
  return name->id;
}

Result<bool> ObjectWriter::freshen_elsewhere(const ObjectId& id) {
  for (const PackList& list : packs_->by_directory) {
    for (const auto& pack : list) {
      if (pack->index().find(id.data()) && freshen_pack(*pack)) return true;
    }
  }
  for (const auto& alternate : alternates_) {
    const auto fresh = alternate->freshen(id);
    if (!fresh || *fresh) return fresh;
  }
  return false;
}

bool ObjectWriter::freshen_pack(const OpenPack& pack) {
  if (fresh_packs_.contains(pack.stem())) return true;
  os::System& system = database_.system();
  if (system.status_at(os::kCurrentDirectory, pack.stem() + ".mtimes", true)) return false;
  // A pack that cannot be read holds nothing either.
  if (!pack.pack() || !system.touch(os::kCurrentDirectory, pack.stem() + ".pack")) return false;
  fresh_packs_.insert(pack.stem());
  return true;
}

}  // namespace assay
