// Makes the content of tree objects, entry by entry. Format: see store/object/tree_entry.h.
#pragma once

#include <string_view>

#include "store/base/object_id.h"

namespace assay {

// Appends "MODE NAME\0ID", the mode in octal digits. The caller keeps the order of entries.
void append_tree_entry(Bytes& tree, std::uint32_t mode, std::string_view name, const ObjectId& id);

}  // namespace assay
