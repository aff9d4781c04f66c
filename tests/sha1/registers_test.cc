// Kernels leave the registers of their caller as the ABI demands; of code that no compiler made,
// nobody else makes sure. In builds with assembly, on architectures that have some.

#include "tests/sha1/support.h"

#if defined(ASSAY_SHA1_ASM) && \
    (defined(__x86_64__) || defined(__i386__) || defined(__ARMEL__) || defined(__aarch64__))

// Calls `kernel` with a pattern in every register that it must keep.
// Returns: a bit for each of them that came back changed.
extern "C" unsigned assay_test_changed_registers(assay::sha1::Compress* kernel,
                                                 std::uint32_t* state, const std::uint8_t* blocks,
                                                 std::size_t n);

#if defined(__x86_64__)
// System V: rbx, rbp, r12 to r15; rsp; the direction flag is clear.
asm(R"(
  .text
  .globl assay_test_changed_registers
assay_test_changed_registers:
  push %rbx
  push %rbp
  push %r12
  push %r13
  push %r14
  push %r15
  sub $8, %rsp
  mov %rdi, %rax
  mov %rsi, %rdi
  mov %rdx, %rsi
  mov %rcx, %rdx
  mov $0x1111111111111111, %rbx
  mov $0x2222222222222222, %rbp
  mov $0x3333333333333333, %r12
  mov $0x4444444444444444, %r13
  mov $0x5555555555555555, %r14
  mov $0x6666666666666666, %r15
  mov %rsp, (%rsp)
  call *%rax
  xor %eax, %eax
  cmp %rsp, (%rsp)
  je 1f
  or $1, %eax
1:mov $0x1111111111111111, %rcx
  cmp %rcx, %rbx
  je 1f
  or $2, %eax
1:mov $0x2222222222222222, %rcx
  cmp %rcx, %rbp
  je 1f
  or $4, %eax
1:mov $0x3333333333333333, %rcx
  cmp %rcx, %r12
  je 1f
  or $8, %eax
1:mov $0x4444444444444444, %rcx
  cmp %rcx, %r13
  je 1f
  or $16, %eax
1:mov $0x5555555555555555, %rcx
  cmp %rcx, %r14
  je 1f
  or $32, %eax
1:mov $0x6666666666666666, %rcx
  cmp %rcx, %r15
  je 1f
  or $64, %eax
1:pushf
  pop %rcx
  and $0x400, %ecx
  or %ecx, %eax
  cld
  add $8, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbp
  pop %rbx
  ret
)");
#elif defined(__i386__)
// System V: ebx, ebp, esi, edi; the direction flag is clear.
asm(R"(
  .text
  .globl assay_test_changed_registers
assay_test_changed_registers:
  push %ebx
  push %ebp
  push %esi
  push %edi
  mov 20(%esp), %eax
  push 32(%esp)
  push 32(%esp)
  push 32(%esp)
  mov $0x11111111, %ebx
  mov $0x22222222, %ebp
  mov $0x33333333, %esi
  mov $0x44444444, %edi
  call *%eax
  xor %eax, %eax
  cmp $0x11111111, %ebx
  je 1f
  or $1, %eax
1:cmp $0x22222222, %ebp
  je 1f
  or $2, %eax
1:cmp $0x33333333, %esi
  je 1f
  or $4, %eax
1:cmp $0x44444444, %edi
  je 1f
  or $8, %eax
1:pushf
  pop %ecx
  and $0x400, %ecx
  or %ecx, %eax
  cld
  add $12, %esp
  pop %edi
  pop %esi
  pop %ebp
  pop %ebx
  ret
)");
#elif defined(__ARMEL__)
// AAPCS with VFP: r4 to r11, d8 to d15.
asm(R"(
  .text
  .arm
  .fpu vfpv3-d16
  .globl assay_test_changed_registers
  .type assay_test_changed_registers, %function
assay_test_changed_registers:
  push {r4-r11, lr}
  vpush {d8-d15}
  sub sp, sp, #4
  mov r12, r0
  mov r0, r1
  mov r1, r2
  mov r2, r3
  mov r4, #0x44
  mov r5, #0x55
  mov r6, #0x66
  mov r7, #0x77
  mov r8, #0x88
  mov r9, #0x99
  mov r10, #0xaa
  mov r11, #0xbb
  vmov d8, r4, r5
  vmov d9, r5, r6
  vmov d10, r6, r7
  vmov d11, r7, r8
  vmov d12, r8, r9
  vmov d13, r9, r10
  vmov d14, r10, r11
  vmov d15, r11, r4
  blx r12
  mov r0, #0
  cmp r4, #0x44
  orrne r0, r0, #1
  cmp r5, #0x55
  orrne r0, r0, #2
  cmp r6, #0x66
  orrne r0, r0, #4
  cmp r7, #0x77
  orrne r0, r0, #8
  cmp r8, #0x88
  orrne r0, r0, #16
  cmp r9, #0x99
  orrne r0, r0, #32
  cmp r10, #0xaa
  orrne r0, r0, #64
  cmp r11, #0xbb
  orrne r0, r0, #128
  .macro CHECK_D register, low, high, bit
  vmov r1, r2, \register
  cmp r1, #\low
  cmpeq r2, #\high
  orrne r0, r0, #\bit
  .endm
  CHECK_D d8, 0x44, 0x55, 0x100
  CHECK_D d9, 0x55, 0x66, 0x200
  CHECK_D d10, 0x66, 0x77, 0x400
  CHECK_D d11, 0x77, 0x88, 0x800
  CHECK_D d12, 0x88, 0x99, 0x1000
  CHECK_D d13, 0x99, 0xaa, 0x2000
  CHECK_D d14, 0xaa, 0xbb, 0x4000
  CHECK_D d15, 0xbb, 0x44, 0x8000
  add sp, sp, #4
  vpop {d8-d15}
  pop {r4-r11, pc}
)");
#elif defined(__aarch64__)
// AAPCS64: x19 to x29, the lower halves of v8 to v15.
asm(R"(
  .text
  .globl assay_test_changed_registers
  .type assay_test_changed_registers, %function
assay_test_changed_registers:
  stp x29, x30, [sp, #-160]!
  stp x19, x20, [sp, #16]
  stp x21, x22, [sp, #32]
  stp x23, x24, [sp, #48]
  stp x25, x26, [sp, #64]
  stp x27, x28, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, x0
  mov x0, x1
  mov x1, x2
  mov x2, x3
  .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
  mov x\n, #(\n * 100)
  .endr
  .irp n, 8, 9, 10, 11, 12, 13, 14, 15
  mov x10, #(\n * 1000)
  fmov d\n, x10
  .endr
  blr x9
  mov w0, #0
  .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
  mov w11, #(1 << (\n - 19))
  cmp x\n, #(\n * 100)
  csel w11, w11, wzr, ne
  orr w0, w0, w11
  .endr
  .irp n, 8, 9, 10, 11, 12, 13, 14, 15
  fmov x10, d\n
  mov x12, #(\n * 1000)
  mov w11, #(1 << (\n + 8))
  cmp x10, x12
  csel w11, w11, wzr, ne
  orr w0, w0, w11
  .endr
  ldp x19, x20, [sp, #16]
  ldp x21, x22, [sp, #32]
  ldp x23, x24, [sp, #48]
  ldp x25, x26, [sp, #64]
  ldp x27, x28, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldp x29, x30, [sp], #160
  ret
)");
#endif

namespace assay::sha1 {
namespace {

class RegistersTest : public PerKernel {};
INSTANTIATE_TEST_SUITE_P(All, RegistersTest, ::testing::ValuesIn(all_kernel_names()),
                         kernel_test_name);

TEST_P(RegistersTest, OfTheCallerSurvive) {
  const Bytes blocks = cycle_bytes(5 * kBlockSize);
  for (std::size_t n = 0; n <= 5; ++n) {
    auto state = kInitialState;
    EXPECT_EQ(assay_test_changed_registers(kernels().compress, state.data(), blocks.data(), n), 0U)
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
  EXPECT_NE(assay_test_changed_registers(spoil, nullptr, nullptr, 0), 0U);
}

}  // namespace
}  // namespace assay::sha1

#endif
