// The SHA-1 of other libraries, in the same process. None of them looks for collision attacks.
//
// Which are known is decided when assay is built (their headers were there), which of those are
// there when it runs: they are opened by name, so that assay does not depend on them.
#pragma once

#include "tools/bench/implementation.h"
#include "tools/bench/series.h"

namespace assay::tools {

struct Rivals {
  Implementations implementations;  // "openssl_evp", "libgcrypt", "nettle": those there
  Circumstances versions;           // of these: "openssl_evp" -> "OpenSSL 3.0.2 15 Mar 2022"
  Circumstances absent;             // the others: name -> why
};

Rivals find_rivals();

// The rival that ratios are taken to where it is there.
constexpr std::string_view kYardstick = "openssl_evp";

}  // namespace assay::tools
