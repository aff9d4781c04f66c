// SHA-1 of one message for i386, by hand; instructions of the 80486 (BSWAP) and later.
//
//   void assay_sha1_compress_i386(uint32_t state[5], const uint8_t* blocks, size_t n)
//   void assay_sha1_compress_i386_f1_or(uint32_t state[5], const uint8_t* blocks, size_t n)
//
// The second writes Ch as FIPS 180-4 does, (b & c) | (~b & d), the first as d ^ (b & (c ^ d)). Both
// are here to be compared: with so few registers an operation saved counts more than on amd64.
//
// ABI:       System V, arguments on the stack; position independent, there is no data.
// Stack:     ebp, ebx, esi and edi, pushed and popped; below them the ring of sixteen words.
// Registers: eax, ebx, ecx, edx, ebp the working variables, renamed at every step; esi and edi
//            scratch. Nothing is left for the block's address: the block is put into the ring at
//            once, and the address stays with the arguments.
//
// A step is e += rol5(a) + f(b, c, d) + k + w; b = rol30(b). What comes late is a, which the step
// before has made; everything else is added first: k and w by one LEA, and Maj as a sum of two terms
// that have no bit in common, b & c and d & (b ^ c).

#if defined(__i386__)

  .intel_syntax noprefix
  .text

  .set kState, 64 + 16 + 4  // the arguments, above ring, saved registers and return address
  .set kBlocks, kState + 4
  .set kCount, kState + 8

// Adds the word of step \t and \k to \e.
.macro WORD t, e, k
  .if (\t) < 16
  mov edi, dword ptr [esp + 4 * (\t)]
  .else
  mov edi, dword ptr [esp + 4 * (((\t) + 13) % 16)]
  xor edi, dword ptr [esp + 4 * (((\t) + 8) % 16)]
  xor edi, dword ptr [esp + 4 * (((\t) + 2) % 16)]
  xor edi, dword ptr [esp + 4 * ((\t) % 16)]
  rol edi, 1
  .if (\t) < 77             // the last three are not needed again
  mov dword ptr [esp + 4 * ((\t) % 16)], edi
  .endif
  .endif
  lea \e, [\e + edi + \k]
.endm

.macro TURN a, b, e
  mov edi, \a
  rol edi, 5
  rol \b, 30
  add \e, edi
.endm

.macro CH_XOR t, a, b, c, d, e
  WORD \t, \e, 0x5a827999
  mov esi, \c
  xor esi, \d
  and esi, \b
  xor esi, \d
  add \e, esi
  TURN \a, \b, \e
.endm

.macro CH_OR t, a, b, c, d, e
  WORD \t, \e, 0x5a827999
  mov esi, \b
  mov edi, \b
  and esi, \c
  not edi
  and edi, \d
  or esi, edi
  add \e, esi
  TURN \a, \b, \e
.endm

.macro PARITY t, a, b, c, d, e
  .if (\t) < 40
  WORD \t, \e, 0x6ed9eba1
  .else
  WORD \t, \e, 0xca62c1d6
  .endif
  mov esi, \c
  xor esi, \d
  xor esi, \b
  add \e, esi
  TURN \a, \b, \e
.endm

.macro MAJ t, a, b, c, d, e
  WORD \t, \e, 0x8f1bbcdc
  mov esi, \c
  mov edi, \c
  and esi, \b
  xor edi, \b
  and edi, \d
  add \e, esi
  add \e, edi
  TURN \a, \b, \e
.endm

.macro FIVE step, t
  \step (\t), eax, ebx, ecx, edx, ebp
  \step (\t) + 1, ebp, eax, ebx, ecx, edx
  \step (\t) + 2, edx, ebp, eax, ebx, ecx
  \step (\t) + 3, ecx, edx, ebp, eax, ebx
  \step (\t) + 4, ebx, ecx, edx, ebp, eax
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
  push ebp
  push ebx
  push esi
  push edi
  sub esp, 64
  cmp dword ptr [esp + kCount], 0
  je 2f
  mov edi, dword ptr [esp + kState]
  mov eax, dword ptr [edi]
  mov ebx, dword ptr [edi + 4]
  mov ecx, dword ptr [edi + 8]
  mov edx, dword ptr [edi + 12]
  mov ebp, dword ptr [edi + 16]

  .balign 32
1:                          // one block
  mov esi, dword ptr [esp + kBlocks]
  .irp t, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  mov edi, dword ptr [esi + 4 * \t]
  bswap edi
  mov dword ptr [esp + 4 * \t], edi
  .endr
  add esi, 64
  mov dword ptr [esp + kBlocks], esi
  TWENTY \ch, 0
  TWENTY PARITY, 20
  TWENTY MAJ, 40
  TWENTY PARITY, 60
  mov edi, dword ptr [esp + kState]
  add eax, dword ptr [edi]
  add ebx, dword ptr [edi + 4]
  add ecx, dword ptr [edi + 8]
  add edx, dword ptr [edi + 12]
  add ebp, dword ptr [edi + 16]
  mov dword ptr [edi], eax
  mov dword ptr [edi + 4], ebx
  mov dword ptr [edi + 8], ecx
  mov dword ptr [edi + 12], edx
  mov dword ptr [edi + 16], ebp
  dec dword ptr [esp + kCount]
  jnz 1b

2:
  add esp, 64
  pop edi
  pop esi
  pop ebx
  pop ebp
  ret
  .size \name, . - \name
.endm

  COMPRESS assay_sha1_compress_i386, CH_XOR
  COMPRESS assay_sha1_compress_i386_f1_or, CH_OR

#endif

  .section .note.GNU-stack, "", %progbits
