// Which lane holds which element (PTX ISA, "Matrix Fragments for mma").
//
// Lanes are groups of four: g is the number of the group, t that of the lane in it. With E elements in a register, one
// register of A is 8 rows of 4·E columns: lane (g, t) holds row g, columns t·E to t·E+E-1. A matrix of 16 rows takes
// the registers (upper, lower) of its first 4·E columns, then those of the next. B is the same turned over, in blocks of
// 8 columns. An accumulator has in a pair of elements row g, columns 2t and 2t+1. `mma.m8n8k4` of f16 alone differs: its
// warp holds four products, each in a quad pair of lanes.
//
// The layouts of `wmma` are not documented. These are the layouts that ptxas uses for sm_90: `mma` of 16 × 8, side by side; for
// m8n32k16, the product of the transposed matrices.

#include <array>

#include "interpreter/tensor/tensor.hpp"

namespace simt::interpreter::tensor {

namespace {

struct Place { int row, column; };

template <class Find> void fill(Fragment& fragment, int registers, Find&& find) {
    fragment.registers = registers;
    fragment.place.reserve(static_cast<std::size_t>(registers * warp_size * fragment.per_register));
    for (int reg = 0; reg < registers; ++reg)
        for (int lane = 0; lane < warp_size; ++lane)
            for (int part = 0; part < fragment.per_register; ++part) {
                const Place at = find(reg, lane, part);
                fragment.place.push_back(static_cast<std::uint32_t>(at.row) << 16 | static_cast<std::uint32_t>(at.column));
            }
}

/// Lays out a factor of `lines` rows of A or columns of B: the place along that side, and along K.
void fill_factor(Fragment& fragment, Role role, int lines, int k, bool in_blocks_of_8) {
    const int per_register = fragment.per_register, steps = k / (4 * per_register);
    const int tall = !in_blocks_of_8 && lines >= 16 ? 2 : 1;
    fill(fragment, lines / 8 * steps, [=](int reg, int lane, int part) {
        const int block = reg / (tall * steps), inner = reg % (tall * steps);
        const int line = (block * tall + inner % tall) * 8 + lane / 4;
        const int along = inner / tall * 4 * per_register + lane % 4 * per_register + part;
        return role == Role::a ? Place{line, along} : Place{along, line};
    });
}

/// Lays out accumulators of 16 × 8 (or 8 × 8), one after another.
void fill_accumulator(Fragment& fragment, const Shape& shape) {
    const bool transposed = shape.m == 8 && shape.n > 8;
    const int m = transposed ? shape.n : shape.m, n = transposed ? shape.m : shape.n;
    const int per_register = fragment.per_register;
    const int per_block = m >= 16 ? 4 : 2, blocks_down = m >= 16 ? m / 16 : 1;
    fill(fragment, m * n / (warp_size * per_register), [=](int reg, int lane, int part) {
        const int element = reg * per_register + part, block = element / per_block, inner = element % per_block;
        const int row = block % blocks_down * 16 + inner / 2 * 8 + lane / 4;
        const int column = block / blocks_down * 8 + lane % 4 * 2 + inner % 2;
        return transposed ? Place{column, row} : Place{row, column};
    });
}

}  // namespace

Fragment make_fragment(Role role, Element element, const Shape& shape) {
    Fragment fragment;
    fragment.element = element;
    fragment.rows = role == Role::b ? shape.k : shape.m;
    fragment.columns = role == Role::a ? shape.k : shape.n;
    fragment.register_bits = element == Element::f64 ? 64 : 32;
    fragment.per_register = fragment.register_bits / bits_of(element);
    const bool transposed = shape.m == 8 && shape.n > 8;
    switch (role) {
        case Role::a: fill_factor(fragment, role, shape.m, shape.k, false); break;
        case Role::b: fill_factor(fragment, role, shape.n, shape.k, !transposed); break;
        case Role::accumulator: fill_accumulator(fragment, shape); break;
    }
    return fragment;
}

Fragment make_quad_fragment(Role role, Element element, bool column_major) {
    constexpr int products = 4, side = 8, k = 4;
    Fragment fragment;
    fragment.element = element;
    fragment.rows = products * (role == Role::b ? k : side);
    fragment.columns = role == Role::a ? k : side;
    fragment.per_register = 32 / bits_of(element);
    const int per_register = fragment.per_register;
    // A lane's number in its quad, its quad pair, and its quad in that pair.
    const auto quad = [](int lane) { return std::array{lane % 4, lane % 16 / 4, lane / 16}; };
    if (role == Role::accumulator) {
        fill(fragment, side / per_register, [=](int reg, int lane, int part) {
            const auto [l, pair, upper] = quad(lane);
            const int i = reg * per_register + part;
            if (per_register == 2) return Place{pair * side + upper * 4 + l, i};
            return Place{pair * side + upper * 4 + (l & 1) + (i & 2), (i & 4) + (l & 2) + (i & 1)};
        });
        return fragment;
    }
    fill(fragment, k / per_register, [=](int reg, int lane, int part) {
        const auto [l, pair, upper] = quad(lane);
        const int i = reg * per_register + part;
        if (role == Role::a) return column_major ? Place{pair * side + upper * 4 + i, l} : Place{pair * side + upper * 4 + l, i};
        return column_major ? Place{pair * k + i, upper * 4 + l} : Place{pair * k + l, upper * 4 + i};
    });
    return fragment;
}

}  // namespace simt::interpreter::tensor
