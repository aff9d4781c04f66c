// The lines of lists of SHA-1 checksums, as sha1sum (GNU coreutils) writes and reads them:
//
//     <40 hex digits> SP (SP | '*') <name>       text or binary, which mean the same here
//     "SHA1 (" <name> ") = " <40 hex digits>     as BSD systems have it (--tag)
//
// A name with a backslash, line feed or carriage return is written with `\\`, `\n`, `\r` and a
// backslash before the whole line. Read are also `SHA1(name)= hex` of OpenSSL, `hex SP name` of the
// BSDs' reversed mode, blanks before a line, and upper-case digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sha1/sha1.h"

namespace assay::tools {

struct ChecksumLine {
  std::string name;
  sha1::Digest digest{};
};

// Reads the lines of one list. That a list uses the reversed mode is known from the first line that
// has no type; the two may not be mixed, since a name could be made to look like a type.
class ChecksumParser {
 public:
  // `line` without its end. Returns: nothing when it is not properly formatted.
  std::optional<ChecksumLine> parse(std::string_view line);

 private:
  enum class Mode { kUnknown, kStandard, kReversed };
  Mode mode_ = Mode::kUnknown;
};

enum class LineStyle { kText, kBinary, kTagged };

// Returns: the line with its end, which is LF or, with `zero`, NUL; names are then not escaped.
std::string format_checksum(std::string_view name, const sha1::Digest& digest, LineStyle style,
                            bool zero);

// Escapes as above. Returns: whether anything had to be.
bool escape_name(std::string_view name, std::string& escaped);

}  // namespace assay::tools
