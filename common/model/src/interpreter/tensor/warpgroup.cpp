// wgmma: a product of matrices by the four warps of a warpgroup. Each warp computes the 16 rows that its registers hold.
//
// The product is computed when the instruction is issued. For the watcher its reads of shared memory last until the warp waits for the
// product, so that a write in between is a race. A warp that waits first meets the other warps of its warpgroup, because a GPU computes a
// product when all four warps have issued it.

#include <algorithm>

#include "interpreter/asynchronous/asynchronous.hpp"
#include "interpreter/decode/opcodes.hpp"
#include "interpreter/schedule/launch.hpp"
#include "interpreter/tensor/matrix_descriptor.hpp"
#include "interpreter/tensor/tensor.hpp"

namespace simt::interpreter::tensor {

namespace {

constexpr int warps_of_group = 4, rows_of_warp = 16;

struct WarpgroupMultiply {
    Fragment a, d;
    SharedFactor shared_a, shared_b;
    bool a_is_shared = true;
    /// Operands: the registers or the descriptor of A, the descriptor of B, and the predicate that says whether D is added.
    int a_operand = 0, b_operand = 0, scale_operand = 0;
    bool scale_negated = false;
    bool negates = false;
    Product product;
    bool sparse = false;
    Sparsity sparsity;
    /// Those of one warp.
    std::uint64_t tensor_multiplications = 0;
};

MatrixDescriptor descriptor_at(Warp& warp, const DecodedInstruction& instruction, int operand) {
    return MatrixDescriptor(values<std::uint64_t>(warp, instruction.operand_at(operand))[0]);
}

/// Reads a factor in shared memory into a matrix that lies row by row. `lines_are_rows`: the factor is A.
template <class T>
void read_shared(Warp& warp, const DecodedInstruction& instruction, const SharedFactor& factor, int descriptor, bool lines_are_rows, T* to,
                 std::vector<std::uint32_t>& places) {
    const int first_line = lines_are_rows ? warp.index % warps_of_group * rows_of_warp : 0;
    const std::vector<unsigned char> bytes =
        read_units(warp, instruction, descriptor_at(warp, instruction, descriptor), factor, first_line, places);
    const int bits = bits_of(factor.element);
    for (int line = 0; line < factor.lines; ++line)
        for (int i = 0; i < factor.k; ++i) {
            const std::size_t index = factor.index(line, i);
            to[lines_are_rows ? line * factor.k + i : i * factor.lines + line] =
                value_of<T>(factor.element, element_bits(bytes.data(), index, bits));
        }
}

template <class T> void read_a(Warp& warp, const DecodedInstruction& instruction, std::vector<T>& a, std::vector<std::uint32_t>& places) {
    const auto& multiply = details<WarpgroupMultiply>(instruction);
    if (multiply.a_is_shared) read_shared(warp, instruction, multiply.shared_a, multiply.a_operand, true, a.data(), places);
    else read(warp, instruction, multiply.a_operand, multiply.a, a.data());
    if (multiply.negates) std::ranges::transform(a, a.begin(), [](T value) { return -value; });
    if (!multiply.sparse) return;
    const std::vector<T> stored = a;
    expand(warp, instruction, multiply.sparsity, multiply.product, stored.data(), a.data());
}

template <class T> void execute(Warp& warp, const DecodedInstruction& instruction) {
    need_all_lanes(warp, "wgmma.mma_async");
    const auto& multiply = details<WarpgroupMultiply>(instruction);
    const Product& product = multiply.product;
    std::vector<T> a(static_cast<std::size_t>(product.m * product.k)), b(static_cast<std::size_t>(product.k * product.n)),
        c(static_cast<std::size_t>(product.m * product.n));
    std::vector<std::uint32_t> places;
    read_a(warp, instruction, a, places);
    read_shared(warp, instruction, multiply.shared_b, multiply.b_operand, false, b.data(), places);
    const std::uint32_t adds = predicate(warp, instruction.operand_at(multiply.scale_operand));
    if (((adds & 1) != 0) != multiply.scale_negated) read(warp, instruction, 0, multiply.d, c.data());
    tensor::multiply(product, a.data(), b.data(), c.data());
    write(warp, instruction, 0, multiply.d, c.data());
    warp.work.tensor_multiplications += multiply.tensor_multiplications;
    const std::uint32_t program_counters[] = {instruction.program_counter};
    const std::uint32_t reads = begin_reads_of_units(warp, program_counters[0], places);
    const bool fenced = Asynchronous::of(*warp.block).add_to_matrix_group(warp.index, program_counters[0], [reads](Warp& waiter) {
        waiter.block->watch.end_accesses(reads);
    });
    if (fenced) return;
    const std::size_t lanes[] = {0};
    warp.block->report(HazardKind::unordered_product, warp, lanes, program_counters,
                       {MessageCode::product_before_fence, {{"thread", warp.block->launch.info.thread(warp.thread_of(0))}}});
}

void fence(Warp& warp, const DecodedInstruction&) { Asynchronous::of(*warp.block).fence_matrices(warp.index); }

void commit(Warp& warp, const DecodedInstruction&) { Asynchronous::of(*warp.block).commit_matrix_group(warp.index); }

void wait_for_groups(Warp& warp, const DecodedInstruction& instruction) {
    need_all_lanes(warp, "wgmma.wait_group");
    if (!warp.block->asynchronous || !Asynchronous::of(*warp.block).wait_for_matrices(warp, instruction.immediate)) return;
    interpreter::WarpSplit& waiting = warp.wait(Wait::block_barrier, instruction);
    waiting.barrier = first_warpgroup_barrier + warp.index / warps_of_group;
    waiting.barrier_threads = warps_of_group * warp_size;
    warp.block->barriers_in_use |= 1u << waiting.barrier;
}

Execute handler_for(Element element) { return is_integer(element) ? execute<std::int32_t> : execute<float>; }

bool is_known(const Shape& shape, const std::vector<Element>& elements, bool sparse) {
    if (elements.size() != 3 || shape.m != warps_of_group * rows_of_warp || shape.n < 8 || shape.n > 256 || shape.n % 8 != 0) return false;
    const bool integers = is_integer(elements[1]);
    if (integers != is_integer(elements[2]) || integers != (elements[0] == Element::s32)) return false;
    const int bits = bits_of(elements[1]);
    return bits == bits_of(elements[2]) && bits != 4 && shape.k * bits == (sparse ? 512 : 256);
}

int immediate(const ptx::Instruction& instruction, std::size_t n, int absent) {
    return n < instruction.operands.size() ? static_cast<int>(instruction.operands[n].integer) : absent;
}

/// Reads the signs of A and B, and whether they are transposed, from operand `n` on.
void decode_immediates(Decoder& decoder, const ptx::Instruction& instruction, std::size_t n, WarpgroupMultiply& multiply) {
    multiply.negates = immediate(instruction, n, 1) * immediate(instruction, n + 1, 1) < 0;
    n += 2;
    if (multiply.a_is_shared) multiply.shared_a.transposed = immediate(instruction, n++, 0) != 0;
    multiply.shared_b.transposed = immediate(instruction, n, 0) != 0;
    const bool transposes = multiply.shared_a.transposed || multiply.shared_b.transposed;
    if (transposes && bits_of(multiply.shared_b.element) != 16) decoder.refuse(instruction, "transposition");
}

void decode_operands(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out, WarpgroupMultiply& multiply) {
    const ptx::Operand& a = instruction.operands.at(1);
    const int d_registers = add_registers(decoder, out, instruction.operands[0], ptx::Type::b32);
    multiply.a_is_shared = a.kind != ptx::Operand::Kind::vector;
    multiply.a_operand = out.operand_count;
    const int a_registers = add_registers(decoder, out, a, multiply.a_is_shared ? ptx::Type::b64 : ptx::Type::b32);
    if (d_registers != multiply.d.registers || (!multiply.a_is_shared && a_registers != multiply.a.registers))
        decoder.refuse(instruction, "registers");
    multiply.b_operand = out.operand_count;
    decoder.add(out, decoder.slot(instruction.operands.at(2), ptx::Type::b64));
    std::size_t n = 3;
    if (multiply.sparse) {
        multiply.sparsity.metadata = out.operand_count;
        decoder.add(out, decoder.slot(instruction.operands.at(n++), ptx::Type::b32));
        multiply.sparsity.selector = immediate(instruction, n++, 0);
    }
    multiply.scale_operand = out.operand_count;
    multiply.scale_negated = instruction.operands.at(n).negated;
    decoder.add(out, decoder.slot(instruction.operands[n++], ptx::Type::pred));
    decode_immediates(decoder, instruction, n, multiply);
}

void decode_product(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    const Shape shape = shape_of(instruction);
    const std::vector<Element> elements = elements_of(instruction);
    WarpgroupMultiply multiply;
    multiply.sparse = is_sparse(instruction);
    if (!is_known(shape, elements, multiply.sparse)) decoder.refuse(instruction, "shape or types");
    const Shape of_warp{rows_of_warp, shape.n, shape.k}, stored{rows_of_warp, shape.n, multiply.sparse ? shape.k / 2 : shape.k};
    multiply.product.m = of_warp.m;
    multiply.product.n = of_warp.n;
    multiply.product.k = of_warp.k;
    multiply.product.saturates = instruction.has("satfinite");
    multiply.d = make_fragment(Role::accumulator, elements[0], of_warp);
    multiply.a = make_fragment(Role::a, elements[1], stored);
    multiply.shared_a = {elements[1], rows_of_warp, stored.k, false};
    multiply.shared_b = {elements[2], shape.n, shape.k, false};
    multiply.sparsity.element = elements[1];
    multiply.tensor_multiplications = tensor_multiplications(multiply.product, elements[1], multiply.sparse);
    decode_operands(decoder, instruction, out, multiply);
    out.execute = handler_for(elements[1]);
    decoder.keep(out, std::move(multiply));
}

}  // namespace

bool decode_warpgroup(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    if (instruction.has("mma_async")) {
        decode_product(decoder, instruction, out);
    } else if (instruction.has("commit_group")) {
        out.execute = commit;
    } else if (instruction.has("wait_group")) {
        out.immediate = static_cast<std::uint64_t>(instruction.operands.at(0).integer);
        out.execute = wait_for_groups;
    } else if (instruction.has("fence")) {
        out.execute = fence;
    } else {
        return false;
    }
    return true;
}

}  // namespace simt::interpreter::tensor
