#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "parsed_ptx.hpp"

namespace simt::ptx {
namespace {

template <class T> T value_at(const Variable& variable, std::size_t offset) {
    T value{};
    std::memcpy(&value, &variable.initial.at(offset), sizeof value);
    return value;
}

TEST(PtxTypes, AreFoundByName) {
    EXPECT_EQ(find_type("bf16x2"), Type::bf16x2);
    EXPECT_EQ(find_type("global"), Type::none);
    EXPECT_EQ(bytes_of(Type::s16), 2);
    EXPECT_EQ(bytes_of(Type::b128), 16);
    EXPECT_EQ(bytes_of(Type::u4), 1);
    EXPECT_EQ(bytes_of(Type::pred), 0);
    EXPECT_TRUE(is_floating_point(Type::tf32));
    EXPECT_FALSE(is_floating_point(Type::b32));
    EXPECT_TRUE(is_signed(Type::s64));
    EXPECT_FALSE(is_signed(Type::u64));
    EXPECT_STREQ(name_of(Type::surfref), "surfref");
}

TEST(PtxVariables, HaveSpacesTypesAndSizes) {
    const Module module = module_of(
        ".global .b32 g; .visible .global .align 16 .v4 .f32 v[3]; .extern .shared .align 16 .b8 x[];\n"
        ".const .b8 c[2][3]; .weak .global .attribute(.managed) .u64 m; .global .texref t; .global .surfref s; .global .samplerref p;\n"
        ".global .attribute(.unified(19, 0xFF)) .u32 u, w;");
    ASSERT_EQ(module.variables.size(), 10u);
    EXPECT_EQ(module.variables[0].bytes, 4u);
    EXPECT_EQ(module.variables[0].alignment, 4u);
    EXPECT_EQ(module.variables[1].bytes, 48u);
    EXPECT_EQ(module.variables[1].linkage, Linkage::visible);
    EXPECT_EQ(module.variables[2].space, StateSpace::shared);
    EXPECT_TRUE(module.variables[2].unsized_array);
    EXPECT_EQ(module.variables[2].linkage, Linkage::external);
    EXPECT_EQ(module.variables[3].space, StateSpace::constant);
    EXPECT_EQ(module.variables[3].bytes, 6u);
    EXPECT_TRUE(module.variables[4].managed);
    EXPECT_EQ(module.variables[4].linkage, Linkage::weak);
    EXPECT_EQ(module.variables[5].type, Type::texref);
    EXPECT_EQ(module.variables[7].type, Type::samplerref);
    EXPECT_EQ(module.variables[9].name, "w");
}

TEST(PtxVariables, HaveInitialValues) {
    const Module module = module_of(
        ".global .b8 bytes[16] = {1, 0, 255, -1};\n.global .f32 f[2][2] = {{1.5}, {0f3FC00000, 0d3FF0000000000000}};\n"
        ".global .f64 d = 2.5;\n.global .u64 open[] = {1, 0x10U, (1 << 4) | 3};\n.global .v2 .u16 v[2] = {{1, 2}, {3}};\n"
        ".global .b8 text[] = \"ab\";\n.global .b32 n = -WARP_SZ;");
    EXPECT_EQ(module.variables[0].initial, (std::vector<std::uint8_t>{1, 0, 255, 255}));
    EXPECT_EQ(module.variables[0].bytes, 16u);
    EXPECT_EQ(value_at<float>(module.variables[1], 0), 1.5f);
    EXPECT_EQ(value_at<float>(module.variables[1], 4), 0.0f);
    EXPECT_EQ(value_at<float>(module.variables[1], 8), 1.5f);
    EXPECT_EQ(value_at<float>(module.variables[1], 12), 1.0f);
    EXPECT_EQ(value_at<double>(module.variables[2], 0), 2.5);
    EXPECT_EQ(module.variables[3].bytes, 24u);
    EXPECT_FALSE(module.variables[3].unsized_array);
    EXPECT_EQ(value_at<std::uint64_t>(module.variables[3], 16), 19u);
    EXPECT_EQ(value_at<std::uint16_t>(module.variables[4], 4), 3u);
    EXPECT_EQ(module.variables[5].bytes, 2u);
    EXPECT_EQ(value_at<std::int32_t>(module.variables[6], 0), -32);
}

TEST(PtxVariables, HaveRelocations) {
    const Module module = module_of(
        ".global .u64 p[4] = {later, generic(later)+8, 5, f};\n.global .u8 q[2] = {0xFF(later), 0xFF00(later+4)};\n"
        ".global .u32 later;\n.func f();\n");
    ASSERT_EQ(module.variables[0].relocations.size(), 3u);
    const Relocation& second = module.variables[0].relocations[1];
    EXPECT_EQ(second.offset, 8u);
    EXPECT_EQ(second.symbol, "later");
    EXPECT_EQ(second.addend, 8);
    EXPECT_TRUE(second.generic);
    EXPECT_EQ(second.mask, ~std::uint64_t{0});
    EXPECT_EQ(module.variables[0].relocations[2].symbol, "f");
    EXPECT_FALSE(module.variables[0].relocations[2].generic);
    ASSERT_EQ(module.variables[1].relocations.size(), 2u);
    EXPECT_EQ(module.variables[1].relocations[1].mask, 0xFF00u);
    EXPECT_EQ(module.variables[1].relocations[1].bytes, 1);
    EXPECT_EQ(module.variables[1].relocations[1].addend, 4);
}

TEST(PtxVariables, OfUnknownNamesAndDoubleOnesAreRefused) {
    EXPECT_NE(error_of(".version 9.0\n.target sm_90\n.global .u64 p = nothing;").find("'nothing'"), std::string::npos);
    EXPECT_NE(error_of(".version 9.0\n.target sm_90\n.global .u64 p; .global .u64 p;").find("declared twice"), std::string::npos);
    EXPECT_NE(error_of(".version 9.0\n.target sm_90\n.global .b8 p[2] = {1,2,3};").find("more values"), std::string::npos);
    EXPECT_NE(error_of(".version 9.0\n.target sm_90\n.wrong .b8 p;").find(".wrong"), std::string::npos);
}

TEST(PtxVariables, ExternalOnesAreCompletedByTheirDefinition) {
    const Module module = module_of(".extern .global .b32 g;\n.visible .global .b32 g = 7;\n.extern .global .b32 g;");
    ASSERT_EQ(module.variables.size(), 1u);
    EXPECT_EQ(module.variables[0].linkage, Linkage::visible);
    EXPECT_EQ(module.variables[0].initial.size(), 4u);
}

}  // namespace
}  // namespace simt::ptx
