// wmma.load and wmma.store. They are counted as the instructions that ptxas makes of them for sm_90 (read in the machine code of
// CUDA 13.0):
//  - factors of f16 and of 8 bits and less, in shared memory and along K: LDSM of 8 rows of 16 bytes, up to four such
//    matrices at a time for f16, two for the others; f16 across K: the same, transposed;
//  - the same from other memory, and bf16 everywhere: for each such matrix a load of 4 bytes a lane;
//  - 8 bits across K: a load for every byte of a lane;
//  - tf32 and f64: a load for every register;
//  - accumulators: a pair of elements together where they lie side by side, else one by one; f16 always in pairs.

#include <algorithm>
#include <array>
#include <cstring>

#include "interpreter/memory/memory_access.hpp"
#include "interpreter/tensor/tensor.hpp"

namespace simt::interpreter::tensor {

namespace {

/// One access of the machine: the bytes that each lane moves, by line and offset in the line.
struct Part {
    int bytes = 4;
    std::uint32_t lanes = all_lanes;
    /// Whether the lanes' bytes are rows of matrices, as those of ldmatrix.
    bool matrix_rows = false;
    std::array<std::uint16_t, warp_size> line{}, offset{};
};

struct WarpMatrix {
    MemoryAccess memory;
    Fragment fragment;
    /// Whether a line in memory is a row of the matrix, instead of a column.
    bool row_major = true;
    int lines = 0, line_bytes = 0;
    /// The registers that the instruction names: more than the fragment's where elements are held twice.
    int registers = 0;
    /// The operand with the leading dimension in elements; -1 where lines are contiguous.
    int stride = -1;
    std::vector<Part> parts;
};

constexpr std::size_t most_bytes = 2048;

/// Bytes from one line to the next.
std::int64_t pitch_of(Warp& warp, const DecodedInstruction& instruction, const WarpMatrix& matrix) {
    if (matrix.stride < 0) return matrix.line_bytes;
    const std::uint32_t elements = values<std::uint32_t>(warp, instruction.operand_at(matrix.stride))[0];
    return std::int64_t{elements} * bits_of(matrix.fragment.element) / 8;
}

/// Makes the accesses, and calls `move(part, lane, pointer)` for each lane's bytes; it returns whether it changed them.
template <class Move> void make_accesses(Warp& warp, const DecodedInstruction& instruction, const WarpMatrix& matrix, Move&& move) {
    find_addresses(warp, instruction, matrix.memory);
    const std::uint64_t base = warp.access.address[0];
    ptx::StateSpace space = matrix.memory.space;
    std::uint64_t start = base;
    if (space == ptx::StateSpace::generic) {
        space = memory::is_shared(base)  ? ptx::StateSpace::shared
                : memory::is_local(base) ? ptx::StateSpace::local
                                         : ptx::StateSpace::global;
        if (space == ptx::StateSpace::shared) start -= memory::shared_window;
        if (space == ptx::StateSpace::local) start -= memory::local_window;
    }
    const std::int64_t pitch = pitch_of(warp, instruction, matrix);
    for (const Part& part : matrix.parts) {
        for (std::size_t lane = 0; lane < warp_size; ++lane)
            warp.access.address[lane] = start + static_cast<std::uint64_t>(part.line[lane] * pitch + part.offset[lane]);
        warp.access.size = part.bytes;
        const LanePointers pointers = check(warp, space, part.lanes);
        std::uint32_t changed = 0;
        for (const std::size_t lane : lanes_in(pointers.lanes)) {
            if (move(part, lane, pointers.at[lane])) changed |= 1u << lane;
        }
        warp.access.matrix_rows = part.matrix_rows;
        note_access(warp, space, pointers, matrix.memory.operation, changed);
        warp.access.matrix_rows = false;
        warp.progress |= changed != 0;
    }
}

/// The matrix's bytes line by line, and the place of an element in them.
struct Tile {
    std::array<unsigned char, most_bytes> bytes{};

    unsigned char* at(const WarpMatrix& matrix, int line, int offset) { return bytes.data() + line * matrix.line_bytes + offset; }
    /// Whether the register's elements are contiguous along a line.
    static bool is_packed(const WarpMatrix& matrix, int reg, int lane) {
        const Fragment& f = matrix.fragment;
        if (f.per_register == 1) return true;
        return matrix.row_major ? f.row(reg, lane, 0) == f.row(reg, lane, 1) : f.column(reg, lane, 0) == f.column(reg, lane, 1);
    }
    unsigned char* element(const WarpMatrix& matrix, int reg, int lane, int part) {
        const int row = matrix.fragment.row(reg, lane, part), column = matrix.fragment.column(reg, lane, part);
        const int line = matrix.row_major ? row : column, along = matrix.row_major ? column : row;
        return at(matrix, line, along * bits_of(matrix.fragment.element) / 8);
    }
    /// Copies between the tile and a lane's register.
    template <class Copy> void each_register(const WarpMatrix& matrix, int reg, int lane, Copy&& copy) {
        const int bytes_of_register = matrix.fragment.register_bits / 8;
        if (is_packed(matrix, reg, lane)) return copy(0, element(matrix, reg, lane, 0), bytes_of_register);
        const int bytes_of_element = bytes_of_register / matrix.fragment.per_register;
        for (int part = 0; part < matrix.fragment.per_register; ++part)
            copy(part * bytes_of_element, element(matrix, reg, lane, part), bytes_of_element);
    }
};

void load(Warp& warp, const DecodedInstruction& instruction) {
    need_all_lanes(warp, "wmma.load");
    const auto& matrix = details<WarpMatrix>(instruction);
    Tile tile;
    make_accesses(warp, instruction, matrix, [&](const Part& part, std::size_t lane, const unsigned char* from) {
        std::memcpy(tile.at(matrix, part.line[lane], part.offset[lane]), from, static_cast<std::size_t>(part.bytes));
        return false;
    });
    const int bytes = matrix.fragment.register_bits / 8;
    for (int reg = 0; reg < matrix.registers; ++reg) {
        const std::uint32_t offset = instruction.operand_at(reg);
        for (int lane = 0; lane < warp_size; ++lane)
            tile.each_register(matrix, reg % matrix.fragment.registers, lane, [&](int at, const unsigned char* from, int count) {
                std::memcpy(warp.registers + offset + lane * bytes + at, from, static_cast<std::size_t>(count));
            });
    }
}

void store(Warp& warp, const DecodedInstruction& instruction) {
    need_all_lanes(warp, "wmma.store");
    const auto& matrix = details<WarpMatrix>(instruction);
    Tile tile;
    const int bytes = matrix.fragment.register_bits / 8;
    for (int reg = 0; reg < matrix.fragment.registers; ++reg) {
        const unsigned char* from = warp.registers + instruction.operand_at(reg);
        for (int lane = 0; lane < warp_size; ++lane)
            tile.each_register(matrix, reg, lane, [&](int at, unsigned char* to, int count) {
                std::memcpy(to, from + lane * bytes + at, static_cast<std::size_t>(count));
            });
    }
    make_accesses(warp, instruction, matrix, [&](const Part& part, std::size_t lane, unsigned char* to) {
        const unsigned char* from = tile.at(matrix, part.line[lane], part.offset[lane]);
        const auto count = static_cast<std::size_t>(part.bytes);
        const bool changes = std::memcmp(to, from, count) != 0;
        std::memcpy(to, from, count);
        return changes;
    });
}

/// Adds the accesses for matrices of 8 lines of 16 bytes, up to `together` in one access.
void add_matrix_loads(WarpMatrix& matrix, int together) {
    const int across = matrix.line_bytes / 16, count = matrix.lines / 8 * across;
    for (int first = 0; first < count; first += together) {
        const int here = std::min(together, count - first);
        Part part;
        part.bytes = 16;
        part.matrix_rows = true;
        part.lanes = all_lanes >> (warp_size - 8 * here);
        for (int lane = 0; lane < 8 * here; ++lane) {
            const int number = first + lane / 8;
            part.line[lane] = static_cast<std::uint16_t>(number / across * 8 + lane % 8);
            part.offset[lane] = static_cast<std::uint16_t>(number % across * 16);
        }
        matrix.parts.push_back(part);
    }
}

/// Adds accesses of 4 bytes a lane for the same matrices.
void add_word_accesses(WarpMatrix& matrix) {
    const int across = matrix.line_bytes / 16, count = matrix.lines / 8 * across;
    for (int number = 0; number < count; ++number) {
        Part part;
        for (int lane = 0; lane < warp_size; ++lane) {
            part.line[lane] = static_cast<std::uint16_t>(number / across * 8 + lane / 4);
            part.offset[lane] = static_cast<std::uint16_t>(number % across * 16 + lane % 4 * 4);
        }
        matrix.parts.push_back(part);
    }
}

/// Adds an access of `elements` elements from `reg` and `part` on.
void add_element_access(WarpMatrix& matrix, int reg, int part_of_register, int elements) {
    const Fragment& fragment = matrix.fragment;
    const int bytes = bits_of(fragment.element) / 8;
    Part part;
    part.bytes = bytes * elements;
    for (int lane = 0; lane < warp_size; ++lane) {
        const int row = fragment.row(reg, lane, part_of_register), column = fragment.column(reg, lane, part_of_register);
        part.line[lane] = static_cast<std::uint16_t>(matrix.row_major ? row : column);
        part.offset[lane] = static_cast<std::uint16_t>((matrix.row_major ? column : row) * bytes);
    }
    matrix.parts.push_back(part);
}

void add_factor_accesses(WarpMatrix& matrix, bool along_k) {
    const Element element = matrix.fragment.element;
    const int bits = bits_of(element);
    if (bits >= 32) {
        for (int reg = 0; reg < matrix.fragment.registers; ++reg) add_element_access(matrix, reg, 0, 1);
    } else if (bits == 8 && !along_k) {
        for (int reg = 0; reg < matrix.fragment.registers; ++reg)
            for (int part = 0; part < 4; ++part) add_element_access(matrix, reg, part, 1);
    } else if (matrix.memory.space == ptx::StateSpace::shared && element != Element::bf16) {
        add_matrix_loads(matrix, bits == 16 ? 4 : 2);
    } else {
        add_word_accesses(matrix);
    }
}

void add_accumulator_accesses(WarpMatrix& matrix) {
    const Fragment& fragment = matrix.fragment;
    if (fragment.per_register == 2) return add_word_accesses(matrix);
    const bool pairs =
        matrix.row_major ? fragment.row(0, 0, 0) == fragment.row(1, 0, 0) : fragment.column(0, 0, 0) == fragment.column(1, 0, 0);
    for (int reg = 0; reg < fragment.registers; reg += pairs ? 2 : 1) add_element_access(matrix, reg, 0, pairs ? 2 : 1);
}

Role role_of(const ptx::Instruction& instruction) {
    if (instruction.has("a")) return Role::a;
    return instruction.has("b") ? Role::b : Role::accumulator;
}

}  // namespace

bool decode_warp_matrix(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    const bool loads = instruction.has("load");
    if (!loads && !instruction.has("store")) return false;
    const Shape shape = shape_of(instruction);
    const std::vector<Element> elements = elements_of(instruction);
    if (shape.m == 0 || elements.size() != 1) decoder.refuse(instruction, "shape or types");
    const Role role = role_of(instruction);
    WarpMatrix matrix;
    matrix.fragment = make_fragment(role, elements[0], shape);
    matrix.row_major = instruction.has("row");
    matrix.lines = matrix.row_major ? matrix.fragment.rows : matrix.fragment.columns;
    matrix.line_bytes = (matrix.row_major ? matrix.fragment.columns : matrix.fragment.rows) * bits_of(elements[0]) / 8;
    matrix.registers =
        add_registers(decoder, out, instruction.operands.at(loads ? 0 : 1), elements[0] == Element::f64 ? ptx::Type::b64 : ptx::Type::b32);
    if (matrix.fragment.registers == 0 || matrix.registers < matrix.fragment.registers ||
        static_cast<std::size_t>(matrix.lines * matrix.line_bytes) > most_bytes)
        decoder.refuse(instruction, "registers");
    matrix.memory.space = space_of(instruction);
    matrix.memory.operation = loads ? Operation::load : Operation::store;
    const AddressOperand address = decoder.address(instruction.operands.at(loads ? 1 : 0), matrix.memory.space);
    matrix.memory.offset = address.offset;
    matrix.memory.base_bytes = address.base_bytes;
    matrix.memory.base_operand = out.operand_count;
    decoder.add(out, address.base);
    if (instruction.operands.size() > 2) {
        matrix.stride = out.operand_count;
        decoder.add(out, decoder.slot(instruction.operands[2], ptx::Type::u32));
    }
    if (role == Role::accumulator) add_accumulator_accesses(matrix);
    else add_factor_accesses(matrix, matrix.row_major == (role == Role::a));
    out.execute = loads ? load : store;
    decoder.keep(out, std::move(matrix));
    return true;
}

}  // namespace simt::interpreter::tensor
