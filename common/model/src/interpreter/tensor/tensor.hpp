// Matrices that the lanes of a warp hold together: the place of each element, reading and writing.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "interpreter/decode/decoder.hpp"
#include "interpreter/schedule/warp.hpp"

namespace simt::interpreter::tensor {

/// Types of elements.
enum class Element : std::uint8_t { none, f16, bf16, tf32, f32, f64, s8, u8, s4, u4, b1, e4m3, e5m2, s32 };

/// The element type that a modifier names.
Element find_element(std::string_view modifier);
/// The element types among an instruction's modifiers, in their order.
std::vector<Element> elements_of(const ptx::Instruction& instruction);
/// Bits of an element in a register and in memory.
int bits_of(Element element);
bool is_integer(Element element);

struct Shape {
    int m = 0, n = 0, k = 0;
    bool operator==(const Shape&) const = default;
};

/// The shape that a modifier such as `m16n8k16` names; m is 0 if there is none.
Shape shape_of(const ptx::Instruction& instruction);

/// Which matrix of D = A·B + C.
enum class Role : std::uint8_t { a, b, accumulator };

/// How a warp's registers hold a matrix.
struct Fragment {
    Element element = Element::none;
    int rows = 0, columns = 0;
    /// The number of a lane's registers that hold the fragment, the bits of each, and the elements in each.
    int registers = 0, register_bits = 32, per_register = 1;
    /// Row and column of an element of a lane's registers: by register, lane, and place in the register.
    std::vector<std::uint32_t> place;

    std::size_t index(int reg, int lane, int part) const {
        return (static_cast<std::size_t>(reg) * warp_size + lane) * static_cast<std::size_t>(per_register) + static_cast<std::size_t>(part);
    }
    int row(int reg, int lane, int part) const { return static_cast<int>(place[index(reg, lane, part)] >> 16); }
    int column(int reg, int lane, int part) const { return static_cast<int>(place[index(reg, lane, part)] & 0xFFFF); }
    std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
};

/// The fragment of `mma` and, for shapes that only `wmma` has, of `wmma`.
Fragment make_fragment(Role role, Element element, const Shape& shape);
/// The fragments of `mma.m8n8k4` of f16: the four matrices are stacked. `column_major` counts for factors only.
Fragment make_quad_fragment(Role role, Element element, bool column_major);

/// The elements of a matrix, row by row, read from registers that start at operand `first`.
void read(Warp& warp, const DecodedInstruction& instruction, int first, const Fragment& fragment, float* to);
void read(Warp& warp, const DecodedInstruction& instruction, int first, const Fragment& fragment, double* to);
void read(Warp& warp, const DecodedInstruction& instruction, int first, const Fragment& fragment, std::int32_t* to);
void write(Warp& warp, const DecodedInstruction& instruction, int first, const Fragment& fragment, const float* from);
void write(Warp& warp, const DecodedInstruction& instruction, int first, const Fragment& fragment, const double* from);
void write(Warp& warp, const DecodedInstruction& instruction, int first, const Fragment& fragment, const std::int32_t* from);

/// D = A·B + C of matrices that lie row by row; D takes the place of C.
struct Product {
    int m = 0, n = 0, k = 0;
    /// Whether integers that do not fit become the nearest integer that does.
    bool saturates = false;
    /// Whether products of single bits are exclusive or instead of and.
    bool exclusive_or = false;
};
/// The work of tensor cores for a product of such elements, with a sparse factor or without: see counts.def.
std::uint64_t tensor_multiplications(const Product& product, Element element, bool sparse);
void multiply(const Product& product, const float* a, const float* b, float* c);
void multiply(const Product& product, const double* a, const double* b, double* c);
void multiply(const Product& product, const std::int32_t* a, const std::int32_t* b, std::int32_t* c);

/// The metadata of a sparse A: its operand, and the lanes that hold it.
struct Sparsity {
    Element element = Element::none;
    int metadata = 0, selector = 0;
};
/// Whether an instruction says that A is sparse.
bool is_sparse(const ptx::Instruction& instruction);
/// Moves the elements of a sparse A of 16 rows to the places that the metadata gives. `stored` has half of the columns of `to`.
template <class T>
void expand(Warp& warp, const DecodedInstruction& instruction, const Sparsity& sparsity, const Product& product, const T* stored, T* to);

/// Element `index` of those of `bits` bits that follow one another.
std::uint64_t element_bits(const unsigned char* bytes, std::size_t index, int bits);
/// The value of an element's bits, as a float or an std::int32_t.
template <class T> T value_of(Element element, std::uint64_t bits);

/// Stops the launch unless all lanes of the warp execute the instruction.
/// @throws LaunchStopped
void need_all_lanes(Warp& warp, const char* instruction);

/// Adds every register of an operand, and returns their number.
int add_registers(Decoder& decoder, DecodedInstruction& out, const ptx::Operand& operand, ptx::Type type);

}  // namespace simt::interpreter::tensor
