// Random numbers that are the same on every machine and in every run.
#pragma once

#include <random>

#include "store/base/bytes.h"

namespace assay::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t next() { return engine_(); }
  // Returns: a number in [0, limit). Requires: limit > 0.
  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
  // Returns: a number in [low, high].
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  Bytes bytes(std::size_t size) {
    Bytes result(size);
    for (std::uint8_t& byte : result) byte = static_cast<std::uint8_t>(engine_());
    return result;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace assay::testing
