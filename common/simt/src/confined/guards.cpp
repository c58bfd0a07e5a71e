// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The guards that the grader's assembler calls before accesses. They change no register but %rdi, which holds the
// address, and no flag: they stand between two instructions of code that knows nothing of them.

#if defined(__x86_64__)

// simt_guard_load_N and simt_guard_store_N, for N bytes at %rdi. The stack on entry: the return address, the caller's
// %rdi, and then what was the caller's newest. Behind the pushes of a guard that is 40 bytes above %rsp.
// What is good without asking anyone: the caller's own frame, and what the model was told of.
asm(R"(
    .macro simt_guard name, bytes, direction
    .globl simt_guard_\name
    .type simt_guard_\name, @function
    .p2align 4
simt_guard_\name:
    push %rsi
    mov $(\bytes | \direction << 8), %esi
    push %rax
    push %rcx
    lahf
    seto %al
    lea 40(%rsp), %rcx
    cmp %rcx, %rdi
    jb 1f
    lea \bytes(%rdi), %rcx
    cmp %rbp, %rcx
    jbe 2f
1:
    .irp entry, 0, 16, 32, 48
    cmp simt_told + \entry(%rip), %rdi
    jb 3f
    cmp simt_told + \entry + 8(%rip), %rdi
    jb 2f
3:
    .endr
    call simt_guard_asks
2:
    add $127, %al
    sahf
    pop %rcx
    pop %rax
    pop %rsi
    ret
    .size simt_guard_\name, . - simt_guard_\name
    .endm

    .text
    .type simt_guard_asks, @function
simt_guard_asks:
    push %rbx
    mov %rsp, %rbx
    push %rax
    push %rdx
    push %r8
    push %r9
    push %r10
    push %r11
    push %rdi
    mov %rbp, %rdx
    lea 56(%rbx), %rcx
    mov 40(%rbx), %r8
    sub $264, %rsp
    and $-16, %rsp
    .irp register, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups %xmm\register, \register * 16(%rsp)
    .endr
    cld
    call simt_check_access
    .irp register, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups \register * 16(%rsp), %xmm\register
    .endr
    lea -56(%rbx), %rsp
    pop %rdi
    pop %r11
    pop %r10
    pop %r9
    pop %r8
    pop %rdx
    pop %rax
    pop %rbx
    ret
    .size simt_guard_asks, . - simt_guard_asks

    simt_guard load_1, 1, 0
    simt_guard load_2, 2, 0
    simt_guard load_4, 4, 0
    simt_guard load_8, 8, 0
    simt_guard load_16, 16, 0
    simt_guard store_1, 1, 1
    simt_guard store_2, 2, 1
    simt_guard store_4, 4, 1
    simt_guard store_8, 8, 1
    simt_guard store_16, 16, 1
)");

// Calls a function of confined code, and takes what the caller keeps in registers back from a place that the function
// cannot write, whatever it has done to its own stack.
asm(R"(
    .text
    .globl simt_call_confined
    .type simt_call_confined, @function
simt_call_confined:
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    sub $8, %rsp
    mov %rdi, %rax
    mov %rsi, %rdi
    call *%rax
    cld
    add $8, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret
    .size simt_call_confined, . - simt_call_confined
)");

#else

extern "C" void simt_call_confined(void (*function)(const void*), const void* context) { function(context); }

#endif
