// ReadObject: how checks of files that copy what objects say read those objects.
#pragma once

#include <functional>
#include <optional>

#include "store/base/bytes.h"
#include "store/base/object_id.h"
#include "store/base/object_type.h"

namespace assay {

struct ReadResult {
  ObjectType type = ObjectType::kUnknown;
  Bytes bytes;
};

// Returns: nothing when no copy is good.
using ReadObject = std::function<std::optional<ReadResult>(const ObjectId&)>;

}  // namespace assay
