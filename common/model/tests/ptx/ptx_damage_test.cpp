#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "ptx/module.hpp"

namespace simt::ptx {
namespace {

/// A text with an example of everything that the parser reads.
constexpr std::string_view sample = R"(// head
.version 9.0
.target sm_90a, debug
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 x, .param .b64 y);
.extern .shared .align 16 .b8 dynamic[];
.global .attribute(.managed) .align 4 .f32 m = 0f3FC00000;
.const .align 4 .b8 c[2][3] = {{0, 128}, {63}};
.global .u64 p[] = {generic(m)+4, 0xFF(c), -1, (1 << 3) | 0x7U};
.visible .entry k(.param .u64 .ptr .global .align 16 a, .param .align 8 .b8 s[40])
.maxntid 128, 1, 1
.minnctapersm 2
{
	.local .align 16 .b8 __local_depot0[64];
	.reg .pred %p<8>; .reg .b32 %r<38>; .reg .b64 %rd<33>; .reg .f32 %f<9>; .reg .v4 .f32 v;
	.loc 1 19 0
	mov.u32 %r1, %tid.x;
	ld.param.v2.f32 {%f2, %f3}, [s+8];
	.loc 2 5 3, function_name $L__info_string0, inlined_at 1 24 3
	@!%p1 bra $L__BB0_1;
	{ // callseq
	.reg .b32 temp_param_reg; .param .b32 param0; .param .b32 retval0;
	st.param.b32 [param0+-4], %r1;
	prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);
	call (retval0), %rd1, (param0), prototype_0;
	call.uni (retval0), vprintf, (param0, param0);
	}
	.pragma "nounroll";
$L__BB0_1:
	tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p2, [%rd1, {%f1, %f2}];
	setp.lt.and.f32 %p1|%p2, %f1, 0d3FF0000000000000, !%p3; mov.f32 v.x, v.y;
	table: .branchtargets $L__BB0_1, END;
	brx.idx %r1, table;
END:
	st.shared.b32 [dynamic+4], WARP_SZ;
	ret;
}
.file 1 "/tmp/a.cu"
.section .debug_str
{
$L__info_string0:
.b8 95,90,49,0
}
)";

/// Whether parsing the text gives a module, or a ParseError of one line.
void expect_an_end(std::string_view text) {
    try {
        parse(text);
    } catch (const ParseError& error) {
        EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
    }
}

TEST(PtxDamage, NoneIsInTheSample) { EXPECT_EQ(parse(sample).functions.size(), 2u); }

TEST(PtxDamage, OfTextsCutAnywhere) {
    for (std::size_t length = 0; length <= sample.size(); ++length) expect_an_end(std::string(sample.substr(0, length)));
    for (std::size_t length = 0; length <= sample.size(); ++length) expect_an_end(std::string(sample.substr(length)));
}

TEST(PtxDamage, OfRandomBytes) {
    std::mt19937 random(15);
    const std::string_view likely = "{}[]()<>,;:.@%!-+|0123456789xUf\"/*_ $\n";
    for (int trial = 0; trial < 4000; ++trial) {
        std::string text(sample);
        for (int change = 0; change < 1 + trial % 4; ++change) {
            const std::size_t position = random() % text.size();
            const char byte = trial % 2 == 0 ? static_cast<char>(random()) : likely[random() % likely.size()];
            switch (random() % 4) {
                case 0: text.insert(position, 1, byte); break;
                case 1: text.erase(position, 1 + random() % 20); break;
                case 2: text.insert(position, text.substr(random() % text.size(), random() % 40)); break;
                default: text[position] = byte;
            }
        }
        expect_an_end(text);
    }
}

TEST(PtxDamage, ThatAsksForTooMuch) {
    const std::string head = ".version 9.0\n.target sm_90\n";
    const auto repeated = [](std::string_view word) {
        std::string text;
        for (int i = 0; i < 100000; ++i) text += word;
        return text;
    };
    const std::string texts[] = {
        head + ".entry k() { .reg .b32 %r<2000000000>; }",
        head + ".entry k() { .shared .b32 s<2000000000>; }",
        head + ".entry k() " + repeated("{"),
        head + ".entry k() { mov.b32 a, " + repeated("("),
        head + ".entry k() { mov.b32 a, 1 " + repeated("+ -"),
        head + ".entry k() { mov.b32 a, 1 " + repeated("? 1 :"),
        head + ".entry k() { mov.b32 a, " + repeated("{"),
        head + ".entry k() { mov.b32 a, " + repeated("["),
        head + ".global .b8 a" + repeated("[2]") + ";",
        head + ".global .b8 a[2][1000000000000] = {{1},{2}};",
        head + ".global .b8 a[] = " + repeated("{"),
        head + ".global .b8 a[9999999999][9999999999][9999999999];",
        head + ".file 1000000000 \"a\"",
        head + ".global .attribute" + repeated("("),
    };
    for (const std::string& text : texts) EXPECT_THROW(parse(text), ParseError) << text.substr(0, 80);
}

}  // namespace
}  // namespace simt::ptx
