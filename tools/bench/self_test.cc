// `assay bench --list` and `assay bench --self-test`.

#include <fmt/format.h>

#include <algorithm>

#include "fixtures/collision_pairs.h"
#include "fixtures/noise/noise.h"
#include "sha1/batch.h"
#include "store/base/object_id.h"
#include "tools/bench/bench.h"
#include "tools/bench/implementation.h"
#include "tools/bench/known_answers.h"
#include "tools/bench/rivals.h"

namespace assay::tools {
namespace {

using Text = std::vector<std::uint8_t>;

Text bytes_of_hex(std::string_view hex) {
  Text bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(
        static_cast<std::uint8_t>(hex_digit_value(hex[i]) << 4 | hex_digit_value(hex[i + 1])));
  }
  return bytes;
}

// The messages of the self-test: the published ones, then noise of all short lengths and of lengths
// around some multiples of the block.
struct Questions {
  std::vector<Text> texts;
  std::vector<Message> messages;
  std::vector<std::string_view> answers;  // in hex, of the first messages
};

Questions make_questions() {
  Questions questions;
  for (const KnownAnswer& known : kKnownAnswers) {
    Text text;
    for (unsigned i = 0; i < known.times; ++i) {
      text.insert(text.end(), known.text.begin(), known.text.end());
    }
    questions.texts.push_back(std::move(text));
    questions.answers.push_back(known.digest);
  }
  questions.texts.push_back(bytes_of_hex(sha1::kShattered1));
  questions.answers.push_back(sha1::kShatteredSha1);
  noise::Noise noise("self-test");
  for (std::size_t size = 0; size <= 300; ++size) questions.texts.push_back(noise.bytes(size));
  for (std::size_t blocks = 8; blocks <= 4096; blocks *= 2) {
    for (std::size_t size = 64 * blocks - 9; size <= 64 * blocks + 1; ++size) {
      questions.texts.push_back(noise.bytes(size));
    }
  }
  for (const Text& text : questions.texts) questions.messages.emplace_back(text);
  return questions;
}

// Returns: how many digests are wrong. `expected` is what others said, and is filled by the first.
std::size_t count_wrong(const Questions& questions, Implementation& implementation,
                        std::vector<sha1::Digest>& expected) {
  std::vector<sha1::Digest> digests(questions.messages.size());
  implementation.hash(questions.messages, digests);
  if (expected.empty()) expected = digests;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const bool right = i < questions.answers.size() ? to_hex(digests[i]) == questions.answers[i]
                                                    : digests[i] == expected[i];
    if (!right) ++wrong;
  }
  return wrong;
}

// Whether the kernels see the published collision, alone and in a batch, and nothing else.
bool sees_collision(const sha1::Kernels& kernels, const Questions& questions) {
  const std::size_t which = std::size(kKnownAnswers);
  std::vector<sha1::Job> jobs(questions.messages.size());
  sha1::Batch batch(kernels);
  sha1::Hasher hasher(sha1::Detect::kOn, kernels);
  bool right = true;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    hasher.update(questions.messages[i]);
    right = right && hasher.finish().collision == (i == which);
    jobs[i].body = questions.messages[i].data();
    jobs[i].body_size = questions.messages[i].size();
    batch.submit(&jobs[i]);
  }
  batch.finish();
  while (batch.poll() != nullptr) {
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    right = right && jobs[i].collision == (i == which);
  }
  return right;
}

bool check_rc4(Context& context) {
  bool all_right = true;
  for (const noise::Rc4Kernel& kernel : noise::rc4_kernels()) {
    // RFC 6229, 40-bit key, offset 4080; the stream is taken in pieces of odd lengths.
    const std::uint8_t key[] = {1, 2, 3, 4, 5};
    noise::Rc4 rc4(key, kernel);
    std::uint8_t stream[4096];
    for (std::size_t at = 0; at < sizeof stream;) {
      const std::size_t size = std::min<std::size_t>(1 + at % 97, sizeof stream - at);
      rc4.fill({stream + at, size});
      at += size;
    }
    const bool right = to_hex({stream + 4080, 16}) == "068326a2118416d21f9d04b2cd1ca050";
    context.out.write(fmt::format("rc4/{:<26} {}\n", kernel.name, right ? "ok" : "WRONG"));
    all_right = all_right && right;
  }
  return all_right;
}

}  // namespace

int list_implementations(Context& context) {
  context.out.write(
      fmt::format("{:<18} {:>5}  {:<8} {}\n", "SHA-1 kernel", "lanes", "here", "needs"));
  for (const sha1::Kernels& kernels : sha1::all_kernels()) {
    const bool usable = sha1::usable(kernels);
    std::string needs = sha1::cpu_feature_names(kernels.required);
    if (!usable) {
      needs += "; missing: " + sha1::cpu_feature_names(kernels.required & ~sha1::cpu_features());
    }
    context.out.write(fmt::format("{:<18} {:>5}  {:<8} {}\n", kernels.name,
                                  std::max(1U, kernels.lanes),
                                  &kernels == &sha1::best() ? "chosen"
                                  : usable                  ? "usable"
                                                            : "unusable",
                                  needs.empty() ? "nothing" : needs));
  }
  const std::string problem = sha1::describe_problem(sha1::process_choice());
  if (!problem.empty()) print_warning(context, problem);
  context.out.write("\nRC4:");
  for (const noise::Rc4Kernel& kernel : noise::rc4_kernels()) {
    context.out.write(fmt::format(" {}", kernel.name));
  }
  context.out.write("\n\n");
  const Rivals rivals = find_rivals();
  for (const auto& [name, version] : rivals.versions) {
    context.out.write(fmt::format("rival {:<12} {}\n", name, version));
  }
  for (const auto& [name, why] : rivals.absent) {
    context.out.write(fmt::format("rival {:<12} absent: {}\n", name, why));
  }
  return 0;
}

int run_self_test(Context& context) {
  const Questions questions = make_questions();
  std::vector<sha1::Digest> expected;
  bool all_right = true;
  const auto check = [&](Implementation& implementation) {
    const std::size_t wrong = count_wrong(questions, implementation, expected);
    std::string name = implementation.row_prefix();
    name.pop_back();
    context.out.write(
        wrong == 0
            ? fmt::format("{:<30} ok, {} digests\n", name, questions.messages.size())
            : fmt::format("{:<30} WRONG: {} of {}\n", name, wrong, questions.messages.size()));
    all_right = all_right && wrong == 0;
  };
  // The rivals first: what they say is expected of us.
  for (const auto& rival : find_rivals().implementations) check(*rival);
  for (const sha1::Kernels& kernels : sha1::all_kernels()) {
    if (!sha1::usable(kernels)) {
      context.out.write(
          fmt::format("{:<30} not tested: this processor cannot run it\n", kernels.name));
      continue;
    }
    for (const sha1::Detect detect : {sha1::Detect::kOff, sha1::Detect::kOn}) {
      check(*make_one(kernels, detect));
      if (kernels.lanes > 0) check(*make_batch(kernels, detect));
    }
    const bool sees = sees_collision(kernels, questions);
    context.out.write(fmt::format("{:<30} {}\n", kernels.name,
                                  sees ? "sees the known collision, and no other"
                                       : "WRONG: COLLISIONS ARE NOT SEEN RIGHTLY"));
    all_right = all_right && sees;
  }
  all_right = check_rc4(context) && all_right;
  context.out.write(all_right ? "all is well\n" : "SOMETHING IS WRONG\n");
  return all_right ? 0 : 1;
}

}  // namespace assay::tools
