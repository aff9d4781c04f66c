#include "tools/fsck/baseline.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/common/base64.h"
#include "tools/common/json_writer.h"
#include "tools/fsck/finding_key.h"
#include "tools/fsck/json_lines.h"

namespace assay::tools {
namespace {

// Takes the texts and numbers at the top of one object (and the id in "from"), builds nothing else.
class LineReading : public nlohmann::json_sax<nlohmann::json> {
 public:
  const std::unordered_map<std::string, std::string>& texts() const { return texts_; }
  const std::string& problem() const { return problem_; }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t number) override {
    if (depth_ == 1) texts_[key_] = std::to_string(number);
    return value();
  }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t& text) override {
    if (depth_ == 1) texts_[key_] = std::move(text);
    if (depth_ == 2 && outer_key_ == "from" && key_ == "oid") texts_["from"] = std::move(text);
    return value();
  }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return enter(); }
  bool start_array(std::size_t) override {
    if (depth_ == 0) return refuse("no JSON object");
    return enter();
  }
  bool key(string_t& name) override {
    if (depth_ == 1) outer_key_ = name;
    key_ = std::move(name);
    return true;
  }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return refuse(fmt::format("no JSON, at byte {}", position));
  }

 private:
  bool value() { return depth_ > 0 || refuse("no JSON object"); }
  bool enter() { return ++depth_ <= Baseline::kMaxDepth || refuse("nested too deep"); }
  bool leave() {
    --depth_;
    return true;
  }
  bool refuse(std::string text) {
    if (problem_.empty()) problem_ = std::move(text);
    return false;
  }

  std::unordered_map<std::string, std::string> texts_;
  std::string key_;
  std::string outer_key_;
  std::string problem_;
  int depth_ = 0;
};

using Texts = std::unordered_map<std::string, std::string>;

std::string text_of(const Texts& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? std::string() : found->second;
}

// Returns: the problem with the line, or nothing.
std::optional<std::string> read_fields(const Texts& texts, FindingFields& fields) {
  const std::pair<const char*, std::string*> names[] = {
      {"id", &fields.id},     {"oid", &fields.oid},   {"from", &fields.from},
      {"ref", &fields.ref},   {"file", &fields.file}, {"offset", &fields.offset},
      {"text", &fields.text},
  };
  for (const auto& [name, field] : names) {
    const auto encoded = texts.find(std::string(name) + "_base64");
    if (encoded == texts.end()) {
      *field = text_of(texts, name);
      continue;
    }
    const auto bytes = decode_base64(encoded->second);
    if (!bytes) return fmt::format("{}_base64 is no base64", name);
    *field = *bytes;
  }
  if (fields.id.empty()) return "a finding without id";
  return std::nullopt;
}

// An inconclusive run is never a known one.
bool is_of_the_moment(const Finding& finding) { return finding.bit == ExitBit::kBitInconclusive; }

Fault io_fault(std::string_view doing, const std::string& file, const os::Error& error) {
  return {MessageId::kIoError, fmt::format("cannot {} baseline {}: {}", doing, file, error.text())};
}

}  // namespace

Result<Baseline> Baseline::parse(std::string_view text, const std::string& file) {
  Baseline baseline;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const auto refuse = [&](std::string_view why) {
      return fault(MessageId::kConfigBad, fmt::format("baseline {}:{}: {}", file, number, why));
    };
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line[0] == '#') continue;
    if (line.size() > kMaxLineSize) {
      return refuse(fmt::format("longer than {} bytes", kMaxLineSize));
    }
    LineReading reading;
    if (!nlohmann::json::sax_parse(line, &reading)) return refuse(reading.problem());
    const std::string record = text_of(reading.texts(), "record");
    if (record.empty()) return refuse("no record of assay fsck --format=jsonl");
    if (record == "run") {
      const std::string version = text_of(reading.texts(), "version");
      if (version != std::to_string(kJsonSchemaVersion)) {
        return refuse(fmt::format("version {} of the schema is not known", version));
      }
    }
    if (record != "finding") continue;
    FindingFields fields;
    if (const auto problem = read_fields(reading.texts(), fields)) return refuse(*problem);
    baseline.entries_.try_emplace(key_of(fields), Entry{described(fields), number, false});
  }
  return baseline;
}

Result<Baseline> Baseline::read(os::System& system, const std::string& file, Origin origin) {
  const auto bytes = [&]() -> os::OsResult<Bytes> {
    if (origin == Origin::kConfig) {
      return os::read_regular_file(system, os::kCurrentDirectory, file, kMaxFileSize);
    }
    const auto fd = system.open(os::kCurrentDirectory, file, O_RDONLY);
    if (!fd) return tl::unexpected(fd.error());
    return os::read_all(system, fd->get(), kMaxFileSize);
  }();
  if (!bytes) return tl::unexpected<Fault>(io_fault("read", file, bytes.error()));
  return parse(as_text(*bytes), file);
}

bool Baseline::knows(const Finding& finding) {
  if (entries_.empty() || is_of_the_moment(finding)) return false;
  const auto found = entries_.find(key_of(fields_of(finding)));
  if (found == entries_.end()) return false;
  found->second.met = true;
  return true;
}

std::vector<std::string> Baseline::gone() const {
  std::vector<const Entry*> entries;
  for (const auto& [key, entry] : entries_) {
    if (!entry.met) entries.push_back(&entry);
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry* a, const Entry* b) { return a->line < b->line; });
  std::vector<std::string> descriptions;
  for (const Entry* entry : entries) descriptions.push_back(entry->description);
  return descriptions;
}

Result<void> write_baseline(os::System& system, const std::string& file,
                            std::string_view repository, const std::vector<Finding>& findings) {
  const std::string beside = file + ".new";
  const auto fd =
      system.open(os::kCurrentDirectory, beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666);
  if (!fd) return tl::unexpected<Fault>(io_fault("write", file, fd.error()));
  std::string text = json_run(repository);
  const auto flush = [&] {
    auto written = os::write_all(system, fd->get(), as_bytes(text));
    text.clear();
    return written;
  };
  constexpr std::size_t kEnough = std::size_t{64} << 10;
  os::OsResult<void> written;
  for (const Finding& finding : findings) {
    if (finding.severity < Severity::kWarn || is_of_the_moment(finding)) continue;
    text += json_finding(finding);
    if (text.size() > kEnough && written) written = flush();
  }
  if (written) written = flush();
  if (written) {
    written = system.rename(os::kCurrentDirectory, beside, os::kCurrentDirectory, file);
  }
  if (!written) {
    (void)system.remove(os::kCurrentDirectory, beside);
    return tl::unexpected<Fault>(io_fault("write", file, written.error()));
  }
  return {};
}

}  // namespace assay::tools
