// SHA-1 of one message for amd64, by hand; only the integer unit, and of it only what every amd64
// has.
//
//   void assay_sha1_compress_amd64(uint32_t state[5], const uint8_t* blocks, size_t n)
//   void assay_sha1_compress_amd64_f1_or(uint32_t state[5], const uint8_t* blocks, size_t n)
//
// The second writes Ch as FIPS 180-4 does, (b & c) | (~b & d), the first as d ^ (b & (c ^ d)). Both
// are here to be compared.
//
// ABI:       System V. rdi state, rsi blocks, rdx n.
// Stack:     six registers, pushed and popped: rbx, rbp, r12-r15; below them the frame: words of
//            the ring, the state pointer, the end of the blocks.
// Registers: r8d-r12d the working variables, renamed at every step; eax the word of this step, ecx
//            and edi scratch, rsi the block; ebx, ebp, edx, r13d, r14d, r15d six of the sixteen
//            message words of the ring. The other ten are on the stack.
//
// A step is e += rol5(a) + f(b, c, d) + k + w; b = rol30(b). What comes late is a, which the step
// before has made; everything else is added first: k and w by one LEA, and Maj as a sum of two terms
// that have no bit in common, b & c and d & (b ^ c).

#if defined(__x86_64__)

  .intel_syntax noprefix
  .text

  .set kState, 64
  .set kEnd, 72
  .set kFrame, 80

// \operation with word \t of the ring as its source.
.macro WITH_WORD operation, to, t
  .if ((\t) % 16) == 0
  \operation \to, ebx
  .elseif ((\t) % 16) == 3
  \operation \to, ebp
  .elseif ((\t) % 16) == 6
  \operation \to, edx
  .elseif ((\t) % 16) == 8
  \operation \to, r13d
  .elseif ((\t) % 16) == 11
  \operation \to, r14d
  .elseif ((\t) % 16) == 14
  \operation \to, r15d
  .else
  \operation \to, dword ptr [rsp + 4 * ((\t) % 16)]
  .endif
.endm

.macro KEEP_WORD t
  .if ((\t) % 16) == 0
  mov ebx, eax
  .elseif ((\t) % 16) == 3
  mov ebp, eax
  .elseif ((\t) % 16) == 6
  mov edx, eax
  .elseif ((\t) % 16) == 8
  mov r13d, eax
  .elseif ((\t) % 16) == 11
  mov r14d, eax
  .elseif ((\t) % 16) == 14
  mov r15d, eax
  .else
  mov dword ptr [rsp + 4 * ((\t) % 16)], eax
  .endif
.endm

// The word of step \t into eax and the ring; the last three are not needed again.
.macro WORD t
  .if (\t) < 16
  mov eax, dword ptr [rsi + 4 * (\t)]
  bswap eax
  .else
  WITH_WORD mov, eax, (\t) + 13
  WITH_WORD xor, eax, (\t) + 8
  WITH_WORD xor, eax, (\t) + 2
  WITH_WORD xor, eax, (\t)
  rol eax, 1
  .endif
  .if (\t) < 77
  KEEP_WORD \t
  .endif
.endm

.macro TURN a, b, e
  mov ecx, \a\()d
  rol ecx, 5
  rol \b\()d, 30
  add \e\()d, ecx
.endm

.macro CH_XOR t, a, b, c, d, e
  WORD \t
  lea \e\()d, [\e + rax + 0x5a827999]
  mov edi, \c\()d
  xor edi, \d\()d
  and edi, \b\()d
  xor edi, \d\()d
  add \e\()d, edi
  TURN \a, \b, \e
.endm

.macro CH_OR t, a, b, c, d, e
  WORD \t
  lea \e\()d, [\e + rax + 0x5a827999]
  mov edi, \b\()d
  mov ecx, \b\()d
  and edi, \c\()d
  not ecx
  and ecx, \d\()d
  or edi, ecx
  add \e\()d, edi
  TURN \a, \b, \e
.endm

.macro PARITY t, a, b, c, d, e
  WORD \t
  .if (\t) < 40
  lea \e\()d, [\e + rax + 0x6ed9eba1]
  .else
  lea \e\()d, [\e + rax - 0x359d3e2a]  // 0xca62c1d6
  .endif
  mov edi, \c\()d
  xor edi, \d\()d
  xor edi, \b\()d
  add \e\()d, edi
  TURN \a, \b, \e
.endm

.macro MAJ t, a, b, c, d, e
  WORD \t
  lea \e\()d, [\e + rax - 0x70e44324]  // 0x8f1bbcdc
  mov edi, \c\()d
  mov ecx, \c\()d
  and edi, \b\()d
  xor ecx, \b\()d
  and ecx, \d\()d
  add \e\()d, edi
  add \e\()d, ecx
  TURN \a, \b, \e
.endm

.macro FIVE step, t
  \step (\t), r8, r9, r10, r11, r12
  \step (\t) + 1, r12, r8, r9, r10, r11
  \step (\t) + 2, r11, r12, r8, r9, r10
  \step (\t) + 3, r10, r11, r12, r8, r9
  \step (\t) + 4, r9, r10, r11, r12, r8
.endm

.macro TWENTY step, t
  FIVE \step, \t
  FIVE \step, (\t) + 5
  FIVE \step, (\t) + 10
  FIVE \step, (\t) + 15
.endm

.macro COMPRESS name, ch
  .globl \name
  .type \name, @function
  .balign 32
\name:
  test rdx, rdx
  jz 2f
  push rbx
  push rbp
  push r12
  push r13
  push r14
  push r15
  sub rsp, kFrame
  shl rdx, 6
  add rdx, rsi
  mov qword ptr [rsp + kState], rdi
  mov qword ptr [rsp + kEnd], rdx
  mov r8d, dword ptr [rdi]
  mov r9d, dword ptr [rdi + 4]
  mov r10d, dword ptr [rdi + 8]
  mov r11d, dword ptr [rdi + 12]
  mov r12d, dword ptr [rdi + 16]

  .balign 32
1:                         // one block
  TWENTY \ch, 0
  TWENTY PARITY, 20
  TWENTY MAJ, 40
  TWENTY PARITY, 60
  mov rdi, qword ptr [rsp + kState]
  add r8d, dword ptr [rdi]
  add r9d, dword ptr [rdi + 4]
  add r10d, dword ptr [rdi + 8]
  add r11d, dword ptr [rdi + 12]
  add r12d, dword ptr [rdi + 16]
  mov dword ptr [rdi], r8d
  mov dword ptr [rdi + 4], r9d
  mov dword ptr [rdi + 8], r10d
  mov dword ptr [rdi + 12], r11d
  mov dword ptr [rdi + 16], r12d
  add rsi, 64
  cmp rsi, qword ptr [rsp + kEnd]
  jne 1b

  add rsp, kFrame
  pop r15
  pop r14
  pop r13
  pop r12
  pop rbp
  pop rbx
2:
  ret
  .size \name, . - \name
.endm

  COMPRESS assay_sha1_compress_amd64, CH_XOR
  COMPRESS assay_sha1_compress_amd64_f1_or, CH_OR

#endif

  .section .note.GNU-stack, "", %progbits
