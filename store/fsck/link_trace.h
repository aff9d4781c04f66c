// LinkTrace: the links of all trees, commits and tags as differences, so that the few questions
// about the graph that need them can be answered without reading anything again.
//
// A tree that was made from a delta base is recorded as runs of entries that it has in common with
// the base, and the targets of the others: about as many words as its delta has operations. On
// git's own repository (849,000 objects, 135 million links) that is some 14 MB.
//
// A record is a row of items in the order of the entries (of a commit: tree, then parents):
//   target        an object number, or kNoTarget for what has no object here (gitlink, no file)
//   kInherited|n  n entries of the base, from the one that the next item names
//
// Thread safety: one Writer a worker; take() and distrust() may be called by any; the rest after
// the workers joined.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace assay {

class LinkTrace {
 public:
  static constexpr std::uint32_t kNoBase = ~std::uint32_t{0};
  static constexpr std::uint32_t kInherited = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kNoTarget = kInherited - 1;

  // What one worker records. It gives up, and forgets everything, beyond `limit` words.
  class Writer {
   public:
    explicit Writer(std::size_t limit) : limit_(limit), open_(limit > 0) {}

    bool is_open() const { return open_; }
    void begin(std::uint32_t number, std::uint32_t base) {
      words_.push_back(number);
      words_.push_back(base);
      words_.push_back(0);
      begin_ = words_.size();
    }
    // Returns: where set_target() is to put the number of the target when it is known.
    std::size_t add_new() {
      words_.push_back(kNoTarget);
      return words_.size() - 1;
    }
    void set_target(std::size_t place, std::uint32_t target) {
      if (open_) words_[place] = target;
    }
    void inherit(std::uint32_t first, std::uint32_t count) {
      words_.push_back(kInherited | count);
      words_.push_back(first);
    }
    void end();

   private:
    friend class LinkTrace;
    std::size_t limit_;
    bool open_;
    std::size_t begin_ = 0;
    std::vector<std::uint32_t> words_;
  };

  struct Record {
    bool known = false;
    std::uint32_t number = 0;
    std::uint32_t base = kNoBase;
    std::span<const std::uint32_t> items;
  };
  // Where a record lies: sweeps over all of them follow it, so that memory is read in its order.
  struct Place {
    std::uint32_t part = ~std::uint32_t{0};
    std::uint32_t offset = 0;
  };

  void take(Writer&& writer);
  // What was recorded of this object, or from it as a base, came from a bad copy.
  void distrust(std::uint32_t number);

  // Makes record() answer for the numbers [0, count). To be called once everything is taken.
  void index(std::uint32_t count);
  bool has_record(std::uint32_t number) const { return places_[number].part != Place{}.part; }
  Record record(std::uint32_t number) const { return record_at(places_[number]); }
  Record record_at(Place place) const;
  // The records that can be used, bases before what was made from them.
  const std::vector<Place>& in_order() const { return order_; }

 private:
  const std::uint32_t* words_at(Place place) const {
    return parts_[place.part].data() + place.offset;
  }

  std::mutex mutex_;
  std::vector<std::vector<std::uint32_t>> parts_;  // guarded by mutex_ while workers run
  std::vector<std::uint32_t> distrusted_;          // likewise
  std::vector<Place> places_;                      // by object number
  std::vector<Place> order_;
};

}  // namespace assay
