#include "store/fsck/link_ledger.h"

#include <bit>
#include <utility>

namespace assay {

LinkLedger::LinkLedger(const ObjectTable& table)
    : table_(table),
      size_(table.size()),
      state_(std::make_unique<std::atomic<std::uint8_t>[]>(table.size())),
      expected_(std::make_unique<std::atomic<std::uint8_t>[]>(table.size())) {}

bool LinkLedger::set_present(std::uint32_t number, ObjectType type) {
  const auto value = static_cast<std::uint8_t>(type);
  return (state_[number].fetch_or(value, std::memory_order_relaxed) & kTypeMask) == 0;
}

void LinkLedger::assume_present(std::uint32_t number, ObjectType type) {
  if (present_type(number) != ObjectType::kUnknown) return;
  set_present(number, type);
  assumed_.push_back(number);
}

bool LinkLedger::is_disputed(std::uint32_t number) const {
  const unsigned expected = expected_[number].load(std::memory_order_relaxed);
  const ObjectType type = present_type(number);
  if (type == ObjectType::kUnknown) return std::popcount(expected) > 1;
  return (expected & ~(1u << static_cast<unsigned>(type))) != 0;
}

void LinkLedger::add_missing(std::vector<MissingLink>&& links) {
  const std::lock_guard lock(mutex_);
  missing_.insert(missing_.end(), std::make_move_iterator(links.begin()),
                  std::make_move_iterator(links.end()));
  links.clear();
}

void LinkLedger::add_bad_base(std::uint32_t file, std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  bad_bases_.insert(key_of(file, number));
}

void LinkLedger::add_vanished(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  vanished_.push_back(number);
}

void LinkLedger::add_bad_copies(const std::vector<CopyKey>& copies) {
  const std::lock_guard lock(mutex_);
  bad_copies_.insert(copies.begin(), copies.end());
}

void LinkLedger::start_counting() {
  missing_.clear();
  for (std::uint32_t i = 0; i < table_.size(); ++i) {
    state_[i].fetch_and(static_cast<std::uint8_t>(~kLinksClaimed), std::memory_order_relaxed);
    expected_[i].store(0, std::memory_order_relaxed);
  }
  counts_ = std::make_unique<std::atomic<std::uint32_t>[]>(table_.size());
}

void LinkLedger::extend() {
  for (const std::uint32_t number : assumed_) forget_present(number);
  assumed_.clear();
  const auto grow = [this](std::unique_ptr<std::atomic<std::uint8_t>[]>& array) {
    auto larger = std::make_unique<std::atomic<std::uint8_t>[]>(table_.size());
    for (std::uint32_t i = 0; i < size_; ++i) larger[i].store(array[i].load());
    array = std::move(larger);
  };
  grow(state_);
  grow(expected_);
  counts_.reset();
  size_ = table_.size();
  forget_missing([this](const MissingLink& link) {
    const std::uint32_t number = table_.find(link.target);
    if (number == ObjectTable::kAbsent) return false;
    add_link(number, link.type);
    trace_.distrust(link.parent);  // which says that there is no such object
    return true;
  });
}

void LinkLedger::watch(std::vector<std::uint32_t> numbers) {
  watched_ = {numbers.begin(), numbers.end()};
}

void LinkLedger::add_watched(const WatchedLink& link) {
  const std::lock_guard lock(mutex_);
  watched_links_.push_back(link);
}

std::vector<LinkLedger::WatchedLink> LinkLedger::take_watched() {
  watched_.clear();
  return std::exchange(watched_links_, {});
}

}  // namespace assay
