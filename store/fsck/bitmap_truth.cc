#include "store/fsck/bitmap_truth.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "store/object/commit.h"
#include "store/object/tree_entry.h"
#include "store/odb/object_database.h"
#include "store/run/workers.h"

namespace assay {
namespace {

constexpr std::uint32_t kNoBit = ~std::uint32_t{0};
constexpr std::uint64_t kLargestTree = std::uint64_t{1} << 30;

// Some of the bitmaps of a file, as many as there is memory for: for every object a row that says
// which of them hold it, and a row that says in which of them something links to it.
class Batch {
 public:
  using Word = std::atomic<std::uint64_t>;

  Batch(const BitmapRows& rows, const std::vector<std::uint32_t>& bits, const Storage& storage,
        const LinkLedger& ledger, std::uint32_t first, std::uint32_t count)
      : rows_(rows),
        bits_(bits),
        storage_(storage),
        ledger_(ledger),
        first_(first),
        count_(count),
        words_((count + 63) / 64),
        holds_(rows.numbers.size() * words_),
        linked_(std::make_unique<Word[]>(holds_.size())),
        unknown_(words_) {}

  void run(const ObjectDatabase& database, unsigned threads, std::vector<WrongBitmap>& wrong);

 private:
  void read_links(std::uint32_t bit, ObjectReader& reader);
  void link(std::uint32_t from, const std::uint8_t* raw_id);
  void note(std::size_t word, std::uint64_t entries, const ObjectId& object, bool reaches);
  const std::uint64_t* row(std::uint32_t bit) const { return &holds_[bit * words_]; }
  ObjectId id_of_bit(std::uint32_t bit) const { return storage_.table().id(rows_.numbers[bit]); }

  const BitmapRows& rows_;
  const std::vector<std::uint32_t>& bits_;  // by object number
  const Storage& storage_;
  const LinkLedger& ledger_;
  std::uint32_t first_;
  std::uint32_t count_;
  std::size_t words_;
  std::vector<std::uint64_t> holds_;
  std::unique_ptr<Word[]> linked_;
  std::vector<Word> unknown_;  // bitmaps that hold an object whose links are not known
  std::mutex mutex_;
  std::map<std::uint32_t, WrongBitmap> wrong_;  // guarded by mutex_ while workers run
};

void Batch::run(const ObjectDatabase& database, unsigned threads, std::vector<WrongBitmap>& wrong) {
  rows_.read(first_, count_, [this](std::uint32_t entry, std::uint32_t bit) {
    holds_[bit * words_ + (entry - first_) / 64] |= std::uint64_t{1} << (entry - first_) % 64;
  });
  const std::size_t size = rows_.numbers.size();
  std::atomic<std::size_t> next{0};
  run_workers(threads, [&](unsigned) {
    // Neighbours in a pack share their delta bases.
    constexpr std::size_t kShare = 4096;
    ObjectReader reader(database);
    for (std::size_t begin; (begin = next.fetch_add(kShare)) < size;) {
      const std::size_t end = std::min(begin + kShare, size);
      for (std::size_t bit = begin; bit < end; ++bit) {
        read_links(static_cast<std::uint32_t>(bit), reader);
      }
    }
  });
  // The commits themselves are linked to by nothing in their bitmaps.
  for (std::uint32_t entry = first_; entry < first_ + count_; ++entry) {
    const std::uint32_t bit = rows_.commit_bits[entry];
    const std::size_t word = (entry - first_) / 64;
    const std::uint64_t one = std::uint64_t{1} << (entry - first_) % 64;
    linked_[bit * words_ + word] |= one;
    if ((row(bit)[word] & one) == 0) note(word, one, id_of_bit(bit), true);
  }
  for (std::uint32_t bit = 0; bit < size; ++bit) {
    if (rows_.numbers[bit] == ObjectTable::kAbsent) continue;
    for (std::size_t word = 0; word < words_; ++word) {
      const std::uint64_t extra = row(bit)[word] & ~linked_[bit * words_ + word];
      if (extra != 0) note(word, extra, id_of_bit(bit), false);
    }
  }
  for (auto& [entry, fault] : wrong_) {
    const std::uint64_t unknown = unknown_[(entry - first_) / 64];
    if ((unknown >> (entry - first_) % 64 & 1) == 0) wrong.push_back(fault);
  }
}

void Batch::read_links(std::uint32_t bit, ObjectReader& reader) {
  const std::uint64_t* own = row(bit);
  if (std::all_of(own, own + words_, [](std::uint64_t word) { return word == 0; })) return;
  const std::uint32_t number = rows_.numbers[bit];
  const ObjectType type =
      number == ObjectTable::kAbsent ? ObjectType::kUnknown : ledger_.present_type(number);
  // Commits lead to no tags, so one in a bitmap is too much, whatever it links to.
  if (type == ObjectType::kBlob || type == ObjectType::kTag) return;
  const auto give_up = [&] {
    for (std::size_t word = 0; word < words_; ++word) unknown_[word] |= own[word];
  };
  if (type != ObjectType::kCommit && type != ObjectType::kTree) return give_up();
  const ObjectId id = storage_.table().id(number);
  const auto object = reader.read(id, kLargestTree);
  if (!object || object->type != type) return give_up();
  if (type == ObjectType::kCommit) {
    const auto commit = parse_commit(object->content, id);
    if (!commit) return give_up();
    link(bit, commit->tree.data());
    for (const ObjectId& parent : commit->parents) link(bit, parent.data());
    return;
  }
  ByteView rest(object->content);
  TreeEntry entry;
  while (!rest.empty()) {
    if (!parse_tree_entry(rest, storage_.kind(), entry)) return give_up();
    if (entry_kind(entry.mode) != TreeObjectKind::kGitlink) link(bit, entry.id);
    rest = rest.subspan(entry.size);
  }
}

void Batch::link(std::uint32_t from, const std::uint8_t* raw_id) {
  const std::uint64_t* own = row(from);
  const std::uint32_t number = storage_.table().find(raw_id);
  const std::uint32_t to = number == ObjectTable::kAbsent ? kNoBit : bits_[number];
  for (std::size_t word = 0; word < words_; ++word) {
    if (own[word] == 0) continue;
    const std::uint64_t lacking = to == kNoBit ? own[word] : own[word] & ~row(to)[word];
    if (lacking != 0) note(word, lacking, ObjectId::from_raw(raw_id, storage_.kind()), true);
    if (to == kNoBit) continue;
    Word& linked = linked_[to * words_ + word];
    // Most links say nothing new; reading does not take the line away from the other threads.
    if ((own[word] & ~linked.load(std::memory_order_relaxed)) != 0) {
      linked.fetch_or(own[word], std::memory_order_relaxed);
    }
  }
}

void Batch::note(std::size_t word, std::uint64_t entries, const ObjectId& object, bool reaches) {
  const std::lock_guard lock(mutex_);
  for (; entries != 0; entries &= entries - 1) {
    const auto entry = first_ + static_cast<std::uint32_t>(
                                    64 * word + static_cast<unsigned>(__builtin_ctzll(entries)));
    const auto [place, added] = wrong_.try_emplace(entry, WrongBitmap{entry, object, reaches});
    if (!added && object < place->second.object) place->second = {entry, object, reaches};
  }
}

}  // namespace

std::vector<WrongBitmap> find_wrong_bitmaps(const BitmapRows& rows, const Storage& storage,
                                            const LinkLedger& ledger,
                                            const BitmapTruthOptions& options) {
  const ObjectDatabase database(storage.system(), storage.directories(), storage.kind());
  std::vector<std::uint32_t> bits(storage.table().size(), kNoBit);
  for (std::uint32_t bit = 0; bit < rows.numbers.size(); ++bit) {
    if (rows.numbers[bit] != ObjectTable::kAbsent) bits[rows.numbers[bit]] = bit;
  }
  // Two bits for each object and bitmap.
  const std::uint64_t words =
      std::max<std::uint64_t>(options.memory / (16 * (rows.numbers.size() + 1)), 1);
  const auto total = static_cast<std::uint32_t>(rows.commit_bits.size());
  std::vector<WrongBitmap> wrong;
  for (std::uint64_t first = 0; first < total; first += 64 * words) {
    const auto count =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(64 * words, total - first));
    Batch(rows, bits, storage, ledger, static_cast<std::uint32_t>(first), count)
        .run(database, options.threads, wrong);
  }
  return wrong;
}

}  // namespace assay
