// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "context.hpp"

#include <cstdint>
#include <cstring>

namespace simt::detail {

#ifdef SIMT_PORTABLE_CONTEXT

void start_context(Context& context, void* low, std::size_t bytes, void (*entry)())
{
    getcontext(&context.registers);
    context.registers.uc_stack.ss_sp = low;
    context.registers.uc_stack.ss_size = bytes;
    context.registers.uc_link = nullptr;
    makecontext(&context.registers, entry, 0);
}

#else

#if defined(__x86_64__)
asm(R"(
    .text
    .p2align 4
    .globl simt_switch_stack
    .hidden simt_switch_stack
    .type simt_switch_stack, @function
simt_switch_stack:
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret
    .size simt_switch_stack, . - simt_switch_stack
)");
// Words of a frame, the one with the address at which a new stack starts, and a 0 behind the frame: the return address
// of what starts there, at which whoever unwinds the stack ends.
constexpr std::size_t frame_words = 7, start_word = 6, words_behind = 1;
#else
asm(R"(
    .text
    .p2align 4
    .globl simt_switch_stack, simt_start_stack
    .hidden simt_switch_stack
    .type simt_switch_stack, %function
simt_switch_stack:
    sub sp, sp, #160
    stp x19, x20, [sp]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x2, sp
    str x2, [x0]
    mov sp, x1
    ldp x19, x20, [sp]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size simt_switch_stack, . - simt_switch_stack
    .hidden simt_start_stack
    .type simt_start_stack, %function
simt_start_stack:
    mov x30, xzr
    br x19
    .size simt_start_stack, . - simt_start_stack
)");
extern "C" void simt_start_stack();
// Words of a frame, and the one of x19, from which simt_start_stack takes where a new stack starts. It clears the return
// address, at which whoever unwinds the stack ends.
constexpr std::size_t frame_words = 20, start_word = 0, return_word = 11, words_behind = 0;
#endif

void start_context(Context& context, void* low, std::size_t bytes, void (*entry)())
{
    constexpr std::size_t word = sizeof(std::uint64_t);
    const std::uint64_t top = (reinterpret_cast<std::uint64_t>(low) + bytes) / 16 * 16;
    auto* const frame = reinterpret_cast<std::uint64_t*>(top - (frame_words + words_behind) * word);
    std::memset(frame, 0, (frame_words + words_behind) * word);
    frame[start_word] = reinterpret_cast<std::uint64_t>(entry);
#if defined(__aarch64__)
    frame[return_word] = reinterpret_cast<std::uint64_t>(&simt_start_stack);
#endif
    context.stack_pointer = frame;
}

#endif

}  // namespace simt::detail
