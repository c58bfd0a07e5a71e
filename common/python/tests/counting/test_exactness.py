"""The comparison of PTX with machine code: by small kernels that ptxas compiles, and by texts."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from conflict_free.counting import exactness, machine_code, ptx_accesses, sass_accesses
from conflict_free.setup import cuda

NVCC = cuda.present_nvcc()
needs_tools = pytest.mark.skipif(not NVCC or not machine_code.find_nvdisasm(NVCC), reason="no nvcc, or no nvdisasm")


# --- kernels -----------------------------------------------------------------------------------

ONE, EIGHT, SIXTEEN, LEADER = (0, 0, False), (8, 0, False), (16, 0, False), (4, 0, True)

#: For each kernel: its text; how accesses are counted that ptxas joins, or lets one lane do; and notes that it has.
EXACT = {
    "copy": "__global__ void k(float* out, const float* in) { out[threadIdx.x] = in[threadIdx.x]; }",
    "unrolled by ptxas": """__global__ void k(float* out, const float* in, int n) {
        __shared__ float tile[32][33];
        for (int i = 0; i < n; ++i) {
            tile[threadIdx.y][threadIdx.x] = in[i * 1024 + threadIdx.y * 32 + threadIdx.x];
            __syncthreads();
            out[i * 1024 + threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
            __syncthreads(); } }""",
    "branches that become predicates": """__global__ void k(int* out, const int* in, int n) {
        __shared__ int s[256];
        int t = threadIdx.x;
        s[t] = t < n ? in[t] : 0;
        __syncthreads();
        for (int step = 128; step > 0; step /= 2) { if (t < step) s[t] += s[t + step]; __syncthreads(); }
        if (t == 0) *out = s[0]; }""",
    "maximum in a register": """__global__ void k(int* out, const int* in, int n) {
        extern __shared__ int m[];
        int t = threadIdx.x;
        m[t] = 0;
        for (int i = t; i < n; i += blockDim.x) m[t] = max(m[t], in[i]);
        __syncthreads();
        out[t] = m[blockDim.x - 1 - t]; }""",
    "global vectors": "__global__ void k(float4* out, const float4* in) { out[threadIdx.x] = in[threadIdx.x]; }",
    "shared atomic of integers": """__global__ void k(unsigned* out, const unsigned char* in, int n) {
        __shared__ unsigned s[256];
        s[threadIdx.x] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += 256) atomicAdd(&s[in[i]], 1u);
        __syncthreads();
        atomicAdd(&out[threadIdx.x], s[threadIdx.x]); }""",
    "atomics on many addresses": "__global__ void k(unsigned* out, const unsigned* in) { atomicAdd(&out[in[threadIdx.x]], 1u); }",
}
JOINED = {
    "two neighbors are one access": (
        """__global__ void k(unsigned* out, const unsigned* in) {
    __shared__ unsigned s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        int at = 2 * step * t;
        if (at < 256)
            s[at] += s[at + step];
        __syncthreads();
    }
    if (t == 0) *out = s[0]; }""",
        [ONE, EIGHT],
        [{"file": "k.cu", "line": 9, "ptx": "ld.shared.u32", "sass": "LDS.64"}],
    ),
    "rows of a matrix product are wide loads": (
        """__global__ void k(const float* a, const float* b, float* c, int n) {
    __shared__ float A[16][16], B[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int i = 0; i < n; i += 16) {
        A[y][x] = a[y * n + i + x];
        B[y][x] = b[(i + y) * n + x];
        __syncthreads();
        for (int j = 0; j < 16; ++j) sum += A[y][j] * B[j][x];
        __syncthreads();
    }
    c[y * n + x] = sum; }""",
        [ONE] * 12 + [SIXTEEN] * 4,
        [{"line": 9, "sass": "LDS.128"}],
    ),
    "stores are joined too": (
        """__global__ void k(float4* out) {
    __shared__ float s[512];
    int t = threadIdx.x;
    for (int i = 0; i < 4; ++i) s[4 * t + i] = t * i;
    __syncthreads();
    out[t] = *reinterpret_cast<float4*>(&s[4 * (127 - t)]); }""",
        [ONE] * 3 + [SIXTEEN],
        [{"sass": "STS.128"}],
    ),
    "one lane does an atomic on one address": (
        "__global__ void k(unsigned* out, const unsigned* in) { if (in[threadIdx.x] > 3) atomicAdd(out, 1u); }",
        [LEADER],
        [{"why": "ptxas lets one lane act for all active lanes; one access is counted"}],
    ),
    "atomics share the choice of a lane": (
        """__global__ void k(int* out) {
    int t = blockDim.x * blockIdx.x + threadIdx.x;
    atomicAdd(out, 10);
    atomicMax(out + 1, t);
    atomicXor(out + 2, t);
    atomicExch(out + 3, t); }""",
        [LEADER] * 3,
        [{"ptx": "atom.global.add.u32"}, {"ptx": "atom.global.max.s32"}, {"ptx": "atom.global.xor.b32"}],
    ),
}
#: Kernels that are not exact, and the note that says why.
MARKED = {
    '__global__ void k(int* out) { printf("%d", out[0]); }': "the driver's printf makes accesses",
    "__global__ void k(int* out) { out[0] = *static_cast<int*>(malloc(4)); }": "the driver's malloc makes accesses",
    """__global__ void k(float* out, const unsigned char* in) {
    __shared__ float s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[in[threadIdx.x]], 1.0f);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x]; }""": "ptxas replaces it with a loop of loads and compare-and-swaps",
    # Its last store has a guard, of which ptxas makes an exit, and then it loads what is stored.
    """__global__ void k(float* out, const float* in, int n) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    float value = s[255 - t];
    asm volatile(".reg .pred p; setp.lt.s32 p, %2, %3; @p st.global.f32 [%0], %1;" ::"l"(out + t), "f"(value), "r"(t), "r"(n)); }""": (
        "ptxas moves it behind a branch that it makes of a later access"
    ),
}


@pytest.fixture(scope="session")
def compared(tmp_path_factory) -> dict[str, exactness.Comparison]:
    """The comparisons of all these kernels, by their texts. They are one program, which is compiled once."""
    texts = [*EXACT.values(), *(text for text, _, _ in JOINED.values()), *MARKED]
    folder = tmp_path_factory.mktemp("kernels")
    source, ptx = folder / "k.cu", folder / "k.ptx"
    source.write_text(
        "".join(f'#line 1 "k.cu"\nextern "C" {text.replace(" k(", f" k{number}(", 1)}\n' for number, text in enumerate(texts)),
        encoding="utf-8",
    )
    subprocess.run([NVCC, "-std=c++20", "-lineinfo", "-arch=compute_90", "-ptx", source, "-o", ptx], check=True, capture_output=True)
    found = exactness.compare_text(ptx.read_text(encoding="utf-8"), machine_code.disassemble(ptx, NVCC).text)
    return {text: found[f"k{number}"] for number, text in enumerate(texts)}


@needs_tools
@pytest.mark.parametrize("name", EXACT)
def test_what_ptxas_leaves_alone_is_exact(compared, name):
    found = compared[EXACT[name]]
    assert found.exact and not found.fused and not found.counted


@needs_tools
@pytest.mark.parametrize("name", JOINED)
def test_what_ptxas_joins_is_counted_so_and_exact(compared, name):
    kernel, counted, notes = JOINED[name]
    found = compared[kernel]
    assert found.exact and sorted(found.counted.values()) == counted
    assert [{key: note[key] for key in wanted} for note, wanted in zip(found.fused, notes, strict=True)] == notes


@needs_tools
@pytest.mark.parametrize(("kernel", "why"), MARKED.items(), ids=("printf", "malloc", "atomic", "load"))
def test_what_cannot_be_counted_so_is_marked(compared, kernel, why):
    found = compared[kernel]
    assert not found.exact and any(note["why"].startswith(why) for note in found.fused)


def test_what_cannot_be_compared_is_written_down(tmp_path):
    output = tmp_path / "program.exactness"
    exactness.main(str(tmp_path / "program"), str(tmp_path / "no reader"), "nvcc", str(output))
    written = json.loads(output.read_text(encoding="utf-8"))
    assert written["texts"] == {} and written["unknown"].startswith("not compared with machine code: no reader cannot be run")


@needs_tools
@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "sm_120", "sm_120a"])
def test_a_text_for_another_architecture_is_compared(tmp_path, target):
    """Triton writes its texts for the machine that the program sees."""
    source, ptx = tmp_path / "k.cu", tmp_path / "k.ptx"
    source.write_text(f'extern "C" {EXACT["copy"]}\n', encoding="utf-8")
    subprocess.run([NVCC, "-arch=" + target.replace("sm", "compute"), "-ptx", source, "-o", ptx], check=True, capture_output=True)
    assert exactness.compare_text(ptx.read_text(encoding="utf-8"), machine_code.disassemble(ptx, NVCC).text)["k"].exact


@needs_tools
def test_spilled_registers_are_marked(tmp_path):
    source, ptx = tmp_path / "k.cu", tmp_path / "k.ptx"
    body = " ".join(f"float v{i} = in[{i} * 64 + threadIdx.x];" for i in range(60))
    total = " + ".join(f"v{i} * v{(i * 7 + 3) % 60}" for i in range(60))
    source.write_text(
        f'extern "C" __global__ void k(float* out, const float* in) {{ {body} __syncthreads(); out[threadIdx.x] = {total}; }}\n',
        encoding="utf-8",
    )
    subprocess.run([NVCC, "-lineinfo", "-arch=compute_90", "-ptx", source, "-o", ptx], check=True, capture_output=True)
    text = ptx.read_text(encoding="utf-8")
    code = machine_code.disassemble(ptx, NVCC, ["-maxrregcount", "32"])
    registers, stored, loaded = code.resources["k"]
    assert registers <= 32 and stored > 0 and loaded > 0
    few = exactness.compare_text(text, code.text)["k"]
    assert not few.exact and any("registers in local memory" in note["why"] for note in few.fused)
    assert exactness.compare_text(text, machine_code.disassemble(ptx, NVCC).text)["k"].exact


@needs_tools
def test_a_text_that_ptxas_refuses_is_one_line(tmp_path):
    ptx = tmp_path / "wrong.ptx"
    ptx.write_text(".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() { frobnicate; }\n", encoding="utf-8")
    with pytest.raises(machine_code.NoMachineCode) as error:
        machine_code.disassemble(ptx, NVCC)
    assert "ptxas" in str(error.value) and "\n" not in str(error.value)


def test_the_compiler_s_output_tells_registers_and_spills():
    said = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90'
ptxas info    : Function properties for helper
    8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas info    : Function properties for first
    0 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers
ptxas info    : Compiling entry function 'second' for 'sm_90'
ptxas info    : Used 16 registers
transpose.cu(9): remark: #pragma message: "
ptxas info    : Compiling entry function 'first' for 'sm_90'
ptxas info    : Function properties for first
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 1 registers
"""
    assert machine_code.resources_in(said) == {"helper": (0, 8, 8), "first": (40, 4, 12), "second": (16, 0, 0)}


def pretend_ptxas(folder: Path, release: str) -> Path:
    """A ptxas that prints its release, and refuses any text because its PTX is too new."""
    folder.mkdir(parents=True)
    tool = folder / "ptxas"
    tool.write_text(
        f"#!/bin/sh\n[ $1 = --version ] && echo 'release, V{release}' || {{ echo 'fatal : Unsupported .version 9.9; current'; exit 1; }}\n",
        encoding="utf-8",
    )
    tool.chmod(0o755)
    return tool


@pytest.fixture
def three_ptxas(monkeypatch, tmp_path):
    """The ptxas of three releases, the first one beside the compiler."""
    monkeypatch.setattr(cuda, "USUAL", tmp_path)
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(variable, raising=False)
    found = [pretend_ptxas(tmp_path / release, release) for release in ("13.0.88", "13.17.37", "12.8.1")]
    monkeypatch.setenv("PATH", os.pathsep.join(["/bin", *(str(tool.parent) for tool in found[1:])]))
    return found


@pytest.mark.parametrize("version, chosen", [("9.0", 0), ("9.17", 1), ("8.8", 2), ("8.3", 1), ("9.99", 1)])
def test_the_ptxas_of_the_text_s_release_or_the_newest_reads_it(three_ptxas, version, chosen):
    found = machine_code.find_ptxas(three_ptxas[0].with_name("nvcc"), f"//\n.version {version}\n.target sm_90\n")
    assert found == three_ptxas[chosen]


def test_a_text_newer_than_any_ptxas_says_what_to_do(three_ptxas, monkeypatch, tmp_path):
    monkeypatch.setattr(machine_code, "find_nvdisasm", lambda _: Path("/bin/true"))
    ptx = tmp_path / "new.ptx"
    ptx.write_text(".version 9.99\n.target sm_90\n", encoding="utf-8")
    with pytest.raises(
        machine_code.NoMachineCode, match="is that of CUDA 13.17, which cannot read PTX 9.9: name the bin folder .* in PATH"
    ):
        machine_code.disassemble(ptx, three_ptxas[0].with_name("nvcc"))


# --- texts -------------------------------------------------------------------------------------

PTX = """\
.version 9.0
.target sm_90
.address_size 64
.visible .entry k(
	.param .u64 k_param_0
)
{
	.reg .b32 	%r<9>;
	.reg .b64 	%rd<9>;
	.loc	1 3 0
	ld.param.u64 	%rd1, [k_param_0];
$L__BB0_1:
	.loc	1 5 0
	ld.shared.u32 	%r1, [%r8];
	ld.shared.u32 	%r2, [%r8+4];
	st.shared.v2.u32 	[%r8+8], {%r1, %r2};
	bar.sync 	0;
	@%p1 bra 	$L__BB0_1;
	{ // begin inline asm
	cp.async.ca.shared.global [%r3], [%rd2], 8, 8;
	}
	atom.global.add.u32 	%r4, [%rd3], 1;
	ret;
}
	.file	1 "/tmp/a.cu"
"""


def test_accesses_are_read_with_their_blocks_and_loops():
    (function,) = ptx_accesses.read(PTX)
    assert (function.name, function.loops) == ("k", [(12, 18)])
    assert [function.ways_out(line) for line in (11, 14, 20)] == [[], [18], []]
    shown = [(a.line, a.space, a.operation, a.bytes, a.base, a.offset) for a in function.accesses]
    assert shown == [
        (14, "shared", "load", 4, "%r8", 0),
        (15, "shared", "load", 4, "%r8", 4),
        (16, "shared", "store", 8, "%r8", 8),
        (20, "global", "async_copy", 8, "", 0),
        (22, "global", "atomic", 4, "%rd3", 0),
    ]
    assert {a.block for a in function.accesses[:3]} == {1} and function.accesses[3].block == 2
    assert (function.accesses[0].file, function.accesses[0].source_line) == ("a.cu", 5)


def test_inline_assembly_stands_at_its_first_line():
    text = PTX.replace(
        "\tld.shared.u32 \t%r2",
        "\t// begin inline asm\n\t.loc 1 6 9 // a.py:6:9\n\tmov.u32 %r2, 0;\n\t.loc 1 7 9\n\tld.shared.u32 %r2, [%r8];\n\t// end inline asm\n\tld.shared.u32 \t%r2",
    )
    (function,) = ptx_accesses.read(text)
    assert [access.source_line for access in function.accesses[:3]] == [5, 6, 6]


def sass(*instructions: tuple[int, str]) -> str:
    lines = [".text.k:"]
    for number, (line, text) in enumerate(instructions):
        lines += (
            [text]
            if text.endswith(":")
            else [f'\t//## File ".nv_debug_ptx_txt", line {line}', f"        /*{16 * number:04x}*/                   {text} ;"]
        )
    return "\n".join(lines) + "\n"


REST = ((20, "LDGSTS.E.64 [R27], desc[UR8][R2.64]"), (22, "ATOMG.E.ADD.STRONG.GPU PT, R3, desc[UR6][R2.64], R5"))
LOOP = ((14, "LDS R1, [R8]"), (15, "LDS R2, [R8+0x4]"), (16, "STS.64 [R8+0x8], R2"), (17, "BAR.SYNC.DEFER_BLOCKING 0x0"))


@pytest.mark.parametrize(
    "instructions, exact, why",
    [
        ((*LOOP, *REST), True, ""),
        ((*LOOP, *LOOP, *REST), True, ""),
        # The line that ptxas notes is that of the instruction before.
        ((LOOP[0], (14, "LDS R2, [R8+0x4]"), *LOOP[2:], *REST), True, ""),
        (((14, "LDS.64 R2, [R8]"), *LOOP[2:], *REST), True, "joins 2"),
        ((*LOOP[:1], *LOOP[2:], *REST), False, "leaves it out"),
        ((*LOOP, LOOP[0], *REST), False, "has it 2 times"),
        (((0, ".L_x_1:"), *LOOP, (18, "@P0 BRA `(.L_x_1)"), *REST), True, ""),
        ((LOOP[0], (0, ".L_x_1:"), *LOOP[1:], (18, "@P0 BRA `(.L_x_1)"), *REST), False, "moves it"),
        ((*LOOP, *REST, (3, "STL [R1], R4")), True, ""),
        ((*LOOP, *REST, (11, "STL [R1], R4")), False, "registers in local memory"),
        ((*LOOP, (20, "@!PT LDS RZ, [RZ]"), *REST), True, ""),
    ],
)
def test_texts_are_compared(instructions, exact, why):
    found = exactness.compare_text(PTX, sass(*instructions))["k"]
    assert found.exact == exact, found.fused
    assert any(why in note["why"] for note in found.fused) if why else not found.fused


def test_loops_of_machine_code_are_told_apart():
    (section,) = sass_accesses.read(sass((0, ".L_x_1:"), LOOP[0], (18, "@P0 BRA `(.L_x_1)"), LOOP[1]))
    assert [access.loop for access in section.accesses] == [16, -1]


def test_memory_instructions_and_barriers_are_kept_in_their_order():
    found = exactness.compare_text(
        PTX, sass((14, "@!P1 LDS R2, [R8]"), (15, "IADD R2, R2, R3"), (17, "BAR.SYNC 0x0"), (20, "@!PT LDS RZ, [RZ]"), *REST)
    )
    assert found["k"].machine_code[:2] == ["@!P1 LDS", "BAR.SYNC"]
    assert "@!PT LDS" not in found["k"].machine_code


def test_accesses_that_the_machine_code_may_not_make_are_uncertain():
    assert exactness.compare_text(PTX, sass(*LOOP, *REST))["k"].uncertain == set()
    assert exactness.compare_text(PTX, sass((14, "LDS.64 R2, [R8]"), *LOOP[2:], *REST))["k"].uncertain == set()
    assert exactness.compare_text(PTX, sass(*LOOP[:1], *LOOP[2:], *REST))["k"].uncertain == {15}
