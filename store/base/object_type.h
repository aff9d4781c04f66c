// The four types of objects, numbered as pack entries number them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

enum class ObjectType : std::uint8_t { kUnknown = 0, kCommit = 1, kTree = 2, kBlob = 3, kTag = 4 };

constexpr std::string_view type_name(ObjectType type) {
  switch (type) {
    case ObjectType::kCommit:
      return "commit";
    case ObjectType::kTree:
      return "tree";
    case ObjectType::kBlob:
      return "blob";
    case ObjectType::kTag:
      return "tag";
    case ObjectType::kUnknown:
      break;
  }
  return "unknown";
}

// Returns: the type that the word names (case counts), or nothing.
constexpr std::optional<ObjectType> parse_type_name(std::string_view word) {
  for (const ObjectType type :
       {ObjectType::kCommit, ObjectType::kTree, ObjectType::kBlob, ObjectType::kTag}) {
    if (word == type_name(type)) return type;
  }
  return std::nullopt;
}

}  // namespace assay
