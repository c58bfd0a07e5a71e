// ldmatrix, stmatrix and movmatrix: matrices of 8 rows of 16 bytes.
//
// Lanes 0 to 7 give the addresses of the rows of the first matrix, 8 to 15 those of the second, and so on: each of these lanes
// accesses 16 bytes. For each matrix, an H200 needs as many wavefronts as the fullest bank has distinct words, for loads and for
// stores (231 of 231 cases of tests/hardware/ldmatrix_probe.cu).

#include <array>
#include <cstring>

#include "interpreter/memory/memory_access.hpp"
#include "interpreter/tensor/tensor.hpp"

namespace simt::interpreter::tensor {

namespace {

constexpr int row_bytes = 16, rows = 8;

struct MatrixAccess {
    MemoryAccess memory;
    int matrices = 1;
    bool transposed = false;
};

using Matrix = std::array<std::array<std::uint16_t, 8>, rows>;

/// A lane's part of a matrix: two elements of a row, or of a column.
std::uint32_t part_of(const Matrix& matrix, std::size_t lane, bool transposed) {
    const std::size_t line = lane / 4, at = lane % 4 * 2;
    const std::uint32_t low = transposed ? matrix[at][line] : matrix[line][at];
    const std::uint32_t high = transposed ? matrix[at + 1][line] : matrix[line][at + 1];
    return low | high << 16;
}

void set_part(Matrix& matrix, std::size_t lane, bool transposed, std::uint32_t value) {
    const std::size_t line = lane / 4, at = lane % 4 * 2;
    (transposed ? matrix[at][line] : matrix[line][at]) = static_cast<std::uint16_t>(value);
    (transposed ? matrix[at + 1][line] : matrix[line][at + 1]) = static_cast<std::uint16_t>(value >> 16);
}

/// Tells the watcher of the rows that were accessed.
void note_rows(Warp& warp, const LanePointers& pointers, Operation operation, std::uint32_t changed) {
    warp.access.matrix_rows = true;
    note_access(warp, ptx::StateSpace::shared, pointers, operation, changed);
    warp.access.matrix_rows = false;
}

/// The host's pointers to the rows.
LanePointers find_rows(Warp& warp, const DecodedInstruction& instruction, const MatrixAccess& access) {
    find_addresses(warp, instruction, access.memory);
    const std::uint32_t lanes = all_lanes >> (warp_size - rows * access.matrices);
    if (access.memory.space != ptx::StateSpace::generic) return check_shared(warp, lanes);
    const GenericLanes split = split_generic(warp, lanes);
    for (const std::size_t lane : lanes_in(split.shared)) warp.access.address[lane] -= memory::shared_window;
    // Addresses elsewhere are outside shared memory: check_shared() reports them.
    return check_shared(warp, lanes);
}

void load(Warp& warp, const DecodedInstruction& instruction) {
    need_all_lanes(warp, "ldmatrix");
    const auto& access = details<MatrixAccess>(instruction);
    const LanePointers pointers = find_rows(warp, instruction, access);
    for (std::size_t number = 0; number < static_cast<std::size_t>(access.matrices); ++number) {
        Matrix matrix{};
        for (std::size_t row = 0; row < rows; ++row)
            if (const std::size_t lane = number * rows + row; pointers.lanes >> lane & 1)
                std::memcpy(matrix[row].data(), pointers.at[lane], row_bytes);
        std::uint32_t* to = values<std::uint32_t>(warp, instruction.operand_at(number));
        for (std::size_t lane = 0; lane < warp_size; ++lane) to[lane] = part_of(matrix, lane, access.transposed);
    }
    note_rows(warp, pointers, Operation::load, 0);
}

void store(Warp& warp, const DecodedInstruction& instruction) {
    need_all_lanes(warp, "stmatrix");
    const auto& access = details<MatrixAccess>(instruction);
    const LanePointers pointers = find_rows(warp, instruction, access);
    std::uint32_t changed = 0;
    for (std::size_t number = 0; number < static_cast<std::size_t>(access.matrices); ++number) {
        Matrix matrix;
        const std::uint32_t* from = values<std::uint32_t>(warp, instruction.operand_at(number));
        for (std::size_t lane = 0; lane < warp_size; ++lane) set_part(matrix, lane, access.transposed, from[lane]);
        for (std::size_t row = 0; row < rows; ++row) {
            const std::size_t lane = number * rows + row;
            if (!(pointers.lanes >> lane & 1)) continue;
            if (std::memcmp(pointers.at[lane], matrix[row].data(), row_bytes) != 0) changed |= 1u << lane;
            std::memcpy(pointers.at[lane], matrix[row].data(), row_bytes);
        }
    }
    warp.progress |= changed != 0;
    note_rows(warp, pointers, Operation::store, changed);
}

void move(Warp& warp, const DecodedInstruction& instruction) {
    need_all_lanes(warp, "movmatrix");
    Matrix matrix;
    const std::uint32_t* from = values<std::uint32_t>(warp, instruction.operand[1]);
    for (std::size_t lane = 0; lane < warp_size; ++lane) set_part(matrix, lane, false, from[lane]);
    std::uint32_t* to = values<std::uint32_t>(warp, instruction.operand[0]);
    for (std::size_t lane = 0; lane < warp_size; ++lane) to[lane] = part_of(matrix, lane, true);
}

void decode_access(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out, bool loads) {
    if (!instruction.has("m8n8") || !instruction.has("b16")) decoder.refuse(instruction, "shape or types");
    MatrixAccess access;
    access.transposed = instruction.has("trans");
    const int registers = add_registers(decoder, out, instruction.operands.at(loads ? 0 : 1), ptx::Type::b32);
    access.matrices = instruction.has("x4") ? 4 : instruction.has("x2") ? 2 : 1;
    if (registers != access.matrices) decoder.refuse(instruction, "registers");
    const AddressOperand address = decoder.address(instruction.operands.at(loads ? 1 : 0), space_of(instruction));
    access.memory.space = space_of(instruction);
    access.memory.operation = loads ? Operation::load : Operation::store;
    access.memory.bytes = row_bytes;
    access.memory.offset = address.offset;
    access.memory.base_bytes = address.base_bytes;
    access.memory.base_operand = out.operand_count;
    decoder.add(out, address.base);
    out.execute = loads ? load : store;
    decoder.keep(out, access);
}

}  // namespace

SIMT_DECODER(decode_matrix_load, decode_access, true)
SIMT_DECODER(decode_matrix_store, decode_access, false)

bool decode_matrix_move(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    for (std::size_t n = 0; n < 2; ++n) decoder.add(out, instruction.operands.at(n), ptx::Type::b32);
    out.execute = move;
    return true;
}

}  // namespace simt::interpreter::tensor
