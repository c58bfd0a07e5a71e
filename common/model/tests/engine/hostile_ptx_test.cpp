// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// PTX that no compiler writes: what it reaches for beyond its memory is refused or ends its launch, and the process goes on. The sanitizers'
// build of these tests shows accesses that happen not to crash.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "simt/model.hpp"

namespace {

struct Case {
    std::string what, body;
};

/// The kernel has a parameter of 8 bytes, 64 bytes of shared memory and 32 of local memory; `f` is a function with a parameter of 4 bytes.
std::string text_of(const std::string& body)
{
    return ".version 9.0\n.target sm_90\n.address_size 64\n"
           ".global .align 8 .b8 memory[64];\n.const .align 8 .b8 fixed[16];\n"
           ".func (.param .b32 result) f(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a];\nst.param.b32 [result], "
           "%r1;\nret;\n}\n"
           ".visible .entry kernel(.param .u64 p)\n{\n"
           ".reg .b64 %d<16>;\n.reg .b32 %r<16>;\n.reg .pred %p<4>;\n.reg .f32 %f<16>;\n"
           ".shared .align 16 .b8 tile[64];\n.local .align 16 .b8 own[32];\n" +
           body + "\nret;\n}\n";
}

const std::vector<Case>& cases()
{
    static const std::vector<Case> all{
        {"a parameter before the first", "ld.param.u64 %d1, [p-8];"},
        {"a parameter behind the last", "ld.param.u64 %d1, [p+8];"},
        {"a parameter far before", "ld.param.u64 %d1, [p-2147483648];"},
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
    };
    return all;
}

TEST(HostilePtx, IsRefusedOrEndsItsLaunch)
{
    for (const Case& each : cases()) {
        simt::EngineDevice device(0);
        std::string printed;
        device.set_printer([&printed](std::string_view text) { printed += text; });
        try {
            std::string text = text_of(each.body);
            if (each.body.find("vprintf") != text.npos)
                text.insert(text.find(".global"), ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n");
            const int module = device.load_module({text});
            simt::LaunchRequest request;
            request.function = device.find_function(module, "kernel");
            ASSERT_GE(request.function, 0) << each.what;
            request.block = {32, 1, 1};
            request.parameters.resize(8);
            const int error = device.launch(request);
            const bool is_told = error != 0 || !simt::take_hazards().empty() || !simt::take_errors().empty();
            // What lies beside a parameter reads as zeros, and printf of no text prints nothing.
            EXPECT_TRUE(is_told || each.what.find("a parameter") == 0 || each.what.find("printf") == 0) << each.what;
        } catch (const simt::DeviceError& refused) {
            EXPECT_FALSE(refused.message().text().empty()) << each.what;
        }
        simt::take_hazards();
        simt::take_errors();
        simt::take_launches();
        device.reset();
    }
}

}  // namespace
