// Kernels leave the registers of their caller as the ABI demands; of code that no compiler made,
// nobody else makes sure. In builds with assembly, on architectures that have some.

#include "tests/sha1/support.h"
#include "tests/support/changed_registers.h"

#if defined(ASSAY_SHA1_ASM) && defined(ASSAY_TEST_CHANGED_REGISTERS)

namespace assay::sha1 {
namespace {

class RegistersTest : public PerKernel {};
INSTANTIATE_TEST_SUITE_P(All, RegistersTest, ::testing::ValuesIn(all_kernel_names()),
                         kernel_test_name);

TEST_P(RegistersTest, OfTheCallerSurvive) {
  const Bytes blocks = cycle_bytes(5 * kBlockSize);
  for (std::size_t n = 0; n <= 5; ++n) {
    auto state = kInitialState;
    EXPECT_EQ(testing::changed_registers(kernels().compress, state.data(), blocks.data(), n), 0U)
        << n << " blocks";
    // The kernel was really called, with the right arguments.
    auto expected = kInitialState;
    find_kernels("portable")->compress(expected.data(), blocks.data(), n);
    EXPECT_EQ(state, expected);
  }
}

// A kernel that spoils a register, so that the test above is known to see it.
void spoil(std::uint32_t*, const std::uint8_t*, std::size_t) {
#if defined(__x86_64__)
  __asm__ volatile("mov $1, %%r14d" ::: "memory");
#elif defined(__i386__)
  __asm__ volatile("mov $1, %%esi" ::: "memory");
#elif defined(__ARMEL__)
  __asm__ volatile("mov r9, #1" ::: "memory");
#else
  __asm__ volatile("mov x24, #1" ::: "memory");
#endif
}

TEST(RegistersTestItself, SeesAChangedRegister) {
  EXPECT_NE(testing::changed_registers(spoil, nullptr, nullptr, 0), 0U);
}

}  // namespace
}  // namespace assay::sha1

#endif
