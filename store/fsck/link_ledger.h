// LinkLedger: what the links of all objects say about each object, shared by all workers.
//
// For every object: whether a good copy was seen and of which type; as which types others link to
// it. That is enough for dangling objects (no link, no root) and for links of the wrong type
// (expected types against the real one). Who links to whom is kept beside it as a LinkTrace.
//
// Which objects are unreachable is told by counting links and taking unreferenced objects away one
// by one. Few runs need it, so links are counted only in a pass of their own (start_counting), in
// which every tree is parsed in full.
//
// Thread safety: all functions; what is written by workers is read for decisions after they joined.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_set>
#include <vector>

#include "store/fsck/link_trace.h"
#include "store/fsck/object_table.h"

namespace assay {

// Identifies one copy of an object, and its place in the canonical order.
struct CopyKey {
  std::uint32_t file = 0;  // rank among all source files: loose ones first, then packs
  std::uint32_t item = 0;  // rank in the file
  friend auto operator<=>(const CopyKey&, const CopyKey&) = default;
};

// A link to an object of which no file exists.
struct MissingLink {
  std::uint32_t parent = 0;  // object number
  ObjectId target;
  ObjectType type = ObjectType::kUnknown;  // as the link says
};

class LinkLedger {
 public:
  explicit LinkLedger(const ObjectTable& table);

  const ObjectTable& table() const { return table_; }
  // What every object links to, as far as it was recorded.
  LinkTrace& trace() { return trace_; }

  // A good copy of the object was verified. Returns: false when it was known before.
  bool set_present(std::uint32_t number, ObjectType type);
  // The object was not read, and is taken for present until extend(): by then its file may have
  // been replaced, and it may turn out to be something else. Nothing happens if it is present.
  void assume_present(std::uint32_t number, ObjectType type);
  // Returns: kUnknown when no good copy was seen.
  ObjectType present_type(std::uint32_t number) const {
    return static_cast<ObjectType>(state_[number].load(std::memory_order_relaxed) & kTypeMask);
  }
  void forget_present(std::uint32_t number) {
    state_[number].fetch_and(static_cast<std::uint8_t>(~kTypeMask));
  }

  // Some copy is damaged in such a way that git dies when it reads it.
  void set_unreadable(std::uint32_t number) {
    state_[number].fetch_or(kUnreadable, std::memory_order_relaxed);
  }
  bool is_unreadable(std::uint32_t number) const {
    return (state_[number].load(std::memory_order_relaxed) & kUnreadable) != 0;
  }

  // The object is there, but cannot be parsed (Mode::kConnectivity alone tells the two apart).
  void set_unparsable(std::uint32_t number) {
    state_[number].fetch_or(kUnparsable, std::memory_order_relaxed);
  }
  bool is_unparsable(std::uint32_t number) const {
    return (state_[number].load(std::memory_order_relaxed) & kUnparsable) != 0;
  }

  // Copies whose bytes are not those of their object: nothing of theirs may be entered. There may
  // be a good copy elsewhere.
  void add_bad_copies(const std::vector<CopyKey>& copies);
  // Requires: the pass that adds them has ended.
  bool is_bad_copy(const CopyKey& copy) const {
    return !bad_copies_.empty() && bad_copies_.contains(copy);
  }

  // Returns: true for the first copy that asks: its links are the ones that count.
  bool claim_links(std::uint32_t number) {
    return (state_[number].fetch_or(kLinksClaimed, std::memory_order_relaxed) & kLinksClaimed) == 0;
  }
  bool links_claimed(std::uint32_t number) const {
    return (state_[number].load(std::memory_order_relaxed) & kLinksClaimed) != 0;
  }

  // One link to an object of the table.
  void add_link(std::uint32_t target, ObjectType as_type) {
    const auto bit = static_cast<std::uint8_t>(1u << static_cast<unsigned>(as_type));
    std::atomic<std::uint8_t>& expected = expected_[target];
    // Test first: a bit that is set already (nearly always) must not fight over the cache line.
    if ((expected.load(std::memory_order_relaxed) & bit) == 0) {
      expected.fetch_or(bit, std::memory_order_relaxed);
    }
    if (counts_ != nullptr) counts_[target].fetch_add(1, std::memory_order_relaxed);
  }
  bool is_expected_as(std::uint32_t number, ObjectType type) const {
    return (expected_[number].load(std::memory_order_relaxed) >> static_cast<unsigned>(type) & 1) !=
           0;
  }
  // True when some link names the object as something it is not.
  bool is_disputed(std::uint32_t number) const;
  bool has_links(std::uint32_t number) const {
    return expected_[number].load(std::memory_order_relaxed) != 0;
  }
  // Takes back a link that names the target as what it is not. Requires: counting().
  void remove_link(std::uint32_t target, ObjectType type) {
    expected_[target].fetch_and(static_cast<std::uint8_t>(~(1u << static_cast<unsigned>(type))),
                                std::memory_order_relaxed);
    take_back_link(target);
  }
  bool counting() const { return counts_ != nullptr; }
  // Returns: links that are left after this one was taken back. Requires: counting().
  std::uint32_t take_back_link(std::uint32_t target) {
    return counts_[target].fetch_sub(1, std::memory_order_relaxed) - 1;
  }

  // Lists of one worker go in as a whole.
  void add_missing(std::vector<MissingLink>&& links);
  const std::vector<MissingLink>& missing() const { return missing_; }

  // The loose file of the object was listed but is no more: no fault, git removes what it has
  // packed. If no other copy is good, the object lies in a newer pack or nowhere.
  void add_vanished(std::uint32_t number);
  const std::vector<std::uint32_t>& vanished() const { return vanished_; }

  // An entry of the pack (a rank in Storage::files()) cannot be read though others are made from
  // it: git, having failed at those, takes the object for missing from this pack.
  void add_bad_base(std::uint32_t file, std::uint32_t number);
  bool has_bad_bases() const { return !bad_bases_.empty(); }
  bool is_bad_base(std::uint32_t file, std::uint32_t number) const {
    return has_bad_bases() && bad_bases_.contains(key_of(file, number));
  }

  // Forgets all links, but not which objects are present: a pass over the present objects is to
  // enter them again, counting.
  void start_counting();

  // The table has grown: links to what was missing count now. Links are no longer counted.
  void extend();
  // Forgets missing links for which the function says so. `gone(const MissingLink&)`.
  template <typename Function>
  void forget_missing(Function gone) {
    std::erase_if(missing_, gone);
  }

  // Links to these objects are noted one by one from now on (before a counting pass).
  void watch(std::vector<std::uint32_t> numbers);
  bool is_watched(std::uint32_t number) const {
    return !watched_.empty() && watched_.contains(number);
  }
  struct WatchedLink {
    std::uint32_t parent;
    std::uint32_t target;
    ObjectType type;
  };
  void add_watched(const WatchedLink& link);
  std::vector<WatchedLink> take_watched();

 private:
  static constexpr std::uint8_t kTypeMask = 7;
  static constexpr std::uint8_t kLinksClaimed = 8;
  static constexpr std::uint8_t kUnreadable = 16;
  static constexpr std::uint8_t kUnparsable = 32;

  static std::uint64_t key_of(std::uint32_t file, std::uint32_t number) {
    return std::uint64_t{file} << 32 | number;
  }

  const ObjectTable& table_;
  std::uint32_t size_;  // of the table, as far as there is room here
  std::unique_ptr<std::atomic<std::uint8_t>[]> state_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> expected_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> counts_;
  LinkTrace trace_;
  std::mutex mutex_;
  std::vector<MissingLink> missing_;        // guarded by mutex_ while workers run
  std::vector<WatchedLink> watched_links_;  // guarded by mutex_
  std::vector<std::uint32_t> vanished_;     // guarded by mutex_ while workers run
  std::vector<std::uint32_t> assumed_;
  std::unordered_set<std::uint64_t> bad_bases_;  // guarded by mutex_ while workers run
  std::unordered_set<std::uint32_t> watched_;
  std::set<CopyKey> bad_copies_;  // guarded by mutex_ while workers run
};

}  // namespace assay
