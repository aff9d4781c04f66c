# The flags that every target shares: an interface target, so nothing is set globally.
add_library(assay_compiler INTERFACE)
target_include_directories(assay_compiler INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(assay_compiler INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
    -Woverloaded-virtual -Wimplicit-fallthrough>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105651).
  target_compile_options(assay_compiler INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
# What sanitizers insert makes compilers warn of code that nobody wrote.
if(ASSAY_WERROR AND NOT ASSAY_SANITIZE)
  target_compile_options(assay_compiler INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(assay_compiler INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wthread-safety>)
endif()
if(ASSAY_SANITIZE)
  target_compile_options(assay_compiler INTERFACE
    -fsanitize=${ASSAY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(assay_compiler INTERFACE -fsanitize=${ASSAY_SANITIZE})
endif()
