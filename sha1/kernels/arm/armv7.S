// SHA-1 of one message for ARMv7 without the SHA-1 instructions, by hand: at most 2 KB of code, so
// that it leaves most of a small instruction cache to its caller. Unrolled by five steps, after
// which the working variables are back in their registers.
//
//   void assay_sha1_compress_armv7(uint32_t state[5], const uint8_t* blocks, size_t n)
//
// ABI:       AAPCS, called from ARM or Thumb code. r0 state, r1 blocks, r2 n.
// Stack:     r4-r11 and lr, pushed and popped; below them the 80 words of the message schedule.
// Registers: r0 state, r1 next word of the message, r2 end of the blocks, r3-r7 the working
//            variables, renamed at every step, r8 the round constant, r9 the word of this step,
//            r10-r12 scratch, lr where the next word of the schedule goes.
//
// A step is e += rol5(a) + f(b, c, d) + k + w; b = rol30(b). Every data instruction may rotate its
// last operand for nothing: b is therefore not rotated when it becomes c, but c, d and e wherever
// they are used. Of r5, r6 and r7 the registers hold rol2 at the beginning and end of five steps.
//
// Words are loaded from any address, which ARMv7 allows for LDR (not for LDM) under Linux.

#if defined(__arm__) && __ARM_ARCH >= 7 && defined(__ARMEL__)

  .syntax unified
  .arch armv7-a
  .text
  .arm

  .set kSchedule, 320

// The word of one of the first 16 steps.
.macro LOAD
  ldr r9, [r1], #4
  rev r9, r9
  str r9, [lr], #4
.endm

// The word of a later step.
.macro EXPAND
  ldr r9, [lr, #-12]
  ldr r10, [lr, #-32]
  ldr r11, [lr, #-56]
  ldr r12, [lr, #-64]
  eor r9, r9, r10
  eor r11, r11, r12
  eor r9, r9, r11
  ror r9, r9, #31
  str r9, [lr], #4
.endm

.macro CH word, a, b, c, d, e
  \word
  add \e, r8, \e, ror #2
  eor r10, \c, \d
  add \e, \e, \a, ror #27
  and r10, \b, r10, ror #2
  add \e, \e, r9
  eor r10, r10, \d, ror #2
  add \e, \e, r10
.endm

.macro PARITY word, a, b, c, d, e
  \word
  add \e, r8, \e, ror #2
  eor r10, \c, \d
  add \e, \e, \a, ror #27
  eor r10, \b, r10, ror #2
  add \e, \e, r9
  add \e, \e, r10
.endm

// b & c and d & (b ^ c) have no bit in common.
.macro MAJ word, a, b, c, d, e
  \word
  add \e, r8, \e, ror #2
  eor r11, \b, \c, ror #2
  add \e, \e, \a, ror #27
  and r10, \b, \c, ror #2
  add \e, \e, r9
  and r11, r11, \d, ror #2
  add \e, \e, r10
  add \e, \e, r11
.endm

// Five steps; the first finds its word by \first, the others by \rest.
.macro FIVE step, first, rest
  \step \first, r3, r4, r5, r6, r7
  \step \rest, r7, r3, r4, r5, r6
  \step \rest, r6, r7, r3, r4, r5
  \step \rest, r5, r6, r7, r3, r4
  \step \rest, r4, r5, r6, r7, r3
.endm

// Repeats the \step in groups of five until word \to of the schedule.
.macro UNTIL to, step, word
1:
  FIVE \step, \word, \word
  add r10, sp, #4 * \to
  cmp lr, r10
  bne 1b
.endm

.macro CONSTANT k
  movw r8, #\k & 0xffff
  movt r8, #\k >> 16
.endm

  .globl assay_sha1_compress_armv7
  .type assay_sha1_compress_armv7, %function
  .balign 4
assay_sha1_compress_armv7:
  cmp r2, #0
  bxeq lr
  push {r4-r11, lr}
  sub sp, sp, #kSchedule
  add r2, r1, r2, lsl #6
  ldm r0, {r3-r7}

.Lblock:
  mov lr, sp
  ror r5, r5, #30
  ror r6, r6, #30
  ror r7, r7, #30
  CONSTANT 0x5a827999
  UNTIL 15, CH, LOAD
  FIVE CH, LOAD, EXPAND
  CONSTANT 0x6ed9eba1
  UNTIL 40, PARITY, EXPAND
  CONSTANT 0x8f1bbcdc
  UNTIL 60, MAJ, EXPAND
  CONSTANT 0xca62c1d6
  UNTIL 80, PARITY, EXPAND
  ldm r0, {r8-r12}
  add r3, r3, r8
  add r4, r4, r9
  add r5, r10, r5, ror #2
  add r6, r11, r6, ror #2
  add r7, r12, r7, ror #2
  stm r0, {r3-r7}
  cmp r1, r2
  bne .Lblock

  add sp, sp, #kSchedule
  pop {r4-r11, pc}
  .size assay_sha1_compress_armv7, . - assay_sha1_compress_armv7

#endif

  .section .note.GNU-stack, "", %progbits
