// st.async and red.async: stores to another block's shared memory. A barrier there counts their arrival.

#include "interpreter/asynchronous/bulk.hpp"
#include "interpreter/memory/atomic_update.hpp"
#include "interpreter/memory/memory_access.hpp"

namespace simt::interpreter {

namespace {

struct StoreOperands {
    DestinationOperands shared;
    std::vector<std::uint32_t> values;
    int register_bytes = 4, element_bytes = 4;
    bool reduces = false;
    Update update = Update::add;
    ptx::Type type = ptx::Type::none;
};

/// The elements of one lane's store.
struct Elements {
    std::array<unsigned char, 32> bytes{};
    std::size_t size = 0;
};

void write(const StoreOperands& operands, std::span<unsigned char> to, const Elements& elements) {
    if (!operands.reduces) return copy_bytes(to, part(std::span<const unsigned char>(elements.bytes), 0, elements.size));
    std::uint64_t value = 0;
    std::memcpy(&value, elements.bytes.data(), std::min(sizeof value, elements.size));
    update_element(operands.update, operands.type, part(to, 0, elements.size).data(), value);
}

void store_lanes(Warp& warp, const DecodedInstruction& instruction) {
    const auto& operands = details<StoreOperands>(instruction);
    const Operation operation = operands.reduces ? Operation::atomic : Operation::store;
    const auto size = static_cast<std::size_t>(operands.element_bytes);
    for_active_lanes(warp, [&](std::size_t lane) {
        Elements elements;
        for (const std::uint32_t value : operands.values) {
            const std::uint64_t bits = lane_value(warp, value, lane, operands.register_bytes);
            std::memcpy(elements.bytes.data() + elements.size, &bits, size);
            elements.size += size;
        }
        begin_access(warp, instruction, operation, static_cast<int>(elements.size));
        for (const Destination& destination : find_destinations(warp, lane, operands.shared, elements.size, elements.size)) {
            if (destination.to.block == warp.block) warp.block->watch.tell_cluster_access(1);
            const Issuer issuer(warp, lane, instruction);
            const std::uint32_t begun = begin_write(issuer, destination, operation, elements.size);
            Asynchronous::of(*destination.to.block)
                .add_to_barrier(destination.barrier.offset, [issuer, destination, elements, begun, &operands](Warp&) {
                    write(operands, destination.to.bytes, elements);
                    end_write(issuer, destination, begun, elements.size);
                });
        }
    });
    warp.progress = true;
}

}  // namespace

bool decode_remote_store(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    if (!instruction.has("async")) return false;
    if (instruction.operands.size() < 3) decoder.refuse(instruction, "operands");
    StoreOperands operands;
    operands.type = instruction.type();
    operands.element_bytes = ptx::bytes_of(operands.type);
    operands.reduces = instruction.opcode == "red";
    if (operands.reduces && !find_update(instruction, operands.update)) decoder.refuse(instruction);
    operands.shared.to = lane_address(decoder, instruction.operands.at(0), ptx::StateSpace::shared);
    operands.shared.barrier = lane_address(decoder, instruction.operands.at(2), ptx::StateSpace::shared);
    const ptx::Operand& value = instruction.operands.at(1);
    operands.register_bytes = decoder.register_bytes(value, operands.type);
    if (value.kind == ptx::Operand::Kind::vector)
        for (const ptx::Operand& element : value.elements) operands.values.push_back(decoder.slot(element, operands.type));
    else operands.values.push_back(decoder.slot(value, operands.type));
    decoder.keep(out, operands);
    out.execute = store_lanes;
    return true;
}

}  // namespace simt::interpreter
