// MessageSet: the messages that a benchmark of SHA-1 hashes: noise, of one size or of many.
//
// All of them lie in one pool of at most 512 KiB (of twice the longest message, where that is
// more), so that the second-level cache holds them as it holds objects that were just inflated.
// Where they do not all fit, they overlap, but begin at different places, so that no two lanes read
// the same bytes at the same time. A set is the same on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::tools {

using Message = std::span<const std::uint8_t>;

class MessageSet {
 public:
  // Messages of `size` bytes each.
  static MessageSet of_size(std::uint64_t size);

  // Messages of sizes as in git repositories, in random order; `name` is one of mix_names().
  static MessageSet of_mix(std::string_view name);

  MessageSet(MessageSet&&) = default;
  MessageSet& operator=(MessageSet&&) = default;

  // What follows the last slash of the names of the rows: the size or the name of the mix.
  const std::string& name() const { return name_; }
  bool is_mix() const { return is_mix_; }
  std::span<const Message> messages() const { return messages_; }
  std::uint64_t total_bytes() const { return total_; }
  double mean_bytes() const {
    return static_cast<double>(total_) / static_cast<double>(messages_.size());
  }

 private:
  MessageSet(std::string name, bool is_mix, const std::vector<std::uint64_t>& sizes);

  std::string name_;
  bool is_mix_;
  std::vector<std::uint8_t> pool_;
  std::vector<Message> messages_;  // into the pool, whose storage does not move with the set
  std::uint64_t total_ = 0;
};

// "mix_250", "mix_700", "mix_2000" (sizes spread log-normally around that median, as small objects
// are) and "mix_tail" (the middle one, and one of fifty is up to 256 KiB: most bytes are in few
// objects).
std::span<const std::string_view> mix_names();

}  // namespace assay::tools
