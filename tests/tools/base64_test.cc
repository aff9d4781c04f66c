#include "tools/common/base64.h"

#include <gtest/gtest.h>

#include <utility>

namespace assay::tools {
namespace {

TEST(Base64, VectorsOfTheStandard) {
  const std::vector<std::pair<std::string, std::string>> vectors = {{"", ""},
                                                                    {"f", "Zg=="},
                                                                    {"fo", "Zm8="},
                                                                    {"foo", "Zm9v"},
                                                                    {"foob", "Zm9vYg=="},
                                                                    {"fooba", "Zm9vYmE="},
                                                                    {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : vectors) {
    EXPECT_EQ(encoded, base64(plain));
    EXPECT_EQ(plain, decode_base64(encoded));
  }
}

TEST(Base64, RefusesOtherTexts) {
  for (const char* text :
       {"Z", "Zg", "Zg=", "Zg==Zg==", "Z===", "Zm9=v", "Zm 9v", "Zm9v\n", "Zm9-", "===="}) {
    EXPECT_EQ(std::nullopt, decode_base64(text)) << text;
  }
}

}  // namespace
}  // namespace assay::tools
