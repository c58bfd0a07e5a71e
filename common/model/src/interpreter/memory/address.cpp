// Conversion of addresses between state spaces, and tests of the state space of an address.

#include <algorithm>

#include "interpreter/arithmetic/lanes.hpp"
#include "interpreter/memory/memory_access.hpp"

namespace simt::interpreter {

namespace {

/// A `cvta` between a space's own addresses and generic addresses. 32-bit registers hold addresses of small spaces.
struct Conversion {
    std::uint64_t window;
    bool to_space;
    int from_bytes, to_bytes;
};

/// Global and constant memory have one address in both spaces.
void copy_address(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const std::uint64_t* from = values<std::uint64_t>(file, instruction.operand[1]);
        write_lanes(file.active, values<std::uint64_t>(file, instruction.operand[0]), [=](int lane) { return from[lane]; });
    }
}

void convert_address(Warp& warp, const DecodedInstruction& instruction) {
    const auto& conversion = details<Conversion>(instruction);
    for (const std::size_t lane : lanes_in(warp.active)) {
        std::uint64_t address = lane_value(warp, instruction.operand[1], lane, conversion.from_bytes);
        if (conversion.to_space) address = address >= conversion.window && conversion.window ? address - conversion.window : address;
        else if (address < conversion.window) address += conversion.window;
        set_lane_value(warp, instruction.operand[0], lane, address, conversion.to_bytes);
    }
}

std::uint64_t window_of(ptx::StateSpace space) {
    switch (space) {
        case ptx::StateSpace::shared: return memory::shared_window;
        case ptx::StateSpace::local: return memory::local_window;
        case ptx::StateSpace::param: return memory::parameter_window;
        default: return 0;
    }
}

void test_space(Warp& warp, const DecodedInstruction& instruction) {
    const std::uint64_t* address = values<std::uint64_t>(warp, instruction.operand[1]);
    std::uint32_t result = 0;
    for (const std::size_t lane : lanes_in(warp.active)) {
        const std::uint64_t a = address[lane];
        bool is = false;
        switch (static_cast<ptx::StateSpace>(instruction.immediate)) {
            case ptx::StateSpace::shared: is = memory::is_shared(a); break;
            case ptx::StateSpace::local: is = memory::is_local(a); break;
            case ptx::StateSpace::param: is = memory::is_parameter(a); break;
            case ptx::StateSpace::constant: {
                memory::Allocation allocation;
                is = memory::AddressSpace::instance().find(a, allocation) && allocation.constant;
                break;
            }
            default: is = a < memory::shared_window; break;
        }
        if (is) result |= 1u << lane;
    }
    write_predicate(warp, instruction.operand[0], result);
}

/// Executes `mapa`: finds the address of the same place in another block's shared memory.
void map_to_rank(Warp& warp, const DecodedInstruction& instruction) {
    const int bytes = instruction.width[0];
    const std::uint32_t* rank = values<std::uint32_t>(warp, instruction.operand[2]);
    for (const std::size_t lane : lanes_in(warp.active)) {
        std::uint64_t address = lane_value(warp, instruction.operand[1], lane, bytes);
        const std::uint64_t window = address >= memory::shared_window ? memory::shared_window : 0;
        address = window + (address - window) % memory::shared_window_bytes + (std::uint64_t{rank[lane]} + 1) * memory::shared_window_bytes;
        set_lane_value(warp, instruction.operand[0], lane, address, bytes);
    }
}

void rank_of_address(Warp& warp, const DecodedInstruction& instruction) {
    const int bytes = instruction.width[1];
    std::uint32_t* rank = values<std::uint32_t>(warp, instruction.operand[0]);
    for (const std::size_t lane : lanes_in(warp.active)) {
        std::uint64_t address = lane_value(warp, instruction.operand[1], lane, bytes);
        const std::uint64_t number =
            address % (memory::shared_window_bytes * (memory::most_cluster_blocks + 1)) / memory::shared_window_bytes;
        rank[lane] = number == 0 ? static_cast<std::uint32_t>(warp.block->cluster_rank) : static_cast<std::uint32_t>(number - 1);
    }
}

}  // namespace

bool decode_address_conversion(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    const ptx::Type type = instruction.type();
    for (std::size_t n = 0; n < 2; ++n) decoder.add(out, instruction.operands.at(n), type);
    const Conversion conversion{window_of(space_of(instruction)), instruction.has("to"), out.width[1], out.width[0]};
    decoder.keep(out, conversion);
    const bool is_same = conversion.window == 0 && conversion.from_bytes == 8 && conversion.to_bytes == 8;
    out.execute = is_same ? copy_address : convert_address;
    out.in_team = is_same && instruction.guard < 0 ? InTeam::at_once : InTeam::one_by_one;
    return true;
}

bool decode_space_test(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    decoder.add(out, instruction.operands.at(0), ptx::Type::pred);
    decoder.add(out, instruction.operands.at(1), ptx::Type::b64);
    out.immediate = static_cast<std::uint64_t>(space_of(instruction));
    out.execute = test_space;
    return true;
}

bool decode_address_in_cluster(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    for (std::size_t n = 0; n < 2; ++n) decoder.add(out, instruction.operands.at(n), instruction.type());
    decoder.add(out, instruction.operands.at(2), ptx::Type::u32);
    out.execute = map_to_rank;
    return true;
}

bool decode_rank_of_address(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    decoder.add(out, instruction.operands.at(0), ptx::Type::u32);
    decoder.add(out, instruction.operands.at(1), instruction.type());
    out.execute = rank_of_address;
    return true;
}

}  // namespace simt::interpreter
