// A parsed PTX module: every name is resolved in its scope, and every modifier is kept as written. The terms are those of the PTX
// ISA document.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/numbered.hpp"
#include "simt/message.hpp"

namespace simt::ptx {

// clang-format off
/// Fundamental and alternate types of the PTX ISA. `none` where an instruction has no type there.
enum class Type : std::uint8_t {
    none, pred,
    b1, u4, s4, b8, u8, s8, b16, u16, s16, f16, bf16, e4m3x2, e5m2x2,
    b32, u32, s32, f32, tf32, f16x2, bf16x2, u16x2, s16x2, e4m3x4, e5m2x4,
    ue8m0x2, e2m1x2, e2m3x2, e3m2x2,
    b64, u64, s64, f64, f32x2, b128,
    texref, samplerref, surfref,
};
// clang-format on

/// Bytes of a value of this type in memory and in a register; 0 for `none` and `pred`, 1 for types below a byte.
int bytes_of(Type type);
bool is_floating_point(Type type);
bool is_signed(Type type);
/// The type called `name` (without the dot), or `Type::none`.
Type find_type(std::string_view name);
const char* name_of(Type type);

/// State spaces of variables and addresses.
enum class StateSpace : std::uint8_t { generic, reg, sreg, constant, global, local, param, shared };

/// A position in the source that nvcc was given, from `.loc`.
struct Location {
    /// Index into Module::files; -1 where nothing is known.
    int file = -1;
    int line = 0;
    int column = 0;
    /// Index + 1 into Module::inlinings, for a line of an inlined function; 0 otherwise.
    int inlined = 0;
    bool operator==(const Location&) const = default;
    auto operator<=>(const Location&) const = default;
};

/// One inlined call: the name of the inlined function, and the place of the call.
struct Inlining {
    std::string function;
    Location at;
    bool operator==(const Inlining&) const = default;
};

/// A declared register. A parameterized declaration (`%r<37>`) becomes one Register for each name.
struct Register {
    std::string name;
    Type type = Type::none;
    /// 0 for a scalar, 2 or 4 for a `.v2` or `.v4` register.
    int vector = 0;
};

/// Part of a variable's initial value that is an address: `bytes` bytes at `offset` hold address of `symbol` + `addend`.
struct Relocation {
    std::uint64_t offset = 0;
    int bytes = 8;
    std::string symbol;
    std::int64_t addend = 0;
    /// `generic(symbol)`: the generic address instead of the address in the symbol's own space.
    bool generic = false;
    /// For `mask(symbol)`: only these bits of the address, shifted down to bit 0; all ones otherwise.
    std::uint64_t mask = ~std::uint64_t{0};
};

/// How a symbol links.
enum class Linkage : std::uint8_t { internal, visible, external, weak, common };

/// A variable of any addressable space: of the module, of a function, or a parameter.
struct Variable {
    std::string name;
    StateSpace space = StateSpace::global;
    Linkage linkage = Linkage::internal;
    Type type = Type::none;
    std::uint64_t alignment = 1;
    /// Size in bytes. 0 for an array without a size, as `extern .shared .b8 x[]`.
    std::uint64_t bytes = 0;
    bool unsized_array = false;
    /// `.attribute(.managed)`.
    bool managed = false;
    /// Initial bytes; shorter than `bytes` where the rest is zero.
    std::vector<std::uint8_t> initial;
    std::vector<Relocation> relocations;
};

/// One operand. Which members count depends on `kind`.
struct Operand {
    enum class Kind : std::uint8_t {
        /// `registers[index]` of the function; `component` -1, or 0 to 3 for `.x` to `.w`.
        reg,
        /// A special register, `name` as written with its `%` (`%tid.x`).
        special,
        /// An integer constant: `integer`. Also the value of a constant expression.
        integer,
        /// A floating-point constant: `integer` holds the bits of a double (0d…, decimal) or of a float (`is_float32`, 0f…).
        floating,
        /// The address of a variable, or a function's: `name`, plus `integer`. `index` as for `address`.
        symbol,
        /// `[base + offset]`: `base` is the kind of the base, and `integer` is the offset.
        address,
        /// `{a, b, …}`: `elements`.
        vector,
        /// A label: `index` into Function::labels.
        label,
        /// `_`, a sink.
        sink,
        /// `[tensor, {coordinates}]`, `[texture, sampler, {coordinates}]`: `elements` holds the operands between the brackets.
        compound,
    };
    enum class Base : std::uint8_t { none, reg, symbol };
    /// The scope in which `symbol` (or the base of an address) is declared.
    enum class Scope : std::uint8_t { unresolved, function_variable, parameter, return_parameter, module_variable, function };

    Kind kind = Kind::sink;
    Base base = Base::none;
    Scope scope = Scope::unresolved;
    /// `!p` or `-r` as the instruction says.
    bool negated = false;
    bool is_float32 = false;
    int component = -1;
    /// Register, variable, parameter or function, by kind and scope.
    int index = -1;
    std::int64_t integer = 0;
    std::string name;
    std::vector<Operand> elements;
    /// `p|q` of setp, shfl and others: `second` holds the second destination alone.
    std::vector<Operand> second;
};

/// Calls `visit` with each register that an operand names.
template <class Visit> void for_each_register(const Operand& operand, Visit&& visit) {
    if (operand.kind == Operand::Kind::reg || operand.base == Operand::Base::reg) visit(operand.index);
    for (const Operand& element : operand.elements) for_each_register(element, visit);
    for (const Operand& second : operand.second) for_each_register(second, visit);
}

/// One instruction: `@!p opcode.modifier.modifier a, b, c;`
struct Instruction {
    std::string opcode;
    /// Modifiers in their order, without dots: `ld.global.v2.f32` has global, v2, f32. `::` stays inside a modifier
    /// (`shared::cluster`, `L2::128B`).
    std::vector<std::string> modifiers;
    /// The guard predicate: index into Function::registers, or -1.
    int guard = -1;
    bool guard_negated = false;
    std::vector<Operand> operands;
    Location location;
    /// Line of the PTX text, from 1.
    int ptx_line = 0;

    bool has(std::string_view modifier) const;
    /// The n-th modifier that names a type, or `Type::none`.
    Type type(int n = 0) const;
};

/// A label and the index of the instruction after it (may be the number of instructions).
struct Label {
    std::string name;
    int instruction = 0;
};

/// Targets of `brx.idx` (`.branchtargets`), labels by index; of `call` (`.calltargets`), functions by name.
struct Targets {
    std::string name;
    std::vector<int> labels;
    std::vector<std::string> functions;
};

/// The prototype of an indirect call (`.callprototype`).
struct Prototype {
    std::string name;
    std::vector<Variable> returns, parameters;
};

/// A `.func` or an `.entry`.
struct Function {
    std::string name;
    bool is_entry = false;
    bool has_body = false;
    Linkage linkage = Linkage::internal;
    Numbered<Variable> returns, parameters;
    /// All registers, with those of inner scopes: a name that is declared in two scopes appears twice.
    Numbered<Register> registers;
    /// The `.local`, `.shared` and `.param` variables that are declared in the body, with those of inner scopes.
    Numbered<Variable> variables;
    Numbered<Instruction> instructions;
    Numbered<Label> labels;
    Numbered<Targets> targets;
    std::vector<Prototype> prototypes;
    /// `.maxntid`, `.reqntid` (0 where not given), `.minnctapersm`, `.maxnreg`, `.reqnctapercluster`.
    std::array<int, 3> max_threads{}, required_threads{}, required_cluster{};
    int min_blocks = 0, max_registers = 0;
    bool explicit_cluster = false;
};

/// A translation unit.
struct Module {
    /// `.version` as major × 10 + minor, `.target` as written ("sm_90a").
    int version = 0;
    std::string target;
    int address_bytes = 8;
    /// Paths of `.file`, in order of their numbers; gaps are empty.
    Numbered<std::string> files;
    Numbered<Inlining> inlinings;
    Numbered<Variable> variables;
    Numbered<Function> functions;
    /// Identifies the text where notes about its lines exist (fusion.hpp); 0 where there are none.
    std::uint64_t fingerprint = 0;
    /// `.alias`: name → name of the function it stands for.
    std::map<std::string, std::string> aliases;
};

/// An error in a text of PTX. The message says what is wrong, where (line of the PTX text, function), and what is accepted.
class ParseError : public MessageError {
public:
    using MessageError::MessageError;
};

/// The newest PTX version that parse() knows, as major × 10 + minor.
inline constexpr int newest_version = 95;

/// Reads a module.
/// @throws ParseError
Module parse(std::string_view text);

}  // namespace simt::ptx
