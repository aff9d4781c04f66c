#include "store/fsck/link_trace.h"

#include <utility>

namespace assay {
namespace {

constexpr std::size_t kHeadWords = 3;  // number, base, count of items
constexpr std::uint32_t kNoPart = ~std::uint32_t{0};

}  // namespace

void LinkTrace::Writer::end() {
  words_[begin_ - 1] = static_cast<std::uint32_t>(words_.size() - begin_);
  if (words_.size() <= limit_) return;
  open_ = false;
  std::vector<std::uint32_t>().swap(words_);
}

void LinkTrace::take(Writer&& writer) {
  const std::lock_guard lock(mutex_);
  if (!writer.words_.empty()) parts_.push_back(std::move(writer.words_));
  writer.words_.clear();
}

void LinkTrace::distrust(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  distrusted_.push_back(number);
}

void LinkTrace::index(std::uint32_t count) {
  places_.assign(count, Place{});
  order_.clear();
  std::size_t records = 0;
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    const std::vector<std::uint32_t>& words = parts_[part];
    for (std::size_t at = 0; at < words.size(); at += kHeadWords + words[at + 2], ++records) {
      places_[words[at]] = {part, static_cast<std::uint32_t>(at)};
    }
  }
  for (const std::uint32_t number : distrusted_) places_[number].part = kNoPart;
  order_.reserve(records);
  // Bases first: climb from every object to the first base that has its place, then come back.
  std::vector<bool> placed(count, false);
  std::vector<std::uint32_t> chain;
  for (const std::vector<std::uint32_t>& words : parts_) {
    for (std::size_t record = 0; record < words.size(); record += kHeadWords + words[record + 2]) {
      std::uint32_t at = words[record];
      while (at != kNoBase && !placed[at] && places_[at].part != kNoPart) {
        placed[at] = true;
        chain.push_back(at);
        at = words_at(places_[at])[1];
      }
      const bool usable = at == kNoBase || places_[at].part != kNoPart;
      for (; !chain.empty(); chain.pop_back()) {
        Place& place = places_[chain.back()];
        if (usable) {
          order_.push_back(place);
        } else {
          place.part = kNoPart;  // its base cannot be known
        }
      }
    }
  }
}

LinkTrace::Record LinkTrace::record_at(Place place) const {
  if (place.part == kNoPart) return {};
  const std::uint32_t* words = words_at(place);
  return {true, words[0], words[1], {words + kHeadWords, words[2]}};
}

}  // namespace assay
