#include "tools/cat_file/object_format.h"

#include <fmt/format.h>

namespace assay::tools {

tl::expected<ObjectFormat, std::string> ObjectFormat::parse(std::string_view text) {
  static constexpr std::pair<std::string_view, Atom> kAtoms[] = {
      {"objectname", Atom::kName}, {"objecttype", Atom::kType},
      {"objectsize", Atom::kSize}, {"objectsize:disk", Atom::kDiskSize},
      {"objectmode", Atom::kMode}, {"deltabase", Atom::kDeltaBase},
      {"rest", Atom::kRest},
  };
  ObjectFormat format;
  const auto add_text = [&](std::string_view more) {
    if (format.parts_.empty() || format.parts_.back().atom != Atom::kText) {
      format.parts_.push_back({Atom::kText, {}});
    }
    format.parts_.back().text += more;
  };
  while (!text.empty()) {
    const std::size_t percent = std::min(text.find('%'), text.size());
    if (percent > 0) add_text(text.substr(0, percent));
    text.remove_prefix(percent);
    if (text.empty()) break;
    text.remove_prefix(1);
    if (!text.starts_with('(')) {  // "%%", or a percent sign alone
      add_text("%");
      if (text.starts_with('%')) text.remove_prefix(1);
      continue;
    }
    const std::size_t end = text.find(')');
    if (end == std::string_view::npos) {
      return tl::unexpected(
          fmt::format("bad cat-file format: element '{}' does not end in ')'", text));
    }
    const std::string_view name = text.substr(1, end - 1);
    const Part* added = nullptr;
    for (const auto& [atom_name, atom] : kAtoms) {
      if (atom_name != name) continue;
      format.parts_.push_back({atom, {}});
      added = &format.parts_.back();
    }
    if (added == nullptr) {
      return tl::unexpected(fmt::format("bad cat-file format: %({})", name));
    }
    format.uses_rest_ |= added->atom == Atom::kRest;
    format.uses_info_ |=
        added->atom != Atom::kRest && added->atom != Atom::kName && added->atom != Atom::kMode;
    text.remove_prefix(end + 1);
  }
  return format;
}

void ObjectFormat::expand(const FormatValues& values, std::string& line) const {
  for (const Part& part : parts_) {
    switch (part.atom) {
      case Atom::kText:
        line += part.text;
        break;
      case Atom::kName:
        line += values.id.hex();
        break;
      case Atom::kType:
        line += type_name(values.info.type);
        break;
      case Atom::kSize:
        line += std::to_string(values.info.size);
        break;
      case Atom::kDiskSize:
        line += std::to_string(values.info.disk_size);
        break;
      case Atom::kMode:
        if (values.mode) line += fmt::format("{:06o}", *values.mode);
        break;
      case Atom::kDeltaBase:
        line += values.info.delta_base.value_or(ObjectId::null(values.id.kind())).hex();
        break;
      case Atom::kRest:
        line += values.rest;
        break;
    }
  }
}

}  // namespace assay::tools
