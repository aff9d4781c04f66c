// Implementation: one way to hash messages with SHA-1, ours or a rival's, as a benchmark row.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sha1/sha1.h"
#include "tools/bench/messages.h"
#include "tools/bench/turns.h"

namespace assay::tools {

class Implementation {
 public:
  virtual ~Implementation() = default;

  // Hashes every message; digests[i] is that of messages[i]. Requires: as many digests.
  virtual void hash(std::span<const Message> messages, std::span<sha1::Digest> digests) = 0;

  // Hashes the messages `times` times. A batch is emptied at the end only, as that of fsck is.
  virtual void hash_repeatedly(std::span<const Message> messages, std::span<sha1::Digest> digests,
                               std::uint64_t times) {
    for (; times > 0; --times) hash(messages, digests);
  }

  // Hashes the one message that consists of `piece` again and again, given piece by piece.
  virtual sha1::Digest hash_stream(Message piece, std::uint64_t pieces) = 0;

  const std::string& name() const { return name_; }  // of the kernel or rival: "portable"
  bool is_batch() const { return is_batch_; }        // all messages at once, in lanes
  bool detecting() const { return detecting_; }      // looks for collision attacks
  bool is_rival() const { return is_rival_; }

  // "sha1/batch/avx512_x16/detect/"; the name of the messages follows.
  std::string row_prefix() const;

 protected:
  Implementation(std::string_view name, bool is_batch, bool detecting, bool is_rival)
      : name_(name), is_batch_(is_batch), detecting_(detecting), is_rival_(is_rival) {}

 private:
  std::string name_;
  bool is_batch_;
  bool detecting_;
  bool is_rival_;
};

using Implementations = std::vector<std::unique_ptr<Implementation>>;

// One message after the other through sha1::Hasher. Requires: the kernels are usable here.
std::unique_ptr<Implementation> make_one(const sha1::Kernels& kernels, sha1::Detect detect);

// All messages through sha1::Batch. Requires: the kernels are usable here and have lanes.
std::unique_ptr<Implementation> make_batch(const sha1::Kernels& kernels, sha1::Detect detect);

// Returns: whether the row of the table of kernels is there only to be compared with (old code,
// scalar assembly): those behind "portable".
bool is_for_comparison(const sha1::Kernels& kernels);

// The implementation hashing the messages of the set, as a contestant. Borrows everything; there
// must be as many digests as messages. Messages are hashed all at once in batches and mixes (whose
// messages take different times), otherwise one after the other, as many as there are operations.
Contestant make_contestant(Implementation& implementation, const MessageSet& set,
                           std::span<sha1::Digest> digests);

}  // namespace assay::tools
