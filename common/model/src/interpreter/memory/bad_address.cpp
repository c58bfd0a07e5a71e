#include "interpreter/memory/bad_address.hpp"

namespace simt::interpreter {

namespace {

using memory::AddressSpace;
using memory::Allocation;

/// Makes a message about an access, with its place if that is known.
Message message_of(const Warp& warp, std::size_t lane, MessageCode code, std::initializer_list<MessageField> fields) {
    Message message(
        code,
        {{"thread", warp.launch->info.thread(warp.thread_of(lane))}, {"operation", warp.access.operation}, {"bytes", warp.access.size}});
    message.fields.insert(message.fields.end(), fields);
    return message;
}

void report(Warp& warp, std::size_t lane, HazardKind kind, MessageCode code, std::initializer_list<MessageField> fields = {}) {
    const std::size_t lanes[] = {lane};
    const std::uint32_t program_counters[] = {warp.access.program_counter};
    warp.block->report(kind, warp, lanes, program_counters, message_of(warp, lane, code, fields));
}

struct BadAddress {
    HazardKind kind;
    MessageCode code;
    /// Bytes of the nearest allocation, and the distance from its end or to its begin.
    std::uint64_t extent = 0, distance = 0;
    /// Whether the address is so far from every allocation that a GPU would end the launch.
    bool far = true;
};

BadAddress describe_unallocated(std::uint64_t address) {
    const AddressSpace& space = AddressSpace::instance();
    Allocation near;
    // An index below 0 lands in the gap after another allocation: the second half of a gap counts as such an index.
    if (space.find_after(address, near) && near.begin - address <= AddressSpace::alignment / 2 && !near.freed)
        return {HazardKind::out_of_bounds, MessageCode::before_allocation, near.bytes, near.begin - address};
    if (space.find_before(address, near) && address - near.begin < near.bytes + AddressSpace::alignment * 16) {
        const std::uint64_t distance = address - near.begin - near.bytes;
        if (near.freed) return {HazardKind::use_after_free, MessageCode::past_freed_allocation, near.bytes, distance};
        const bool in_last_page =
            address - near.begin < (near.bytes + AddressSpace::alignment - 1) / AddressSpace::alignment * AddressSpace::alignment;
        return {HazardKind::out_of_bounds, MessageCode::past_allocation, near.bytes, distance, !in_last_page};
    }
    return {HazardKind::out_of_bounds, MessageCode::not_allocated};
}

BadAddress describe_global(std::uint64_t address, std::uint64_t bytes) {
    const AddressSpace& space = AddressSpace::instance();
    Allocation allocation;
    if (space.find(address, allocation)) {
        if (allocation.freed) return {HazardKind::use_after_free, MessageCode::in_freed_allocation, allocation.bytes};
        const bool is_inside = allocation.contains(address, bytes);
        if (is_inside && allocation.constant) return {HazardKind::out_of_bounds, MessageCode::store_to_constant, 0, 0, false};
        return {HazardKind::out_of_bounds, MessageCode::across_end_of_allocation, allocation.bytes, 0, false};
    }
    if (space.owns(address)) return describe_unallocated(address);
    // A GPU maps memory in pages, so it can read and write the rest of an allocation's last page.
    constexpr std::uint64_t page = 4096;
    if (space.find_before(address, allocation) && address < (allocation.begin + allocation.bytes + page - 1) / page * page)
        return {HazardKind::out_of_bounds, MessageCode::past_allocation, allocation.bytes, address - allocation.begin - allocation.bytes,
                false};
    return {HazardKind::out_of_bounds, address < 4096 ? MessageCode::null_pointer : MessageCode::in_host_memory};
}

}  // namespace

void report_bad_global(Warp& warp, std::size_t lane, std::uint64_t address) {
    const BadAddress bad = describe_global(address, static_cast<std::uint64_t>(warp.access.size));
    if (bad.extent == 0) report(warp, lane, bad.kind, bad.code);
    else report(warp, lane, bad.kind, bad.code, {{"extent", bad.extent}, {"distance", bad.distance}});
    if (bad.far) throw LaunchStopped(error_illegal_address);
}

void report_bad_shared(Warp& warp, std::size_t lane, std::uint64_t offset) {
    const auto out_of_bounds = [&](MessageCode code, std::initializer_list<MessageField> fields) {
        report(warp, lane, HazardKind::out_of_bounds, code, fields);
    };
    const SharedVariable* before = nullptr;
    std::uint64_t bytes = 0;
    for (const SharedVariable& variable : warp.launch->program->shared) {
        const std::uint64_t extent = variable.dynamic ? warp.launch->info.dynamic_shared_bytes : variable.bytes;
        if (offset - variable.offset < extent) return out_of_bounds(MessageCode::across_end_of_shared_variable, {{"extent", extent}});
        if (variable.offset + extent <= offset && (!before || variable.offset > before->offset)) before = &variable, bytes = extent;
    }
    const std::uint64_t first = warp.launch->program->shared.empty() ? 0 : warp.launch->program->shared.front().offset;
    const std::uint64_t as_negative = (first - offset) & 0xFFFF'FFFFu;
    if (!before || as_negative < first + (std::uint64_t{1} << 16))
        return out_of_bounds(warp.launch->program->shared.empty() ? MessageCode::no_shared_memory : MessageCode::before_shared_memory,
                             {{"distance", as_negative}});
    out_of_bounds(before->dynamic ? MessageCode::past_dynamic_shared_memory : MessageCode::past_shared_variable,
                  {{"distance", offset - before->offset - bytes}, {"extent", bytes}});
}

void report_bad_local(Warp& warp, std::size_t lane) { report(warp, lane, HazardKind::out_of_bounds, MessageCode::outside_local_memory); }

void report_misaligned(Warp& warp, std::size_t lane, bool fatal) {
    report(warp, lane, HazardKind::misaligned, MessageCode::misaligned_address, {{"alignment", warp.access.size}});
    if (fatal) throw LaunchStopped(error_misaligned);
}

}  // namespace simt::interpreter
