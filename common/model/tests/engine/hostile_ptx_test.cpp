// PTX that no compiler writes: an access beyond its memory is refused or ends its launch, and the process goes on. The sanitizers' build of
// these tests shows accesses that happen not to crash.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "device/address_space.hpp"
#include "engine/engine.hpp"
#include "simt/model.hpp"

namespace {

struct Hostile { std::string what, body; };

/// The kernel's parameter is a texture of 64 bytes, none of them 0, or a surface. It has 64 bytes of shared memory and 32 of local memory; `f` is a function with a parameter of 4 bytes.
/// @param directives about the kernel's launch, such as ".maxntid 32"
std::string text_of(const std::string& body, const std::string& directives = "") {
    return ".version 9.0\n.target sm_90\n.address_size 64\n"
           ".global .align 16 .b8 memory[64];\n.global .align 64 .b8 map[128];\n.const .align 8 .b8 fixed[128];\n"
           ".func (.param .b32 result) f(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a];\nst.param.b32 [result], "
           "%r1;\nret;\n}\n"
           ".visible .entry kernel(.param .u64 p) " +
           directives +
           "\n{\n"
           ".reg .b64 %d<16>;\n.reg .b32 %r<16>;\n.reg .pred %p<4>;\n.reg .f32 %f<16>;\n"
           ".shared .align 16 .b8 tile[64];\n.local .align 16 .b8 own[32];\n" +
           body + "\nret;\n}\n";
}

/// Writes a map of a tensor of 64 bytes, in which a program can write anything, and copies a box of it from shared memory.
/// @param head bytes 4 to 7 of the map: type, dimensions, swizzle and interleave
std::string tensor_copy(const std::string& head, int box, const std::string& steps) {
    return "mov.u64 %d1, map;\nmov.u64 %d2, memory;\nst.global.u32 [%d1], 0x7A5CE4D1;\nst.global.u32 [%d1+4], " + head +
           ";\nst.global.u64 [%d1+8], 0;\nst.global.u64 [%d1+16], %d2;\nst.global.u64 [%d1+24], 16;\nst.global.u32 [%d1+56], 63;\n"
           "st.global.u32 [%d1+60], 3;\nst.global.u16 [%d1+76], " +
           std::to_string(box) + ";\nst.global.u16 [%d1+78], 2;\nst.global.u16 [%d1+86], " + steps +
           ";\nmov.u32 %r1, 0;\nmov.u32 %r2, tile;\n"
           "cp.async.bulk.tensor." +
           (head[3] == '2' ? "2d.global.shared::cta.bulk_group [%d1, {%r1, %r1}]" : "1d.global.shared::cta.bulk_group [%d1, {%r1}]") +
           ", [%r2];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;";
}

const std::vector<Hostile>& hostile_kernels() {
    static const std::vector<Hostile> all{
        {"a parameter through a register", "mov.u64 %d1, -8;\nld.param.u64 %d2, [%d1];"},
        {"a parameter at the end of all addresses", "mov.u64 %d1, 0xFFFFFFFFFFFFFFFC;\nld.param.u64 %d2, [%d1];"},
        {"a parameter of another function, before it",
         "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a-64], %r1;\ncall (b), f, (a);\n}"},
        {"a parameter of another function, behind it",
         "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a+1048576], %r1;\ncall (b), f, (a);\n}"},
        {"a result of another function, behind it",
         "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\ncall (b), f, (a);\nld.param.b32 %r2, [b+4096];\n}"},
        {"shared memory behind the tile", "st.shared.u32 [tile+64], %r1;"},
        {"shared memory before the tile", "ld.shared.u32 %r1, [tile-4];"},
        {"shared memory, half behind the tile", "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [tile+56];"},
        {"shared memory at the end of its addresses", "mov.u32 %r1, 0xFFFFFFFC;\nst.shared.u32 [%r1], %r2;"},
        {"shared memory of a block that is none", "mov.u32 %r1, 0x30000000;\nst.shared::cluster.u32 [%r1], %r2;"},
        {"local memory behind its end", "mov.u64 %d1, own;\nst.local.u32 [%d1+1073741824], %r2;"},
        {"local memory before its start", "mov.u64 %d1, own;\nld.local.u32 %r1, [%d1-64];"},
        {"local memory at the end of all addresses", "mov.u64 %d1, -4;\nst.local.u32 [%d1], %r2;"},
        {"a store to constant memory", "mov.u64 %d1, fixed;\ncvta.const.u64 %d1, %d1;\nst.global.u64 [%d1], %d2;"},
        {"a store of each lane to constant memory",
         "mov.u64 %d1, fixed;\ncvta.const.u64 %d1, %d1;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\n"
         "st.global.u32 [%d1], %r1;"},
        {"an addition to constant memory", "mov.u64 %d1, fixed;\ncvta.const.u64 %d1, %d1;\natom.add.u32 %r1, [%d1], %r2;"},
        {"constant memory behind its end", "ld.const.u64 %d1, [fixed+4096];"},
        {"global memory before the variable", "st.global.u64 [memory-1048576], %d1;"},
        {"global memory at null", "mov.u64 %d1, 0;\nst.global.u32 [%d1], %r1;"},
        {"a generic address of nothing", "mov.u64 %d1, 0x0F00000000000000;\nst.u32 [%d1], %r1;"},
        {"a generic address behind the shared window", "mov.u64 %d1, 0x0100000041000000;\nld.u32 %r1, [%d1];"},
        {"a generic address behind the local window", "mov.u64 %d1, 0x02000000FFFFFFFC;\nld.v2.u64 {%d2, %d3}, [%d1];"},
        {"a generic address behind the parameters", "mov.u64 %d1, 0x040000000000FFFC;\nld.u64 %d2, [%d1];"},
        {"a function's address as a pointer to one that is none",
         "mov.u64 %d1, 0x0800000000FFFFF0;\n{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\n"
         "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (b), %d1, (a), proto;\n}"},
        {"atomics behind the tile", "atom.shared.add.u32 %r1, [tile+4096], 1;"},
        {"atomics at null", "mov.u64 %d1, 0;\natom.global.add.u32 %r1, [%d1], 1;"},
        {"a copy to shared memory behind the tile", "mov.u32 %r1, 0x100000;\ncp.async.ca.shared.global [%r1], [memory], 16;"},
        {"a copy from global memory at null", "mov.u64 %d1, 0;\nmov.u32 %r1, tile;\ncp.async.cg.shared.global [%r1], [%d1], 16;"},
        {"a bulk copy of more than there is",
         "mov.u32 %r1, tile;\nmov.u32 %r2, 0x7FFFFFF0;\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [memory], %r2, [%r1];"},
        {"a barrier in shared memory that is not there", "mov.u32 %r1, 0x7FFFFFF8;\nmbarrier.init.shared.b64 [%r1], 1;"},
        {"ldmatrix behind the tile", "mov.u32 %r1, 0xFFFFFFF0;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];"},
        {"a barrier that no block has", "bar.sync 100;"},
        {"printf of a text that is none",
         "{\n.param .b64 a;\n.param .b64 b;\n.param .b32 c;\nmov.u64 %d1, 1;\nst.param.b64 [a], %d1;\nst.param.b64 [b], %d1;\n"
         "call.uni (c), vprintf, (a, b);\n}"},
        {"a tensor map with rows of 1 byte", tensor_copy("0x0100", 1, "0x0101")},
        {"a tensor map of steps of no element", tensor_copy("0x0200", 16, "0x0001")},
        {"a tensor map of no type", tensor_copy("0x01FF", 16, "0x0101")},
        {"a tensor map with a box that is too wide", tensor_copy("0x0100", 4096, "0x0101")},
        {"malloc of nothing", "{\n.param .b64 a;\ncall (a), malloc;\n}"},
        {"malloc of a size of 4 bytes", "{\n.param .b64 a;\n.param .b32 b;\nst.param.b32 [b], %r1;\ncall (a), malloc, (b);\n}"},
        {"malloc into a result of 1 byte",
         "{\n.param .b8 a;\n.param .b64 b;\nmov.u64 %d1, 64;\nst.param.b64 [b], %d1;\ncall (a), malloc, (b);\n}"},
    };
    return all;
}

/// The end of a kernel with this body.
struct End {
    /// Whether the kernel was refused when loaded or decoded, ended by an error, or reported.
    bool is_told = false;
    std::string printed;
};

/// A surface with two rows of 4 bytes, none of them 0. Its first level is one that no array has.
simt::TextureRequest surface_of(simt::Device& device) {
    simt::ArrayShape shape;
    shape.format = {simt::ChannelFormat::Kind::unsigned_integer, {32, 0, 0, 0}};
    shape.width = 1;
    shape.height = 2;
    simt::TextureRequest surface;
    surface.array = device.create_array(shape);
    surface.surface = surface.mipmapped = true;
    surface.min_level = 1e30F;
    return surface;
}

simt::TextureRequest texture_of(simt::Device& device) {
    simt::TextureRequest texture;
    texture.format = {simt::ChannelFormat::Kind::unsigned_integer, {32, 0, 0, 0}};
    texture.resource = simt::TextureRequest::Resource::linear;
    texture.width = 16;
    texture.bytes = 64;
    texture.address = device.allocate(texture.bytes);
    device.fill(texture.address, 1, 1, texture.bytes);
    return texture;
}

End run(const std::string& body, simt::TextureRequest (*object_of)(simt::Device&) = texture_of) {
    End end;
    simt::EngineDevice device(0);
    device.set_printer([&end](std::string_view text) { end.printed += text; });
    try {
        std::string text = text_of(body);
        const std::string declarations =
            ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
            ".extern .func (.param .b64 r) malloc (.param .b64 a);\n";
        text.insert(text.find(".global"), declarations);
        const int module = device.load_module({text});
        simt::LaunchRequest request;
        request.function = device.find_function(module, "kernel");
        request.block = {32, 1, 1};
        const std::uint64_t handle = device.create_texture(object_of(device));
        request.parameters.resize(sizeof handle);
        std::memcpy(request.parameters.data(), &handle, sizeof handle);
        const int error = device.launch(request);
        const auto hazards = simt::take_hazards();
        // A read of unwritten memory does not reach beyond memory.
        const bool is_beyond =
            std::ranges::any_of(hazards, [](const simt::Hazard& hazard) { return hazard.kind != simt::HazardKind::uninitialized; });
        end.is_told = error != 0 || is_beyond || !simt::take_errors().empty();
    } catch (const simt::DeviceError& refused) {
        end.is_told = !refused.message().text().empty();
    }
    simt::take_hazards();
    simt::take_errors();
    simt::take_launches();
    device.reset();
    return end;
}

TEST(HostilePtx, IsRefusedOrEndsItsLaunch) {
    for (const Hostile& each : hostile_kernels()) {
        const End end = run(each.body);
        EXPECT_TRUE(end.is_told || each.what.starts_with("printf")) << each.what;  // printf of no text prints nothing
        EXPECT_EQ(end.printed, "") << each.what;
    }
}

TEST(HostilePtx, ReadsZerosBesideAParameter) {
    for (const char* place : {"p-8", "p-16", "p+8", "p+16", "p-2147483648"})
        EXPECT_FALSE(run("ld.param.u64 %d1, [" + std::string(place) + "];\nsetp.ne.u64 %p1, %d1, 0;\n@%p1 trap;").is_told) << place;
    EXPECT_TRUE(run("mov.u64 %d1, 1;\nsetp.ne.u64 %p1, %d1, 0;\n@%p1 trap;").is_told);
}

TEST(HostilePtx, PrintsNoTextBesideTheMemoryOfAThread) {
    for (const std::uint64_t window : {simt::memory::parameter_window, simt::memory::shared_window, simt::memory::local_window})
        for (const std::uint64_t offset : {4096, 8192, 65535})
            EXPECT_TRUE(run("{\n.param .b64 a;\n.param .b64 b;\n.param .b32 c;\nst.param.b64 [a], " + std::to_string(window + offset) +
                            ";\nst.param.b64 [b], 0;\ncall.uni (c), vprintf, (a, b);\n}")
                            .printed.empty())
                << window << " + " << offset;
}

TEST(HostilePtx, AddsNoOffsetPastTheEndOfAllCoordinates) {
    const std::string fetch =
        "ld.param.u64 %d1, [p];\nmov.u32 %r5, %r6;\ntex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%d1, {%r5}], %r5;\n"
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 trap;";
    EXPECT_TRUE(run("mov.u32 %r6, 1;\n" + fetch).is_told);
    EXPECT_FALSE(run("mov.u32 %r6, 0x80000000;\n" + fetch).is_told);
}

TEST(HostilePtx, StaysInsideTheRowsOfASurface) {
    const std::string row = "ld.param.u64 %d1, [p];\nmov.u32 %r5, 0;\n";
    const std::string is_zero = "\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 trap;";
    EXPECT_TRUE(run(row + "suld.b.2d.b32.clamp %r2, [%d1, {%r5, %r5}];" + is_zero, surface_of).is_told);
    EXPECT_FALSE(run(row + "suld.b.2d.v2.b32.clamp {%r1, %r2}, [%d1, {%r5, %r5}];" + is_zero, surface_of).is_told);
    for (const char* change : {"sust.b.2d.v2.b32.clamp [%d1, {%r5, %r5}], {%r5, %r5};", "sured.b.2d.and.b64.clamp [%d1, {%r5, %r5}], %d2;",
                               "sured.p.2d.and.b64.clamp [%d1, {%r5, %r5}], %d2;"}) {
        const std::string next = "\nmov.u32 %r6, 1;\nsuld.b.2d.b32.clamp %r2, [%d1, {%r5, %r6}];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 trap;";
        EXPECT_FALSE(run(row + "mov.u64 %d2, 0;\n" + change + next, surface_of).is_told) << change;
    }
    EXPECT_TRUE(run(row + "sured.b.2d.add.u8.clamp [%d1, {%r5, %r5}], %r5;", surface_of).is_told);
}

TEST(HostilePtx, AllowsNoMoreThreadsThanABlockHas) {
    const std::vector<std::pair<std::string, int>> most_threads{
        {"2147483647, 256, 1", 1024}, {"65536, 65536, 1", 1024}, {"2147483647, 2147483647, 2147483647", 1024}, {"32, 4, 2", 256}};
    for (const auto& [threads, most] : most_threads) {
        simt::EngineDevice device(0);
        const int module = device.load_module({text_of("", ".maxntid " + threads)});
        EXPECT_EQ(device.function(device.find_function(module, "kernel")).max_threads, most) << threads;
        device.reset();
    }
}

/// Instructions that access memory at `@`, in the given space of addresses.
const std::vector<std::string> in_global{
    "ld.u8 %r1, [@];",
    "ld.u16 %r1, [@];",
    "ld.global.u32 %r1, [@];",
    "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [@];",
    "ld.v2.u64 {%d2, %d3}, [@];",
    "ld.global.nc.u64 %d2, [@];",
    "st.u8 [@], %r1;",
    "st.global.v2.u64 [@], {%d2, %d3};",
    "st.v4.u32 [@], {%r1, %r2, %r3, %r4};",
    "atom.add.u32 %r1, [@], 1;",
    "atom.global.cas.b64 %d2, [@], %d3, %d4;",
    "red.global.add.f32 [@], %f1;",
    "mov.u32 %r1, tile;\ncp.async.ca.shared.global [%r1], [@], 16;",
    "mov.u32 %r1, tile;\ncp.async.cg.shared.global [%r1], [@], 16, 3;",
    "mov.u32 %r1, tile;\ncp.async.bulk.global.shared::cta.bulk_group [@], [%r1], 32;",
    "mov.u32 %r1, tile;\ncp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [@], [%r1], 32;",
};
const std::vector<std::string> in_shared{
    "ld.shared.u8 %r1, [@];",
    "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [@];",
    "st.shared.u64 [@], %d2;",
    "st.shared::cluster.u32 [@], %r1;",
    "atom.shared.add.u32 %r1, [@], 1;",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [@];",
    "stmatrix.sync.aligned.m8n8.x4.shared.b16 [@], {%r1, %r2, %r3, %r4};",
    "mbarrier.init.shared.b64 [@], 1;",
    "mbarrier.arrive.shared.b64 %d2, [@];",
    "cp.async.ca.shared.global [@], [memory], 16;",
};
const std::vector<std::string> in_local{"ld.local.u32 %r1, [@];", "st.local.v4.u32 [@], {%r1, %r2, %r3, %r4};", "ld.const.u64 %d2, [@];"};

/// 64-bit addresses at which the kernel's text has nothing.
constexpr std::uint64_t far_addresses[] = {0,
                                           1,
                                           ~std::uint64_t{0},
                                           ~std::uint64_t{3},
                                           ~std::uint64_t{15},
                                           (std::uint64_t{1} << 56) + (std::uint64_t{65} << 24) - 16,
                                           (std::uint64_t{1} << 57) - 16,
                                           (std::uint64_t{1} << 57) + (std::uint64_t{1} << 32) - 16,
                                           (std::uint64_t{1} << 58) - 16,
                                           (std::uint64_t{1} << 58) + 65536 - 16,
                                           std::uint64_t{1} << 59,
                                           std::uint64_t{1} << 63};
/// 32-bit addresses outside the kernel's shared memory.
constexpr std::uint32_t far_offsets[] = {64, 4096, 0x00FFFFF0, 0x01000000, 0x40FFFFF0, 0x7FFFFFF0, 0xFFFFFFF0, 0xFFFFFFFF};

std::string at(const std::string& instruction, const std::string& reg) {
    std::string text = instruction;
    text.replace(text.find('@'), 1, reg);
    return text;
}

/// The same instructions succeed at the kernel's own addresses, so the test below can fail.
TEST(HostilePtx, IsNotToldOfAddressesThatAreThere) {
    const auto expect_nothing = [](const std::string& body) { EXPECT_FALSE(run(body).is_told) << body; };
    for (const std::string& instruction : in_global) expect_nothing("mov.u64 %d1, memory;\n" + at(instruction, "%d1"));
    for (const std::string& instruction : in_shared) expect_nothing("mov.u32 %r8, tile;\n" + at(instruction, "%r8"));
    // More bytes than a barrier's state holds: the arithmetic must stay defined.
    for (const char* bytes : {"0x7FFFFFFF", "0x80000000"})
        expect_nothing("mov.u32 %r8, tile;\nmbarrier.init.shared.b64 [%r8], 64;\nmov.u32 %r1, " + std::string(bytes) +
                       ";\nmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r8], %r1;\n"
                       "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r8], %r1;");
    expect_nothing(tensor_copy("0x0100", 16, "0x0101"));
    expect_nothing(tensor_copy("0x0200", 16, "0x0101"));
    expect_nothing("mov.u64 %d1, own;\n" + at(in_local[0], "%d1"));
    expect_nothing("mov.u64 %d1, own;\n" + at(in_local[1], "%d1"));
    expect_nothing("mov.u64 %d1, fixed;\n" + at(in_local[2], "%d1"));
}

TEST(HostilePtx, IsToldOfEachFarAddressOfEachInstruction) {
    int tried = 0;
    const auto expect_told = [&](const std::string& body) {
        EXPECT_TRUE(run(body).is_told) << body;
        ++tried;
    };
    for (const std::uint64_t address : far_addresses)
        for (const std::string& instruction : in_global)
            expect_told("mov.u64 %d1, " + std::to_string(address) + ";\n" + at(instruction, "%d1"));
    for (const std::uint32_t offset : far_offsets)
        for (const std::string& instruction : in_shared)
            expect_told("mov.u32 %r8, " + std::to_string(offset) + ";\n" + at(instruction, "%r8"));
    for (const std::uint64_t address : far_addresses)
        if (address > 1)
            for (const std::string& instruction : in_local)
                expect_told("mov.u64 %d1, " + std::to_string(address) + ";\n" + at(instruction, "%d1"));
    EXPECT_GE(tried, 200);
}

}  // namespace
