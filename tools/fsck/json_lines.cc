#include "tools/fsck/json_lines.h"

#include <array>
#include <map>

#include "tools/common/version.h"

namespace assay::tools {
namespace {

JsonObject record(std::string_view kind) {
  JsonObject object;
  object.text("record", kind);
  return object;
}

std::string line(const JsonObject& object) { return object.str() + "\n"; }

JsonObject named_object(ObjectType type, const ObjectId& oid) {
  JsonObject object;
  if (type != ObjectType::kUnknown) object.text("type", type_name(type));
  object.text("oid", oid.hex());
  return object;
}

// What the finding adds to git's exit status; 0 for nothing.
unsigned exit_bit(const Finding& finding) {
  if (finding.severity < Severity::kError) return 0;
  return finding.bit == ExitBit::kBitDies ? 128 : static_cast<unsigned>(finding.bit);
}

}  // namespace

std::string_view severity_name(Severity severity) {
  static constexpr std::array<std::string_view, 5> kNames = {"ignore", "info", "warning", "error",
                                                             "fatal"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::string_view class_name(FaultClass klass) {
  static constexpr std::array<std::string_view, 3> kNames = {"integrity", "security", "cosmetic"};
  return kNames[static_cast<std::size_t>(klass)];
}

std::string json_run(std::string_view repository) {
  return line(record("run")
                  .text("schema", "assay-fsck")
                  .number("version", kJsonSchemaVersion)
                  .text("program", program_version())
                  .text("repository", repository));
}

JsonObject json_finding_fields(const Finding& finding) {
  const Message& row = message(finding.id);
  JsonObject object = record("finding");
  object.text("id", row.name)
      .text("class", class_name(row.klass))
      .text("severity", severity_name(finding.severity));
  if (const unsigned bit = exit_bit(finding); bit != 0) object.number("bit", bit);
  if (finding.type != ObjectType::kUnknown) object.text("type", type_name(finding.type));
  if (finding.oid) object.text("oid", finding.oid->hex());
  if (!finding.object_name.empty()) object.text("name", finding.object_name);
  if (finding.from) object.object("from", named_object(finding.from_type, *finding.from));
  if (!finding.ref.empty()) object.text("ref", finding.ref);
  if (!finding.file.empty()) object.text("file", finding.file);
  if (finding.offset != Fault::kNoOffset) object.number("offset", finding.offset);
  object.text("text", finding.text);
  if (!finding.causes.empty()) object.texts("cause", finding.causes);
  return object;
}

std::string json_finding(const Finding& finding) { return line(json_finding_fields(finding)); }

JsonObject json_summary_fields(const FsckStatistics& statistics, std::span<const Finding> counted,
                               int exit) {
  std::array<std::uint64_t, 5> severities{};
  std::map<std::string_view, std::uint64_t> ids;
  for (const Finding& finding : counted) {
    ++severities[static_cast<std::size_t>(finding.severity)];
    ++ids[message(finding.id).name];
  }
  JsonObject by_severity;
  for (const Severity severity :
       {Severity::kFatal, Severity::kError, Severity::kWarn, Severity::kInfo}) {
    by_severity.number(severity_name(severity), severities[static_cast<std::size_t>(severity)]);
  }
  JsonObject by_id;
  for (const auto& [name, count] : ids) by_id.number(name, count);
  JsonObject stages;
  for (const auto& stage : statistics.stages) stages.real(stage.name, stage.seconds, 6);
  const double share =
      statistics.cpu_seconds > 0 ? statistics.hash_seconds / statistics.cpu_seconds : 0;
  JsonObject object = record("summary");
  object.number("objects", statistics.objects)
      .number("bytes", statistics.object_bytes)
      .number("hashed_bytes", statistics.hashed_bytes)
      .number("packs", statistics.packs)
      .number("loose_objects", statistics.loose_objects)
      .object("findings", by_severity)
      .object("ids", by_id)
      .real("seconds", statistics.seconds, 6)
      .real("cpu_seconds", statistics.cpu_seconds, 6)
      .object("stage_seconds", stages)
      .real("sha1_share", share, 4)
      .text("hash", hash_name(statistics.hash))
      .text("kernel", statistics.kernel)
      .boolean("collision_detection", statistics.detecting)
      .number("threads", statistics.threads)
      .number("exit", static_cast<std::uint64_t>(exit));
  return object;
}

std::string json_failure(const Fault& fault, int exit) {
  JsonObject object = record("failure");
  object.text("id", message(fault.id).name).text("text", fault.text);
  if (!fault.causes.empty()) object.texts("cause", fault.causes);
  return line(object.number("exit", static_cast<std::uint64_t>(exit)));
}

}  // namespace assay::tools
