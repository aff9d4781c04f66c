#include "tools/bench/implementation.h"

#include <algorithm>

#include "sha1/batch.h"

namespace assay::tools {
namespace {

class One final : public Implementation {
 public:
  One(const sha1::Kernels& kernels, sha1::Detect detect)
      : Implementation(kernels.name, false, detect == sha1::Detect::kOn, false),
        kernels_(kernels),
        detect_(detect) {}

  void hash(std::span<const Message> messages, std::span<sha1::Digest> digests) override {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      digests[i] = sha1::digest_of(messages[i], detect_, kernels_).digest;
      touch_memory(&digests[i]);
    }
  }

  sha1::Digest hash_stream(Message piece, std::uint64_t pieces) override {
    sha1::Hasher hasher(detect_, kernels_);
    for (; pieces > 0; --pieces) {
      hasher.update(piece);
      touch_memory(piece.data());
    }
    return hasher.finish().digest;
  }

 private:
  const sha1::Kernels& kernels_;
  sha1::Detect detect_;
};

class Many final : public Implementation {
 public:
  Many(const sha1::Kernels& kernels, sha1::Detect detect)
      : Implementation(kernels.name, true, detect == sha1::Detect::kOn, false),
        batch_(kernels, detect) {}

  void hash(std::span<const Message> messages, std::span<sha1::Digest> digests) override {
    hash_repeatedly(messages, digests, 1);
  }

  void hash_repeatedly(std::span<const Message> messages, std::span<sha1::Digest> digests,
                       std::uint64_t times) override {
    for (; times > 0; --times) submit(messages, digests);
    batch_.finish();
    settle(digests);
    touch_memory(digests.data());
  }

  // A job is not given in pieces: they are put together first.
  sha1::Digest hash_stream(Message piece, std::uint64_t pieces) override {
    std::vector<std::uint8_t> text;
    for (; pieces > 0; --pieces) text.insert(text.end(), piece.begin(), piece.end());
    const Message message(text);
    sha1::Digest digest;
    hash({&message, 1}, {&digest, 1});
    return digest;
  }

 private:
  void submit(std::span<const Message> messages, std::span<sha1::Digest> digests) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      Numbered& job = take();
      job.number = i;
      job.body = messages[i].data();
      job.body_size = messages[i].size();
      batch_.submit(&job);
      settle(digests);
    }
  }

  struct Numbered : sha1::Job {
    std::size_t number = 0;
  };

  // Jobs are used again, the last first, as fsck does.
  Numbered& take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Numbered>());
      free_.push_back(all_.back().get());
    }
    Numbered* job = free_.back();
    free_.pop_back();
    return *job;
  }

  void settle(std::span<sha1::Digest> digests) {
    while (sha1::Job* done = batch_.poll()) {
      auto* job = static_cast<Numbered*>(done);
      digests[job->number] = job->digest;
      free_.push_back(job);
    }
  }

  sha1::Batch batch_;
  std::vector<std::unique_ptr<Numbered>> all_;
  std::vector<Numbered*> free_;
};

}  // namespace

std::string Implementation::row_prefix() const {
  return std::string("sha1/") + (is_batch_ ? "batch/" : "one/") + name_ +
         (detecting_ ? "/detect/" : "/plain/");
}

bool is_for_comparison(const sha1::Kernels& kernels) {
  return &kernels > sha1::find_kernels("portable");
}

Contestant make_contestant(Implementation& implementation, const MessageSet& set,
                           std::span<sha1::Digest> digests) {
  Contestant contestant;
  contestant.name = implementation.row_prefix() + set.name();
  contestant.bytes = set.mean_bytes();
  const auto messages = set.messages();
  if (implementation.is_batch() || set.is_mix()) {
    contestant.unit = messages.size();
    contestant.call = [&implementation, messages, digests](std::uint64_t calls) {
      implementation.hash_repeatedly(messages, digests, calls);
    };
    return contestant;
  }
  contestant.call = [&implementation, messages, digests,
                     at = std::size_t{0}](std::uint64_t calls) mutable {
    while (calls > 0) {
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(calls, messages.size() - at));
      implementation.hash(messages.subspan(at, count), digests.subspan(at, count));
      at = (at + count) % messages.size();
      calls -= count;
    }
  };
  return contestant;
}

std::unique_ptr<Implementation> make_one(const sha1::Kernels& kernels, sha1::Detect detect) {
  return std::make_unique<One>(kernels, detect);
}

std::unique_ptr<Implementation> make_batch(const sha1::Kernels& kernels, sha1::Detect detect) {
  return std::make_unique<Many>(kernels, detect);
}

}  // namespace assay::tools
