// mma, mma.sp and wmma.mma: a product of matrices that a warp's registers hold.
//
// Products of f16, bf16, tf32 and 8-bit floating point are exact in single precision. They are added to C in single precision, in the
// order of K. A GPU adds them in an order and precision of its own, so the last bits may differ: the last ten for 8-bit floating point.

#include <array>
#include <cstring>

#include "interpreter/schedule/launch.hpp"
#include "interpreter/tensor/tensor.hpp"

namespace simt::interpreter::tensor {

namespace {

constexpr int most_elements = 16 * 256;

struct Multiply {
    Fragment a, b, c, d;
    int first_a = 0, first_b = 0, first_c = 0;
    Product product;
    /// The number of independent products: four in `mma.m8n8k4` of f16.
    int products = 1;
    bool sparse = false;
    Sparsity sparsity;
    std::uint64_t tensor_multiplications = 0;
};

template <class T> void execute(Warp& warp, const DecodedInstruction& instruction) {
    need_all_lanes(warp, "mma");
    const auto& multiply = details<Multiply>(instruction);
    alignas(64) std::array<T, most_elements> a, b;
    alignas(64) std::array<T, 1024> c;
    read(warp, instruction, multiply.first_a, multiply.a, a.data());
    read(warp, instruction, multiply.first_b, multiply.b, b.data());
    read(warp, instruction, multiply.first_c, multiply.c, c.data());
    const Product& product = multiply.product;
    if (multiply.sparse) {
        const auto stored = a;
        expand(warp, instruction, multiply.sparsity, product, stored.data(), a.data());
    }
    for (int i = 0; i < multiply.products; ++i)
        tensor::multiply(product, a.data() + i * product.m * product.k, b.data() + i * product.k * product.n,
                         c.data() + i * product.m * product.n);
    write(warp, instruction, 0, multiply.d, c.data());
    warp.work.tensor_multiplications += multiply.tensor_multiplications;
}

Execute handler_for(Element element) {
    if (is_integer(element)) return execute<std::int32_t>;
    return element == Element::f64 ? execute<double> : execute<float>;
}

/// The types of D, A, B and C; wmma of f16 names only the types of D and C.
std::array<Element, 4> types_of(Decoder& decoder, const ptx::Instruction& instruction) {
    const std::vector<Element> elements = elements_of(instruction);
    if (elements.size() == 2) return {elements[0], Element::f16, Element::f16, elements[1]};
    if (elements.size() != 4) decoder.refuse(instruction, "types");
    return {elements[0], elements[1], elements[2], elements[3]};
}

bool fits(const Multiply& multiply, const std::array<int, 4>& registers, bool is_wmma) {
    const std::array<const Fragment*, 4> fragments{&multiply.d, &multiply.a, &multiply.b, &multiply.c};
    for (std::size_t i = 0; i < fragments.size(); ++i) {
        // wmma of f16 names registers beyond those that hold the fragment.
        const int needed = fragments[i]->registers;
        if (needed == 0 || registers[i] < needed || (registers[i] != needed && !is_wmma)) return false;
        if (fragments[i]->size() > (i == 0 || i == 3 ? 1024 : most_elements)) return false;
    }
    return true;
}

void lay_out(const ptx::Instruction& instruction, const std::array<Element, 4>& types, const Shape& shape, Multiply& multiply) {
    const bool quads = instruction.opcode == "mma" && shape == Shape{8, 8, 4} && types[1] == Element::f16;
    multiply.product.m = shape.m;
    multiply.product.n = shape.n;
    multiply.product.k = shape.k;
    if (quads) {
        std::vector<bool> column_major;
        for (const std::string& modifier : instruction.modifiers)
            if (modifier == "row" || modifier == "col") column_major.push_back(modifier == "col");
        column_major.resize(2, true);
        multiply.products = 4;
        multiply.d = make_quad_fragment(Role::accumulator, types[0], false);
        multiply.a = make_quad_fragment(Role::a, types[1], column_major[0]);
        multiply.b = make_quad_fragment(Role::b, types[2], column_major[1]);
        multiply.c = make_quad_fragment(Role::accumulator, types[3], false);
        return;
    }
    Shape stored = shape;
    if (multiply.sparse) stored.k /= 2;
    multiply.d = make_fragment(Role::accumulator, types[0], shape);
    multiply.a = make_fragment(Role::a, types[1], stored);
    multiply.b = make_fragment(Role::b, types[2], shape);
    multiply.c = make_fragment(Role::accumulator, types[3], shape);
}

}  // namespace

bool decode_multiply(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    const bool is_wmma = instruction.opcode == "wmma";
    if (is_wmma && !instruction.has("mma")) return false;
    const Shape shape = shape_of(instruction);
    if (shape.m == 0 || instruction.operands.size() < 4) decoder.refuse(instruction, "shape");
    const auto types = types_of(decoder, instruction);
    Multiply multiply;
    multiply.sparse = is_sparse(instruction);
    multiply.sparsity.element = types[1];
    multiply.product.saturates = instruction.has("satfinite");
    multiply.product.exclusive_or = instruction.has("xor");
    lay_out(instruction, types, shape, multiply);
    std::array<int, 4> registers{};
    int* const firsts[] = {nullptr, &multiply.first_a, &multiply.first_b, &multiply.first_c};
    for (std::size_t i = 0; i < 4; ++i) {
        if (firsts[i]) *firsts[i] = out.operand_count;
        registers[i] = add_registers(decoder, out, instruction.operands[i], types[i] == Element::f64 ? ptx::Type::b64 : ptx::Type::b32);
    }
    if (!fits(multiply, registers, is_wmma)) decoder.refuse(instruction, "registers");
    multiply.tensor_multiplications =
        static_cast<std::uint64_t>(multiply.products) * tensor_multiplications(multiply.product, types[1], multiply.sparse);
    if (multiply.sparse) {
        multiply.sparsity.metadata = out.operand_count;
        decoder.add_all(out, instruction.operands.at(4), ptx::Type::b32);
        if (instruction.operands.size() > 5) multiply.sparsity.selector = static_cast<int>(instruction.operands[5].integer);
    }
    out.execute = handler_for(types[1]);
    decoder.keep(out, std::move(multiply));
    return true;
}

}  // namespace simt::interpreter::tensor
