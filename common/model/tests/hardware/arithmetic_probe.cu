// Prints the results, for fixed inputs, of instructions that the PTX ISA leaves open, bounds, or defines by tables: lines
// `instruction inputs = result` in hexadecimal. The lines of a GPU and of the model can be compared. Approximate functions may
// differ in their last bits; all other lines must be the same.

#include <cstdint>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                    \
    do {                                                                               \
        const cudaError_t error = (call);                                              \
        if (error != cudaSuccess) {                                                    \
            std::fprintf(stderr, "arithmetic_probe: %s\n", cudaGetErrorString(error)); \
            std::exit(1);                                                              \
        }                                                                              \
    } while (false)

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr int inputs = 256;

template <class Probe> void report(U64* source, U64* result);
std::vector<void (*)(U64*, U64*)> reports;

/// Constraints of inline PTX: operands are bits whatever the instruction's type.
#define PROBE(name, D, d, A, count, text, ...)                                               \
    struct name {                                                                            \
        using Result = D;                                                                    \
        static const char* title() { return text; }                                          \
        static constexpr int sources = count, source_bytes = sizeof(A);                      \
        static __device__ D run(U64 x, [[maybe_unused]] U64 y, [[maybe_unused]] U64 z) {     \
            D result;                                                                        \
            asm volatile(text " %0, %1" OPERANDS_##count ";" : "=" d(result) : __VA_ARGS__); \
            return result;                                                                   \
        }                                                                                    \
    };                                                                                       \
    [[maybe_unused]] const bool has_##name = (reports.push_back(report<name>), true);
#define OPERANDS_1
#define OPERANDS_2 ", %2"
#define OPERANDS_3 ", %2, %3"
#define PROBE_1(name, D, d, A, a, text) PROBE(name, D, d, A, 1, text, a(static_cast<A>(x)))
#define PROBE_2(name, D, d, A, a, B, b, text) PROBE(name, D, d, A, 2, text, a(static_cast<A>(x)), b(static_cast<B>(y)))
#define PROBE_3(name, D, d, A, a, B, b, C, c, text) \
    PROBE(name, D, d, A, 3, text, a(static_cast<A>(x)), b(static_cast<B>(y)), c(static_cast<C>(z)))

/// Single precision is passed as `r` and double as `l`: ptxas accepts both as untyped registers.
#define F32_1(name, text) PROBE_1(name, U32, "r", U32, "r", text)
#define F32_2(name, text) PROBE_2(name, U32, "r", U32, "r", U32, "r", text)
#define F32_3(name, text) PROBE_3(name, U32, "r", U32, "r", U32, "r", U32, "r", text)
#define F64_1(name, text) PROBE_1(name, U64, "l", U64, "l", text)
#define F64_2(name, text) PROBE_2(name, U64, "l", U64, "l", U64, "l", text)
#define F64_3(name, text) PROBE_3(name, U64, "l", U64, "l", U64, "l", U64, "l", text)
#define F16_1(name, text) PROBE_1(name, U16, "h", U16, "h", text)
#define F16_2(name, text) PROBE_2(name, U16, "h", U16, "h", U16, "h", text)
#define F16_3(name, text) PROBE_3(name, U16, "h", U16, "h", U16, "h", U16, "h", text)

F32_1(SinApprox, "sin.approx.f32")
F32_1(CosApprox, "cos.approx.f32")
F32_1(Ex2Approx, "ex2.approx.f32")
F32_1(Ex2ApproxFtz, "ex2.approx.ftz.f32")
F32_1(Lg2Approx, "lg2.approx.f32")
F32_1(TanhApprox, "tanh.approx.f32")
F32_1(RcpApprox, "rcp.approx.f32")
F32_1(SqrtApprox, "sqrt.approx.f32")
F32_1(RsqrtApprox, "rsqrt.approx.f32")
F32_2(DivApprox, "div.approx.f32")
F32_2(DivApproxFtz, "div.approx.ftz.f32")
F32_2(DivFull, "div.full.f32")
F64_1(RcpGross, "rcp.approx.ftz.f64")
F64_1(RsqrtGross, "rsqrt.approx.ftz.f64")
F64_1(RsqrtDouble, "rsqrt.approx.f64")
F16_1(Ex2Half, "ex2.approx.f16")
F16_1(TanhHalf, "tanh.approx.f16")
F16_1(TanhBfloat, "tanh.approx.bf16")
F16_1(Ex2Bfloat, "ex2.approx.ftz.bf16")

F32_2(AddRn, "add.rn.f32")
F32_2(AddRm, "add.rm.f32")
F32_2(MulFtzSat, "mul.rn.ftz.sat.f32")
F32_3(FmaRn, "fma.rn.f32")
F32_3(FmaRz, "fma.rz.f32")
F32_3(FmaFtz, "fma.rn.ftz.f32")
F32_2(DivRn, "div.rn.f32")
F32_2(DivRp, "div.rp.ftz.f32")
F32_1(RcpRm, "rcp.rm.f32")
F32_1(SqrtRp, "sqrt.rp.f32")
F32_2(MinF32, "min.f32")
F32_2(MaxNan, "max.NaN.f32")
F32_2(MinXor, "min.xorsign.abs.f32")
F32_1(AbsF32, "abs.f32")
F32_1(NegFtz, "neg.ftz.f32")
F64_2(AddDouble, "add.rn.f64")
F64_2(MulRz, "mul.rz.f64")
F64_3(FmaRp, "fma.rp.f64")
F64_2(DivDouble, "div.rn.f64")
F64_1(SqrtRm, "sqrt.rm.f64")
F64_2(MinDouble, "min.f64")
F64_2(MaxDouble, "max.f64")
F16_2(AddHalf, "add.rn.f16")
F16_2(MulFtzHalf, "mul.rn.ftz.f16")
F16_3(FmaHalf, "fma.rn.f16")
F16_3(FmaSatHalf, "fma.rn.sat.f16")
F16_3(FmaReluHalf, "fma.rn.relu.f16")
F16_3(FmaBfloat, "fma.rn.bf16")
F16_2(AddBfloat, "add.rn.bf16")
F16_2(MaxHalf, "max.f16")
F16_2(MinNanBfloat, "min.NaN.bf16")
F16_1(NegHalf, "neg.f16")
F16_1(AbsBfloat, "abs.bf16")
PROBE_3(FmaHalf2, U32, "r", U32, "r", U32, "r", U32, "r", "fma.rn.f16x2")
PROBE_3(FmaBfloat2, U32, "r", U32, "r", U32, "r", U32, "r", "fma.rn.relu.bf16x2")

PROBE_1(ToS32, U32, "r", U32, "r", "cvt.rzi.s32.f32")
PROBE_1(ToU32Up, U32, "r", U32, "r", "cvt.rpi.u32.f32")
PROBE_1(ToS64, U64, "l", U32, "r", "cvt.rni.s64.f32")
PROBE_1(ToU64, U64, "l", U64, "l", "cvt.rmi.u64.f64")
PROBE_1(ToS32OfDouble, U32, "r", U64, "l", "cvt.rzi.s32.f64")
PROBE_1(ToU32OfDouble, U32, "r", U64, "l", "cvt.rni.u32.f64")
PROBE_1(ToU16, U16, "h", U32, "r", "cvt.rzi.u16.f32")
PROBE_1(ToS8, U32, "r", U32, "r", "cvt.rni.s8.f32")
PROBE_1(ToS32OfHalf, U32, "r", U16, "h", "cvt.rni.s32.f16")
PROBE_1(ToS64OfHalf, U64, "l", U16, "h", "cvt.rzi.s64.f16")
PROBE_1(HalfOfFloat, U16, "h", U32, "r", "cvt.rn.f16.f32")
PROBE_1(HalfOfFloatRz, U16, "h", U32, "r", "cvt.rz.f16.f32")
PROBE_1(HalfFinite, U16, "h", U32, "r", "cvt.rn.satfinite.f16.f32")
PROBE_1(HalfOfDouble, U16, "h", U64, "l", "cvt.rn.f16.f64")
PROBE_1(HalfOfS64, U16, "h", U64, "l", "cvt.rn.f16.s64")
PROBE_1(HalfSat, U16, "h", U32, "r", "cvt.rn.sat.f16.f32")
PROBE_1(BfloatOfFloat, U16, "h", U32, "r", "cvt.rn.bf16.f32")
PROBE_1(BfloatRelu, U16, "h", U32, "r", "cvt.rz.relu.bf16.f32")
PROBE_1(FloatOfHalf, U32, "r", U16, "h", "cvt.f32.f16")
PROBE_1(FloatOfBfloat, U32, "r", U16, "h", "cvt.f32.bf16")
PROBE_1(DoubleOfFloat, U64, "l", U32, "r", "cvt.f64.f32")
PROBE_1(DoubleOfHalf, U64, "l", U16, "h", "cvt.f64.f16")
PROBE_1(FloatOfDouble, U32, "r", U64, "l", "cvt.rn.f32.f64")
PROBE_1(FloatOfDoubleRp, U32, "r", U64, "l", "cvt.rp.f32.f64")
PROBE_1(FloatOfU64, U32, "r", U64, "l", "cvt.rm.f32.u64")
PROBE_1(RoundFloat, U32, "r", U32, "r", "cvt.rni.f32.f32")
PROBE_1(RoundFloatFtz, U32, "r", U32, "r", "cvt.rpi.ftz.f32.f32")
PROBE_1(SatFloat, U32, "r", U32, "r", "cvt.sat.f32.f32")
PROBE_1(ToTf32, U32, "r", U32, "r", "cvt.rna.tf32.f32")
PROBE_2(ToHalf2, U32, "r", U32, "r", U32, "r", "cvt.rn.f16x2.f32")
PROBE_2(ToBfloat2, U32, "r", U32, "r", U32, "r", "cvt.rn.relu.bf16x2.f32")
PROBE_2(ToE4m3, U16, "h", U32, "r", U32, "r", "cvt.rn.satfinite.e4m3x2.f32")
PROBE_2(ToE5m2, U16, "h", U32, "r", U32, "r", "cvt.rn.satfinite.relu.e5m2x2.f32")
PROBE_1(E4m3OfHalf, U16, "h", U32, "r", "cvt.rn.satfinite.e4m3x2.f16x2")
PROBE_1(HalfOfE4m3, U32, "r", U16, "h", "cvt.rn.f16x2.e4m3x2")
PROBE_1(HalfOfE5m2, U32, "r", U16, "h", "cvt.rn.relu.f16x2.e5m2x2")
PROBE_2(PackU16, U32, "r", U32, "r", U32, "r", "cvt.pack.sat.u16.s32")
PROBE_3(PackS8, U32, "r", U32, "r", U32, "r", U32, "r", "cvt.pack.sat.s8.s32.b32")

F32_2(DivS32, "div.s32")
F32_2(RemS32, "rem.s32")
F32_2(DivU32, "div.u32")
F64_2(DivS64, "div.s64")
F64_2(RemU64, "rem.u64")
PROBE_2(DivS16, U16, "h", U16, "h", U16, "h", "div.s16")
F32_3(Sad, "sad.s32")
F32_3(MadHiSat, "mad.hi.sat.s32")
F32_2(Mul24Hi, "mul24.hi.s32")
F32_3(Mad24HiSat, "mad24.hi.sat.s32")
F32_3(Prmt, "prmt.b32")
F32_3(PrmtB4e, "prmt.b32.b4e")
F32_3(PrmtEcl, "prmt.b32.ecl")
F32_3(PrmtRc16, "prmt.b32.rc16")
F32_3(BfeS32, "bfe.s32")
PROBE_3(BfeS64, U64, "l", U64, "l", U32, "r", U32, "r", "bfe.s64")
F32_3(ShfL, "shf.l.clamp.b32")
F32_3(ShfR, "shf.r.wrap.b32")
F32_2(ShlB32, "shl.b32")
F32_2(ShrS32, "shr.s32")
F32_2(BmskClamp, "bmsk.clamp.b32")
F32_2(BmskWrap, "bmsk.wrap.b32")
F32_2(SzextClamp, "szext.clamp.s32")
F32_2(SzextWrap, "szext.wrap.u32")
F32_1(BfindS32, "bfind.s32")
F32_1(BfindShift, "bfind.shiftamt.u32")
F32_3(Fns, "fns.b32")
F32_3(Dp4a, "dp4a.s32.u32")
F32_3(Dp2a, "dp2a.hi.u32.s32")
F32_2(MinRelu, "min.relu.s16x2")
F32_2(SetNeu, "set.neu.u32.f16x2")
F32_2(SetLt, "set.lt.f16x2.f16x2")
F32_2(SetNum, "set.num.f32.f32")
F32_2(VaddSat, "vadd.s32.u32.s32.sat")
F32_3(VmadShift, "vmad.s32.s32.u32.sat.shr15")
F32_3(VabsdiffAdd, "vabsdiff4.u32.s32.u32.add")
F32_3(VavrgSigned, "vavrg2.s32.s32.s32.sat")
F32_3(Vset, "vset4.s32.u32.lt.add")
F32_2(VshlClamp, "vshl.s32.s32.u32.sat.clamp")

template <class Probe> __global__ void probe(const U64* source, U64* result) {
    const int n = static_cast<int>(threadIdx.x);
    result[n] = Probe::run(source[n], source[n + 1], source[n + 2]);
}

U64 random_number(U64& state) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return state >> 11 ^ state << 32;
}

/// Numbers of `bytes` bytes: first edge cases, then random bits, half of them with an exponent near that of 1.
std::vector<U64> make_inputs(int bytes) {
    static const U64 edges_of_2[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3f80,
                                     0x7bff, 0x7c00, 0xfc00, 0x7e00, 0xfc01, 0x7f7f, 0x7f80, 0x0080, 0xffff};
    static const U64 edges_of_4[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x3f800000,
                                     0xbf800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001,
                                     0x4f000000, 0xcf000000, 0x5f000000, 0x7e800000, 0x7e800001, 31,         32,
                                     33,         0x7fffffff, 0xffffffff, 0x3f000000, 0x40200000, 0x477ff000, 0x33000001};
    static const U64 edges_of_8[] = {0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000,
                                     0x3ff0000000000000, 0xbff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
                                     0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001, 0x41dfffffffc00000, 0x41e0000000000000,
                                     0x43e0000000000000, 0x43f0000000000000, 0x36a0000000000000, 0x47efffffefffffff, 0xffffffffffffffff,
                                     0x7fffffffffffffff};
    const U64* edges = bytes == 2 ? edges_of_2 : (bytes == 4 ? edges_of_4 : edges_of_8);
    const std::size_t count = bytes == 2 ? std::size(edges_of_2) : (bytes == 4 ? std::size(edges_of_4) : std::size(edges_of_8));
    const U64 mask = bytes == 8 ? ~0ULL : (1ULL << 8 * bytes) - 1;
    const U64 exponent_bits = bytes == 2 ? 0x4000 : (bytes == 4 ? 0x70000000 : 0x7f00000000000000);
    const U64 exponent = bytes == 2 ? 0 : (bytes == 4 ? 0x30000000 : 0x3f00000000000000);
    std::vector<U64> result;
    U64 state = 20260101;
    for (std::size_t n = 0; n < inputs + 2; ++n) {
        const U64 bits = random_number(state);
        if (n < 2 * count) result.push_back(edges[n % 2 == 0 ? n / 2 : bits % count]);
        else result.push_back((n % 2 == 0 ? bits : (bits & ~exponent_bits) | exponent) & mask);
    }
    return result;
}

template <class Probe> void report(U64* source, U64* result) {
    const std::vector<U64> numbers = make_inputs(Probe::source_bytes);
    CHECK(cudaMemcpy(source, numbers.data(), numbers.size() * sizeof(U64), cudaMemcpyHostToDevice));
    probe<Probe><<<1, inputs>>>(source, result);
    CHECK(cudaGetLastError());
    std::vector<U64> results(inputs);
    CHECK(cudaMemcpy(results.data(), result, inputs * sizeof(U64), cudaMemcpyDeviceToHost));
    for (std::size_t n = 0; n < inputs; ++n) {
        std::printf("%s", Probe::title());
        for (std::size_t s = 0; s < Probe::sources; ++s) std::printf(" %llx", static_cast<unsigned long long>(numbers[n + s]));
        std::printf(" = %0*llx\n", static_cast<int>(2 * sizeof(typename Probe::Result)), static_cast<unsigned long long>(results[n]));
    }
}

int main() {
    U64* memory = nullptr;
    CHECK(cudaMalloc(&memory, 2 * (inputs + 2) * sizeof(U64)));
    for (const auto report : reports) report(memory, memory + inputs + 2);
    CHECK(cudaFree(memory));
    return 0;
}
