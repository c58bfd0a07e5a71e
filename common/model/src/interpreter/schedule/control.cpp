// Branches, calls and ends.

#include <algorithm>

#include "device/address_space.hpp"
#include "interpreter/decode/decoder.hpp"
#include "interpreter/schedule/builtins.hpp"
#include "interpreter/schedule/launch.hpp"
#include "interpreter/schedule/special_registers.hpp"
#include "ptx/kernel_name.hpp"

namespace simt::interpreter {

namespace {

void tally(Warp& warp, const DecodedInstruction& instruction) {
    if (warp.block->watch.is_watching()) warp.work += details<simt::Work>(instruction);
}

void meet(Warp& warp, const DecodedInstruction&) { warp.arrive_at_join(warp.pc - 1); }

void branch(Warp& warp, const DecodedInstruction& instruction) { warp.branch(details<Branch>(instruction)); }

/// Notes that lanes diverge at a branch where the machine code sends them through separate loops.
void branch_and_note(Warp& warp, const DecodedInstruction& instruction) {
    if (warp.active != warp.mask) note_bit(warp.launch->diverged, details<Branch>(instruction).inexact_divergence);
    branch(warp, instruction);
}

void branch_by_index(Warp& warp, const DecodedInstruction& instruction) {
    const auto& table = details<std::vector<Branch>>(instruction);
    const std::uint32_t* index = values<std::uint32_t>(warp, instruction.operand[0]);
    std::array<std::uint32_t, warp_size> targets{};
    std::array<int, warp_size> loops{};
    for (const std::size_t lane : lanes_in(warp.active)) {
        if (index[lane] >= table.size())
            throw LaunchStopped(error_invalid_pc, warp.launch->message_of(warp, static_cast<int>(lane), MessageCode::no_such_branch,
                                                                          {{"entry", index[lane]}, {"entries", table.size()}}));
        targets[lane] = table[index[lane]].target;
        loops[lane] = table[index[lane]].target_loop;
    }
    warp.branch_to(targets, loops, table.front());
}

void call(Warp& warp, const DecodedInstruction& instruction) {
    const auto& call_site = details<CallSite>(instruction);
    if (!call_site.builtin.empty()) return call_builtin(warp, instruction, call_site);
    if (call_site.function >= 0) {
        warp.call(call_site, *warp.launch->program->codes[call_site.function], warp.active);
        return;
    }
    // The lanes that call the first lane's function go together; the others make their call afterwards.
    const std::uint64_t* address = values<std::uint64_t>(warp, call_site.address);
    const std::uint64_t first = address[first_lane(warp.active)];
    std::uint32_t together = 0;
    for (const std::size_t lane : lanes_in(warp.active))
        if (address[lane] == first) together |= 1u << lane;
    const std::uint64_t number = (first - memory::function_window) / 16;
    const auto& codes = warp.launch->program->codes;
    if (first < memory::function_window || number >= codes.size() || !codes[number])
        throw LaunchStopped(error_invalid_pc, warp.launch->message_of(warp, first_lane(warp.active), MessageCode::no_such_function));
    if (const std::uint32_t others = warp.mask & ~together) warp.split_before(others);
    warp.mask = warp.active = together;
    warp.call(call_site, *codes[number], together);
}

void read_clock(Warp& warp, const DecodedInstruction& instruction) {
    // Time is not modeled: each reading is later than the reading before. A thread that reads many times waits for a point in
    // time, so the clock then advances faster.
    constexpr std::uint64_t readings_before_it_hurries = 1024;
    // The library's barriers read the clock once for each wait.
    warp.take_time(cost_in_block);
    warp.clock += 1 + warp.clock_readings++ / readings_before_it_hurries;
    const std::uint64_t now = warp.clock;
    for (const std::size_t lane : lanes_in(warp.active)) set_lane_value(warp, instruction.operand[0], lane, now, instruction.width[0]);
}

void allocate_on_stack(Warp& warp, const DecodedInstruction& instruction) {
    const std::uint64_t* wanted = values<std::uint64_t>(warp, instruction.operand[1]);
    std::uint64_t most = 0;
    for (const std::size_t lane : lanes_in(warp.active)) most = std::max(most, wanted[lane]);
    Frame& frame = *warp.frame;
    const std::uint64_t begin = (frame.local_base + frame.code->local_bytes + frame.alloca_bytes + 15) / 16 * 16;
    frame.alloca_bytes = begin + most - frame.local_base - frame.code->local_bytes;
    warp.need_local(begin + most);
    for (const std::size_t lane : lanes_in(warp.active)) set_lane_value(warp, instruction.operand[0], lane, begin, instruction.width[0]);
}

/// Gives the lanes the number of bytes that the frame has allocated so far.
void save_stack(Warp& warp, const DecodedInstruction& instruction) {
    const std::uint64_t taken = warp.frame->alloca_bytes;
    for (const std::size_t lane : lanes_in(warp.active)) set_lane_value(warp, instruction.operand[0], lane, taken, instruction.width[0]);
}

/// All lanes of a call share one stack pointer, so no memory is released while some of them are elsewhere.
void restore_stack(Warp& warp, const DecodedInstruction& instruction) {
    if (warp.active != warp.frame->lanes) return;
    std::uint64_t most = 0;
    for (const std::size_t lane : lanes_in(warp.active))
        most = std::max(most, lane_value(warp, instruction.operand[0], lane, instruction.width[0]));
    warp.frame->alloca_bytes = std::min(warp.frame->alloca_bytes, most);
}

/// An instruction of the stack: an address or a number of bytes, and the bytes that are wanted, if any are.
void on_stack(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out, Execute execute) {
    decoder.add(out, instruction.operands.at(0), instruction.type());
    if (instruction.operands.size() > 1) decoder.add(out, instruction.operands[1], ptx::Type::u64);
    out.execute = execute;
}

}  // namespace

void return_from(Warp& warp, const DecodedInstruction&) { warp.return_from_call(); }

void exit_thread(Warp& warp, const DecodedInstruction&) { warp.exit_lanes(); }

void trap(Warp& warp, const DecodedInstruction& instruction) {
    const std::size_t lane = first_lane(warp.active);
    const Launch& launch = *warp.launch;
    throw LaunchStopped(error_failure,
                        launch.with_line(launch.message_of(warp, lane, MessageCode::stopped_itself), instruction.program_counter));
}

void sleep(Warp& warp, const DecodedInstruction&) {
    warp.block->watch.tell_time();
    warp.patience = 0;
    warp.wait_reason = WaitReason::yielded;
}

DecodedInstruction tally_instruction() {
    DecodedInstruction instruction;
    instruction.execute = tally;
    instruction.in_team = InTeam::skips;
    return instruction;
}

DecodedInstruction join_instruction() {
    DecodedInstruction instruction;
    instruction.execute = meet;
    instruction.in_team = InTeam::meets;
    return instruction;
}

bool decode_branch(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    Branch found = decoder.branch_to(instruction.operands.at(0).index);
    found.inexact_divergence = decoder.add_inexact_divergence(instruction);
    decoder.keep(out, found);
    out.execute = found.inexact_divergence < 0 ? branch : branch_and_note;
    out.in_team = InTeam::branches;
    return true;
}

bool decode_branch_by_index(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    std::vector<Branch> table;
    for (const ptx::Targets& targets : decoder.function().targets)
        if (targets.name == instruction.operands.at(1).name)
            for (const int label : targets.labels) table.push_back(decoder.branch_to(label));
    if (table.empty()) decoder.refuse(instruction, "targets");
    decoder.add(out, instruction.operands.at(0), ptx::Type::u32);
    decoder.keep(out, table);
    out.execute = branch_by_index;
    return true;
}

bool decode_call(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    CallSite call_site;
    std::size_t n = 0;
    // [returns] callee [arguments] [prototype]
    const auto& operands = instruction.operands;
    if (!operands.empty() && operands[0].kind == ptx::Operand::Kind::vector)
        for (const ptx::Operand& result : operands[n++].elements) call_site.results.push_back(decoder.local_place(result));
    const ptx::Operand& callee = operands.at(n++);
    if (n < operands.size() && operands[n].kind == ptx::Operand::Kind::vector)
        for (const ptx::Operand& argument : operands[n].elements) call_site.arguments.push_back(decoder.local_place(argument));
    if (callee.kind == ptx::Operand::Kind::reg) {
        call_site.address = decoder.slot(callee, ptx::Type::b64);
    } else {
        call_site.function = decoder.number_of_function(callee.name);
        if (call_site.function < 0) {
            if (!is_builtin(callee.name)) decoder.refuse_callee(instruction, simt::ptx::function_name(callee.name));
            call_site.builtin = callee.name;
            // The order decides the addresses.
            decoder.program().orders_blocks |= callee.name.ends_with("alloc");
        }
    }
    decoder.keep(out, call_site);
    out.execute = call;
    return true;
}

bool decode_clock(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    const ptx::Operand& source = instruction.operands.at(1);
    if (source.kind != ptx::Operand::Kind::special || !is_clock(source.name)) return false;
    decoder.add(out, instruction.operands.at(0), instruction.type());
    out.execute = read_clock;
    return true;
}

SIMT_DECODER(decode_stack_save, on_stack, save_stack)
SIMT_DECODER(decode_stack_restore, on_stack, restore_stack)
SIMT_DECODER(decode_alloca, on_stack, allocate_on_stack)

}  // namespace simt::interpreter
