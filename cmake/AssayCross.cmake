# A toolchain file: builds for another architecture with Debian's cross compilers, linked -static so
# that the programs need nothing of that architecture, and runs them by naming the emulator.
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=cmake/AssayCross.cmake -DASSAY_CROSS=armhf -DASSAY_SHA1_ONLY=ON
#         -DASSAY_GTEST_SOURCE=/usr/src/googletest ...
#
# ASSAY_CROSS is i386 (runs natively on amd64), armhf, aarch64 or s390x (big-endian).
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ASSAY_CROSS)
set(CMAKE_SYSTEM_NAME Linux)
if(ASSAY_CROSS STREQUAL "i386")
  set(CMAKE_SYSTEM_PROCESSOR i686)
  set(assay_triplet i686-linux-gnu)
elseif(ASSAY_CROSS STREQUAL "armhf")
  set(CMAKE_SYSTEM_PROCESSOR armv7l)
  set(assay_triplet arm-linux-gnueabihf)
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-arm)
elseif(ASSAY_CROSS STREQUAL "aarch64")
  set(CMAKE_SYSTEM_PROCESSOR aarch64)
  set(assay_triplet aarch64-linux-gnu)
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
elseif(ASSAY_CROSS STREQUAL "s390x")
  set(CMAKE_SYSTEM_PROCESSOR s390x)
  set(assay_triplet s390x-linux-gnu)
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x)
else()
  message(FATAL_ERROR "ASSAY_CROSS must be i386, armhf, aarch64 or s390x")
endif()
set(CMAKE_C_COMPILER ${assay_triplet}-gcc)
set(CMAKE_CXX_COMPILER ${assay_triplet}-g++)
set(CMAKE_ASM_COMPILER ${assay_triplet}-gcc)
# g++ 12 for 32-bit processors tells of an ABI that changed in version 7, and finds undefined behaviour
# in loops that it has unrolled and that are never entered.
set(CMAKE_CXX_FLAGS_INIT "-Wno-psabi -Wno-aggressive-loop-optimizations")
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_FIND_ROOT_PATH /usr/${assay_triplet})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
