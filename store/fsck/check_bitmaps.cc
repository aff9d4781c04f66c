#include "store/fsck/check_bitmaps.h"

#include <fmt/format.h>

#include <deque>
#include <functional>
#include <unordered_map>

#include "store/fsck/check_bit_order.h"
#include "store/fsck/fault_reporter.h"
#include "store/fsck/map_file.h"
#include "store/fsck/phases.h"
#include "store/object/file_checksum.h"
#include "store/pack/bitmap.h"

namespace assay {
namespace {

// What a bitmap is about: a pack or a multi-pack-index.
struct Subject {
  BitmapFile::Objects objects;
  ByteView checksum;  // what the bitmap is to name
  // The type of the object of a bit or of a commit's position; kUnknown when it is not known. Not
  // set: nothing is known.
  std::function<ObjectType(std::uint32_t)> type_of_bit;
  std::function<ObjectType(std::uint32_t)> type_of_position;
  std::function<ObjectId(std::uint32_t)> id_of_position;
  // The numbers of the objects of all bits, in their order; empty when the order is not known.
  std::vector<std::uint32_t> numbers;
};

class BitmapChecker {
 public:
  BitmapChecker(const Storage& storage, const LinkLedger& ledger,
                const std::optional<BitmapTruthOptions>& truth, const Policy& policy,
                FindingSink& findings)
      : storage_(storage),
        ledger_(ledger),
        truth_(truth),
        reporter_(policy, findings, kPhaseBitmaps) {}

  void check_pack(const PackFolder& folder, const std::string& stem, const StoredPack* pack);
  void check_layer(const StoredMultiPackIndex& stored, std::size_t layer);

 private:
  // Returns: the file when its checksum holds.
  std::optional<os::MappedFile> open(const std::string& path, const std::string& shown,
                                     MessageId bad_checksum);
  void check_content(const os::MappedFile& file, const std::string& shown, const Subject& subject);
  void check_types(const BitmapFile& file, const std::string& shown, const Subject& subject);
  void check_truth(ByteView bytes, const BitmapFile& file, const std::string& shown,
                   const Subject& subject);
  void report(std::string text) { reporter_.report(MessageId::kBitmapUntrue, std::move(text)); }

  const Storage& storage_;
  const LinkLedger& ledger_;
  const std::optional<BitmapTruthOptions>& truth_;
  FaultReporter reporter_;
};

std::optional<os::MappedFile> BitmapChecker::open(const std::string& path, const std::string& shown,
                                                  MessageId bad_checksum) {
  reporter_.enter_file(shown);
  auto mapped = map_file(storage_.system(), path);
  if (!mapped) {
    if (mapped.error().code == ENOENT || mapped.error().code == ENOTDIR) return std::nullopt;
    report(fmt::format("bitmap file '{}' cannot be read: {}", shown, mapped.error().text()));
    return std::nullopt;
  }
  if (!checksum_holds(mapped->bytes(), storage_.kind())) {
    reporter_.report(bad_checksum, fmt::format("bitmap file '{}' has invalid checksum", shown));
    return std::nullopt;
  }
  return std::move(*mapped);
}

void BitmapChecker::check_pack(const PackFolder& folder, const std::string& stem,
                               const StoredPack* pack) {
  const std::string shown = folder.shown + "/" + stem + ".bitmap";
  const auto file = open(folder.path + "/" + stem + ".bitmap", shown, MessageId::kBitmapBad);
  if (!file || pack == nullptr) return;
  const PackIndex& index = *pack->index;
  Subject subject;
  subject.objects = {index.count(), index.count()};
  subject.checksum = index.pack_checksum();
  subject.id_of_position = [&](std::uint32_t position) { return index.id({position}); };
  subject.type_of_position = [&](std::uint32_t position) {
    return ledger_.present_type(pack->numbers[position]);
  };
  if (pack->forest.size() == index.count()) {
    subject.type_of_bit = [&](std::uint32_t bit) { return pack->forest.type({bit}); };
    for (std::uint32_t bit = 0; truth_ && bit < index.count(); ++bit) {
      subject.numbers.push_back(pack->numbers[pack->forest.index_position({bit}).value]);
    }
  }
  check_content(*file, shown, subject);
}

void BitmapChecker::check_layer(const StoredMultiPackIndex& stored, std::size_t layer) {
  const StoredMultiPackIndex::Layer& files = stored.layers[layer];
  const std::string shown = files.shown_stem + ".bitmap";
  const bool is_tip = layer + 1 == stored.layers.size();
  const auto file = open(files.stem + ".bitmap", shown,
                         is_tip ? MessageId::kBitmapBad : MessageId::kBitmapUntrue);
  if (!file) return;
  const MultiPackIndexChain::Layer& chained = stored.chain.layers()[layer];
  const MultiPackIndex& index = chained.index;
  const ObjectId checksum = index.checksum();
  Subject subject;
  subject.objects = {index.count(), chained.first_position + index.count()};
  subject.checksum = checksum.bytes();
  const auto order = bit_order(stored, layer, storage_.system());
  // In a chain, positions count on through the layers; only a single file is looked into.
  if (stored.layers.size() == 1) {
    const auto type_of_row = [&](std::uint32_t row) {
      const std::uint32_t number = storage_.table().find(index.raw_id(row));
      return number == ObjectTable::kAbsent ? ObjectType::kUnknown : ledger_.present_type(number);
    };
    subject.id_of_position = [&](std::uint32_t row) { return index.id(row); };
    subject.type_of_position = type_of_row;
    if (order) {
      subject.type_of_bit = [&order, type_of_row](std::uint32_t bit) {
        return type_of_row((*order)[bit]);
      };
      for (std::uint32_t bit = 0; truth_ && bit < order->size(); ++bit) {
        subject.numbers.push_back(storage_.table().find(index.raw_id((*order)[bit])));
      }
    }
  }
  check_content(*file, shown, subject);
}

void BitmapChecker::check_content(const os::MappedFile& mapped, const std::string& shown,
                                  const Subject& subject) {
  const auto file = BitmapFile::parse(mapped.bytes(), storage_.kind(), subject.objects);
  if (!file) {
    Finding found = reporter_.finding(
        file.error().id, fmt::format("bitmap file '{}': {}", shown, file.error().text));
    found.offset = file.error().offset;
    reporter_.report(std::move(found));
    return;
  }
  if (to_hex(file->pack_checksum()) != to_hex(subject.checksum)) {
    report(fmt::format("bitmap file '{}' was made for {}, not {}", shown,
                       to_hex(file->pack_checksum()), to_hex(subject.checksum)));
    return;
  }
  if (subject.type_of_position) {
    for (const BitmapFile::Entry& entry : file->entries()) {
      const ObjectType type = subject.type_of_position(entry.commit.value);
      if (type == ObjectType::kUnknown || type == ObjectType::kCommit) continue;
      report(fmt::format("bitmap file '{}' has a bitmap for {}, which is a {}", shown,
                         subject.id_of_position(entry.commit.value).hex(), type_name(type)));
    }
  }
  if (subject.type_of_bit) check_types(*file, shown, subject);
  if (!subject.numbers.empty()) check_truth(mapped.bytes(), *file, shown, subject);
}

// Calls `visit(rank, words)` for every bitmap, as words of bits.
template <typename Visit>
void for_each_bitmap(ByteView bytes, HashKind kind, const BitmapFile::Objects& objects,
                     Visit visit) {
  std::deque<std::vector<std::uint64_t>> recent;
  std::uint32_t rank = 0;
  static_cast<void>(BitmapFile::parse(
      bytes, kind, objects, [&](const BitmapFile::Entry& entry, const EwahBitmap& bitmap) {
        std::vector<std::uint64_t> words((std::size_t{objects.total} + 63) / 64);
        if (entry.xor_offset != 0) words = recent[recent.size() - entry.xor_offset];
        bitmap.for_each([&words](std::uint64_t bit) {
          if (bit / 64 >= words.size()) return false;
          words[bit / 64] ^= std::uint64_t{1} << bit % 64;
          return true;
        });
        visit(rank++, words);
        recent.push_back(std::move(words));
        if (recent.size() > BitmapFile::kMostXorOffset) recent.pop_front();
      }));
}

void BitmapChecker::check_truth(ByteView bytes, const BitmapFile& file, const std::string& shown,
                                const Subject& subject) {
  std::unordered_map<std::uint32_t, std::uint32_t> bit_of;
  for (std::uint32_t bit = 0; bit < subject.numbers.size(); ++bit) {
    bit_of.emplace(subject.numbers[bit], bit);
  }
  BitmapRows rows;
  for (const BitmapFile::Entry& entry : file.entries()) {
    const ObjectId id = subject.id_of_position(entry.commit.value);
    const auto bit = bit_of.find(storage_.table().find(id.data()));
    if (bit == bit_of.end()) return;  // the index is out of order, which was reported
    rows.commit_bits.push_back(bit->second);
  }
  rows.numbers = subject.numbers;
  rows.read = [&](std::uint32_t first, std::uint32_t count, const auto& set) {
    for_each_bitmap(bytes, storage_.kind(), subject.objects,
                    [&](std::uint32_t rank, const std::vector<std::uint64_t>& words) {
                      if (rank < first || rank - first >= count) return;
                      for (std::uint32_t bit = 0; bit < rows.numbers.size(); ++bit) {
                        if ((words[bit / 64] >> bit % 64 & 1) != 0) set(rank, bit);
                      }
                    });
  };
  const auto wrong = find_wrong_bitmaps(rows, storage_, ledger_, *truth_);
  if (wrong.empty()) return;
  const WrongBitmap& first = wrong.front();
  report(fmt::format(
      "bitmap file '{}' is wrong about what {} commits reach, such as {}, which {} {}", shown,
      wrong.size(), subject.id_of_position(file.entries()[first.entry].commit.value).hex(),
      first.reaches ? "reaches" : "does not reach", first.object.hex()));
}

void BitmapChecker::check_types(const BitmapFile& file, const std::string& shown,
                                const Subject& subject) {
  constexpr std::uint8_t kNoType = 0xff;
  std::vector<std::uint8_t> said(subject.objects.total, kNoType);
  std::size_t wrong = 0;
  std::uint32_t first = 0;
  const auto note = [&](std::uint32_t bit) {
    if (wrong++ == 0) first = bit;
  };
  for (const ObjectType type :
       {ObjectType::kCommit, ObjectType::kTree, ObjectType::kBlob, ObjectType::kTag}) {
    file.of_type(type).for_each([&](std::uint64_t bit) {
      if (bit >= said.size()) return false;
      if (said[bit] != kNoType) note(static_cast<std::uint32_t>(bit));  // two types at once
      said[bit] = static_cast<std::uint8_t>(type);
      return true;
    });
  }
  for (std::uint32_t bit = 0; bit < said.size(); ++bit) {
    const ObjectType type = subject.type_of_bit(bit);
    if (type != ObjectType::kUnknown && said[bit] != static_cast<std::uint8_t>(type)) note(bit);
  }
  if (wrong == 0) return;
  report(
      fmt::format("bitmap file '{}' is wrong about the types of {} objects, such as bit {}, "
                  "a {}",
                  shown, wrong, first, type_name(subject.type_of_bit(first))));
}

}  // namespace

void check_bitmaps(const std::vector<StoredMultiPackIndex>& indexes,
                   const std::vector<PackFolder>& folders, const Storage& storage,
                   const LinkLedger& ledger, const std::optional<BitmapTruthOptions>& truth,
                   const Policy& policy, FindingSink& findings) {
  BitmapChecker checker(storage, ledger, truth, policy, findings);
  for (const StoredMultiPackIndex& stored : indexes) {
    for (std::size_t layer = stored.layers.size(); layer-- > 0;) {
      checker.check_layer(stored, layer);
    }
  }
  const PacksByPath packs = packs_by_path(storage);
  for (const PackFolder& folder : folders) {
    for (const std::string& stem : folder.stems()) {
      if (!folder.has(stem, ".bitmap")) continue;
      const auto pack = packs.find(folder.shown + "/" + stem + ".pack");
      checker.check_pack(folder, stem, pack == packs.end() ? nullptr : pack->second);
    }
  }
}

}  // namespace assay
