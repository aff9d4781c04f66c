// changed_registers: calls a function with a pattern in every register that the ABI lets it keep
// for its caller, and says which came back changed. For code that no compiler made.
//
// It is written in assembly at file scope, so include it from one file of a program only. For
// x86-64, i386, ARM and AArch64; elsewhere ASSAY_TEST_CHANGED_REGISTERS is not defined.
#pragma once

#include <cstdint>
#include <type_traits>

#if defined(__x86_64__) || defined(__i386__) || defined(__ARMEL__) || defined(__aarch64__)
#define ASSAY_TEST_CHANGED_REGISTERS

extern "C" unsigned assay_test_changed_registers(std::uintptr_t function, std::uintptr_t first,
                                                 std::uintptr_t second, std::uintptr_t third,
                                                 std::uintptr_t fourth);

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
  mov %r8, %rcx
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
1:
  .macro CHECK register, value, bit
  mov $\value, %rcx
  cmp %rcx, %\register
  je 1f
  or $\bit, %eax
1:
  .endm
  CHECK rbx, 0x1111111111111111, 2
  CHECK rbp, 0x2222222222222222, 4
  CHECK r12, 0x3333333333333333, 8
  CHECK r13, 0x4444444444444444, 16
  CHECK r14, 0x5555555555555555, 32
  CHECK r15, 0x6666666666666666, 64
  .purgem CHECK
  pushf
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
  sub $12, %esp
  push 48(%esp)
  push 48(%esp)
  push 48(%esp)
  push 48(%esp)
  mov $0x11111111, %ebx
  mov $0x22222222, %ebp
  mov $0x33333333, %esi
  mov $0x44444444, %edi
  call *%eax
  xor %eax, %eax
  .macro CHECK register, value, bit
  cmp $\value, %\register
  je 1f
  or $\bit, %eax
1:
  .endm
  CHECK ebx, 0x11111111, 1
  CHECK ebp, 0x22222222, 2
  CHECK esi, 0x33333333, 4
  CHECK edi, 0x44444444, 8
  .purgem CHECK
  pushf
  pop %ecx
  and $0x400, %ecx
  or %ecx, %eax
  cld
  add $28, %esp
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
  ldr r3, [sp, #104]
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
  mov x3, x4
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

namespace assay::testing {

// A pointer or an integer as an argument of a function is passed.
template <typename T>
std::uintptr_t as_argument(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<std::uintptr_t>(value);
  } else {
    static_assert(std::is_integral_v<T> && sizeof(T) <= sizeof(std::uintptr_t));
    return static_cast<std::uintptr_t>(value);
  }
}

// Returns: a bit for each register that came back changed.
template <typename... Parameters>
unsigned changed_registers(void (*function)(Parameters...),
                           std::type_identity_t<Parameters>... arguments) {
  static_assert(sizeof...(Parameters) <= 4);
  std::uintptr_t words[4] = {as_argument(arguments)...};
  return assay_test_changed_registers(reinterpret_cast<std::uintptr_t>(function), words[0],
                                      words[1], words[2], words[3]);
}

}  // namespace assay::testing

#endif
