#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "ptx/module.hpp"

namespace simt::ptx {

namespace {

struct TypeFacts {
    const char* name;
    int bytes;
    bool floating_point;
    bool is_signed;
};

/// In the order of Type.
constexpr TypeFacts facts_of_types[] = {
    {"none", 0, false, false},   {"pred", 0, false, false},       {"b1", 1, false, false},      {"u4", 1, false, false},
    {"s4", 1, false, true},      {"b8", 1, false, false},         {"u8", 1, false, false},      {"s8", 1, false, true},
    {"b16", 2, false, false},    {"u16", 2, false, false},        {"s16", 2, false, true},      {"f16", 2, true, true},
    {"bf16", 2, true, true},     {"e4m3x2", 2, true, true},       {"e5m2x2", 2, true, true},    {"b32", 4, false, false},
    {"u32", 4, false, false},    {"s32", 4, false, true},         {"f32", 4, true, true},       {"tf32", 4, true, true},
    {"f16x2", 4, true, true},    {"bf16x2", 4, true, true},       {"u16x2", 4, false, false},   {"s16x2", 4, false, true},
    {"e4m3x4", 4, true, true},   {"e5m2x4", 4, true, true},       {"ue8m0x2", 2, true, false},  {"e2m1x2", 1, true, true},
    {"e2m3x2", 2, true, true},   {"e3m2x2", 2, true, true},       {"b64", 8, false, false},     {"u64", 8, false, false},
    {"s64", 8, false, true},     {"f64", 8, true, true},          {"f32x2", 8, true, true},     {"b128", 16, false, false},
    {"texref", 8, false, false}, {"samplerref", 8, false, false}, {"surfref", 8, false, false},
};
static_assert(std::size(facts_of_types) == static_cast<std::size_t>(Type::surfref) + 1);

const TypeFacts& facts_of(Type type) { return facts_of_types[static_cast<std::size_t>(type)]; }

std::unordered_map<std::string_view, Type> types_by_name() {
    std::unordered_map<std::string_view, Type> types;
    for (std::size_t i = 1; i < std::size(facts_of_types); ++i) types[facts_of_types[i].name] = static_cast<Type>(i);
    return types;
}

}  // namespace

int bytes_of(Type type) { return facts_of(type).bytes; }

bool is_floating_point(Type type) { return facts_of(type).floating_point; }

bool is_signed(Type type) { return facts_of(type).is_signed; }

const char* name_of(Type type) { return facts_of(type).name; }

Type find_type(std::string_view name) {
    static const std::unordered_map<std::string_view, Type> types = types_by_name();
    const auto found = types.find(name);
    return found == types.end() ? Type::none : found->second;
}

bool Instruction::has(std::string_view modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

Type Instruction::type(int n) const {
    for (const std::string& modifier : modifiers) {
        const Type type = find_type(modifier);
        if (type != Type::none && n-- == 0) return type;
    }
    return Type::none;
}

}  // namespace simt::ptx
