// The frames of functions: their registers and local memory, calls and returns.

#include <algorithm>
#include <cstring>
#include <new>

#include "interpreter/decode/flow.hpp"
#include "interpreter/schedule/launch.hpp"
#include "interpreter/schedule/special_registers.hpp"
#include "interpreter/schedule/warp.hpp"

namespace simt::interpreter {

namespace {

/// The most local memory that a thread may have.
constexpr std::uint64_t most_local_bytes = std::uint64_t{512} << 10;
/// The most calls that may be open at a time.
constexpr std::size_t most_frames = 1 << 14;

unsigned char* allocate_registers(std::size_t bytes) { return static_cast<unsigned char*>(::operator new(bytes, std::align_val_t{64})); }

void release_registers(unsigned char* registers) { ::operator delete(registers, std::align_val_t{64}); }

}  // namespace

Warp::~Warp() {
    for (const auto* frames : {&frames_, &spare_frames_})
        for (const auto& kept : *frames) release_registers(kept->registers);
}

Frame* Warp::new_frame(const Code& callee) {
    if (frames_.size() >= most_frames)
        throw LaunchStopped(error_stack,
                            launch->message_of(*this, first_lane(lanes), MessageCode::too_many_calls, {{"limit", most_frames}}));
    auto found = std::ranges::find_if(spare_frames_, [&](const auto& spare) { return spare->code == &callee; });
    std::unique_ptr<Frame> made;
    if (found != spare_frames_.end()) {
        made = std::move(*found);
        spare_frames_.erase(found);
        *made = Frame{.code = &callee, .registers = made->registers, .has_fixed_specials = made->has_fixed_specials};
        if (callee.depth_bytes > 0) std::memset(made->registers + callee.depths, 0, callee.depth_bytes);
    } else {
        made = std::make_unique<Frame>();
        made->code = &callee;
        made->registers = allocate_registers(std::max<std::size_t>(callee.frame_bytes, 64));
        std::ranges::copy(callee.constants, made->registers);
    }
    frames_.push_back(std::move(made));
    return frames_.back().get();
}

void Warp::free_frame(Frame* left) {
    const auto found = std::ranges::find_if(frames_, [&](const auto& own) { return own.get() == left; });
    spare_frames_.push_back(std::move(*found));
    frames_.erase(found);
}

void Warp::need_local(std::uint64_t bytes) {
    if (bytes <= local_capacity) return;
    if (bytes > most_local_bytes)
        throw LaunchStopped(error_stack, launch->message_of(*this, first_lane(lanes), MessageCode::stack_too_large,
                                                            {{"kibibytes", most_local_bytes >> 10}}));
    const std::uint64_t capacity = std::max(bytes, 2 * local_capacity);
    std::vector<unsigned char> larger(capacity * warp_size, 0xCD);
    for (std::uint64_t lane = 0; lane < warp_size && local_capacity > 0; ++lane)
        std::memcpy(larger.data() + lane * capacity, local.data() + lane * local_capacity, local_capacity);
    local = std::move(larger);
    local_capacity = capacity;
}

void Warp::fill_specials(Frame& of) {
    for (const SpecialSlot& slot : of.code->specials)
        if (!of.has_fixed_specials || changes_between_blocks(slot.special)) fill_special(*this, slot, of.registers);
    of.has_fixed_specials = true;
    for (const LocalSlot& slot : of.code->local_addresses)
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            // In the local space addresses count from 0; the generic address has the window on top.
            const std::uint64_t address = (slot.generic ? memory::local_window : 0) + of.local_base + slot.variable;
            write_lane(of.registers + slot.offset, lane, address, slot.bytes);
        }
}

void Warp::call(const CallSite& call, const Code& callee, std::uint32_t callee_lanes) {
    if (callee_lanes != mask) {
        // The other lanes wait after the call.
        Join* join = new_join();
        *join = {.pc = pc, .expected = mask, .arrived = mask & ~callee_lanes, .frame = frame, .parent = top};
        top = join;
        mask = callee_lanes;
    } else if (!top || top->pc != pc || top->frame != frame) {
        Join* join = new_join();
        *join = {.pc = pc, .expected = mask, .arrived = 0, .frame = frame, .parent = top};
        top = join;
    }
    Frame* const caller = frame;
    Frame* inner = new_frame(callee);
    inner->caller = caller;
    inner->call = &call;
    inner->return_pc = pc;
    inner->lanes = mask;
    inner->local_base = caller->local_base + ((caller->code->local_bytes + caller->alloca_bytes + 15) & ~std::uint64_t{15});
    need_local(inner->local_base + callee.local_bytes);
    for (const std::size_t number : lanes_in(mask)) {
        unsigned char* lane = local_lane(number);
        for (std::size_t i = 0; i < std::min(call.arguments.size(), callee.parameters.size()); ++i)
            std::memcpy(lane + inner->local_base + callee.parameters[i].offset, lane + caller->local_base + call.arguments[i].offset,
                        std::min(call.arguments[i].bytes, callee.parameters[i].bytes));
    }
    fill_specials(*inner);
    frame = inner;
    pc = 0;
    code = callee.instructions.data();
    registers = inner->registers;
}

void Warp::return_from_call() {
    if (!frame->caller) return exit_lanes();
    Frame* const inner = frame;
    Frame* const caller = inner->caller;
    const std::uint32_t back = active;
    for (const std::size_t number : lanes_in(back)) {
        unsigned char* lane = local_lane(number);
        for (std::size_t i = 0; i < std::min(inner->call->results.size(), inner->code->returns.size()); ++i)
            std::memcpy(lane + caller->local_base + inner->call->results[i].offset,
                        lane + inner->local_base + inner->code->returns[i].offset,
                        std::min(inner->call->results[i].bytes, inner->code->returns[i].bytes));
    }
    const std::uint32_t return_pc = inner->return_pc;
    if (back != mask) {
        ready.push_back({.pc = pc, .mask = mask & ~back, .frame = frame, .top = top});
        mask = back;
    }
    inner->lanes &= ~back;
    // Joins inside the function stop expecting these lanes.
    for (Join* join = top; join && join->frame == inner; join = top) {
        join->expected &= ~back;
        if (join->expected && join->arrived == join->expected)
            ready.push_back({.pc = join->pc, .mask = join->arrived, .frame = join->frame, .top = join->parent});
        else if (join->expected) {
            top = join->parent;
            continue;
        }
        top = join->parent;
        free_join(join);
    }
    frame = caller;
    pc = return_pc;
    code = caller->code->instructions.data();
    registers = caller->registers;
    if (inner->lanes == 0) free_frame(inner);
    arrive_at_join(pc);
}

}  // namespace simt::interpreter
