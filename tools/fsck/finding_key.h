// What makes two findings of different runs the same: not their place in the output, the machine,
// the number of threads or where the repository lies.
#pragma once

#include <string>
#include <string_view>

#include "store/report/finding.h"

namespace assay::tools {

// The fields of a finding that a key may use, as bytes; empty: absent.
struct FindingFields {
  std::string id;
  std::string oid;
  std::string from;  // the id of the object that holds a broken link
  std::string ref;
  std::string file;
  std::string offset;
  std::string text;
};

FindingFields fields_of(const Finding& finding);

// Returns: the key. It consists of the message and
//   - for what an object says, and for the graph: the object (and the one that links to it);
//   - for other findings about an object: the object, and the ref or else the file;
//   - for other findings about a ref: the ref;
//   - for all else: the file, the offset in it, and the text.
// Equal fields have equal keys. Files count from the repository's own directories on.
std::string key_of(const FindingFields& fields);

// Returns: what a person needs to recognise the finding: "missing 08e2..." for instance.
std::string described(const FindingFields& fields);

// Returns: the part of a path that is the same wherever the repository lies:
// "objects/pack/x.pack" of "/srv/a.git/objects/pack/x.pack".
std::string_view portable_path(std::string_view path);

}  // namespace assay::tools
