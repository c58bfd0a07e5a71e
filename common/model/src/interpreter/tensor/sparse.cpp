// The places of the elements of a sparse A (PTX ISA, "Sparse matrix storage").

#include <algorithm>

#include "interpreter/tensor/tensor.hpp"

namespace simt::interpreter::tensor {

namespace {

/// Four bits of metadata say which two of a chunk's four units are kept. A group of four lanes holds the metadata of two rows: one lane
/// holds both; or a pair of lanes holds half of each, or one row each for elements of at most 8 bits; or all four lanes hold a part
/// (as on an H200).
std::uint32_t kept_units(Warp& warp, const DecodedInstruction& instruction, const Sparsity& sparsity, int chunks, int row, int chunk) {
    const std::uint32_t* words = values<std::uint32_t>(warp, instruction.operand_at(sparsity.metadata));
    const int group = row % 8 * 4, upper = row / 8;
    if (chunks <= 4) return words[group + sparsity.selector] >> (upper * 16 + chunk * 4) & 0xF;
    const bool row_each = bits_of(sparsity.element) <= 8;
    if (chunks <= 8 && row_each) return words[group + sparsity.selector * 2 + upper] >> (chunk * 4) & 0xF;
    if (chunks <= 8) return words[group + sparsity.selector * 2 + chunk / 4] >> (upper * 16 + chunk % 4 * 4) & 0xF;
    return words[group + chunk / 8 * 2 + upper] >> (chunk % 8 * 4) & 0xF;
}

}  // namespace

bool is_sparse(const ptx::Instruction& instruction) {
    return std::ranges::any_of(instruction.modifiers,
                               [](const std::string& modifier) { return modifier == "sp" || modifier.starts_with("sp::"); });
}

template <class T>
void expand(Warp& warp, const DecodedInstruction& instruction, const Sparsity& sparsity, const Product& product, const T* stored, T* to) {
    const int bits = bits_of(sparsity.element);
    // Two of the four units of a chunk are kept.
    const int chunk_elements = bits == 32 ? 2 : bits == 4 ? 8 : 4;
    const int chunks = product.k / chunk_elements;
    std::fill(to, to + product.m * product.k, T{});
    for (int row = 0; row < product.m; ++row)
        for (int chunk = 0; chunk < chunks; ++chunk) {
            const std::uint32_t kept = kept_units(warp, instruction, sparsity, chunks, row, chunk);
            const T* from = stored + row * product.k / 2 + chunk * chunk_elements / 2;
            T* chunk_at = to + row * product.k + chunk * chunk_elements;
            const std::uint32_t units[2] = {kept & 3, kept >> 2};
            if (bits == 32) {
                chunk_at[units[0] / 2] = from[0];
            } else if (bits == 4) {
                for (std::size_t i = 0; i < 4; ++i) chunk_at[units[i / 2] * 2 + i % 2] = from[i];
            } else {
                for (std::size_t i = 0; i < 2; ++i) chunk_at[units[i]] = from[i];
            }
        }
}

template void expand(Warp&, const DecodedInstruction&, const Sparsity&, const Product&, const float*, float*);
template void expand(Warp&, const DecodedInstruction&, const Sparsity&, const Product&, const double*, double*);
template void expand(Warp&, const DecodedInstruction&, const Sparsity&, const Product&, const std::int32_t*, std::int32_t*);

}  // namespace simt::interpreter::tensor
