# The libraries that `assay bench` compares with, each optional. Only their headers are used here:
# the libraries are opened when a bench runs, so that assay itself does not depend on them.
#
# Sets ASSAY_RIVALS, the definitions for the tools.
set(ASSAY_RIVALS "")
include(CheckIncludeFileCXX)
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("
  #include <openssl/evp.h>
  int main() { return static_cast<int>(sizeof(&EVP_MD_fetch)) * 0; }" ASSAY_HAVE_OPENSSL_3)
check_include_file_cxx(gcrypt.h ASSAY_HAVE_GCRYPT)
check_include_file_cxx(nettle/sha1.h ASSAY_HAVE_NETTLE)
foreach(rival OPENSSL_3 GCRYPT NETTLE)
  if(ASSAY_HAVE_${rival})
    list(APPEND ASSAY_RIVALS ASSAY_RIVAL_${rival})
  endif()
endforeach()
