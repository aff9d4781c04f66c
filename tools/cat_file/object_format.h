// ObjectFormat: the format of a line of `cat-file --batch`, parsed once.
//
// Atoms, as %(name): objectname objecttype objectsize objectsize:disk objectmode deltabase rest;
// %% is a percent sign.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/repository.h"

namespace assay::tools {

struct FormatValues {
  ObjectId id;
  ObjectInfo info;
  std::optional<std::uint32_t> mode;  // of the tree entry that led to the object
  std::string_view rest;              // of the input line
};

class ObjectFormat {
 public:
  static constexpr std::string_view kDefault = "%(objectname) %(objecttype) %(objectsize)";

  // Returns: the format, or git's words why it is none.
  static tl::expected<ObjectFormat, std::string> parse(std::string_view text);

  // Appends the line without its end.
  void expand(const FormatValues& values, std::string& line) const;

  // Whether the input line is split at its first blank: %(rest) occurs.
  bool uses_rest() const { return uses_rest_; }
  // Whether anything but the id and the rest is needed.
  bool uses_info() const { return uses_info_; }

 private:
  enum class Atom : std::uint8_t {
    kText,
    kName,
    kType,
    kSize,
    kDiskSize,
    kMode,
    kDeltaBase,
    kRest,
  };
  struct Part {
    Atom atom;
    std::string text;
  };

  std::vector<Part> parts_;
  bool uses_rest_ = false;
  bool uses_info_ = false;
};

}  // namespace assay::tools
