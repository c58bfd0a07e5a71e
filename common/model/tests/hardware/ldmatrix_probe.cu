// One warp, one ldmatrix or stmatrix, many patterns of rows: how many wavefronts does each take?
//
// Each case is one launch; a line on standard output names it and ends with the model's count. A profiler gives the hardware's
// counts in the order of launches:
//   nvcc -arch=sm_90 -o ldmatrix_probe ldmatrix_probe.cu
//   ncu --csv --page raw --metrics METRICS ./ldmatrix_probe
// where METRICS is, in one word, l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum, for loads and
// l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum for stores. The counters smsp__sass_…_op_ld and _op_st leave ldmatrix
// and stmatrix out. On an H200 (driver 580.159) all 231 cases agreed.

#include <cstdio>
#include <cstdlib>
#include <functional>

constexpr unsigned shared_bytes = 32 * 1024;

struct Rows { unsigned offset[32]; };

extern __shared__ uint4 memory[];

template <int matrices, bool transposed> __global__ void load(uint4* out, const __grid_constant__ Rows rows) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + rows.offset[threadIdx.x];
    uint4 r{};
    if constexpr (matrices == 4 && transposed)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
                     : "r"(at));
    else if constexpr (matrices == 4)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
                     : "r"(at));
    else if constexpr (matrices == 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r.x), "=r"(r.y) : "r"(at));
    else asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r.x) : "r"(at));
    out[threadIdx.x] = r;
}

template <int matrices> __global__ void store(const __grid_constant__ Rows rows) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + rows.offset[threadIdx.x], value = threadIdx.x;
    if constexpr (matrices == 4)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%1,%1,%1};" ::"r"(at), "r"(value) : "memory");
    else if constexpr (matrices == 2)
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%1};" ::"r"(at), "r"(value) : "memory");
    else asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(value) : "memory");
}

/// Wavefronts of `matrices` matrices, each in its own phase: the number of words in the fullest bank.
int wavefronts(const Rows& rows, int matrices) {
    int sum = 0;
    for (int matrix = 0; matrix < matrices; ++matrix) {
        int most = 0;
        for (unsigned bank = 0; bank < 32; ++bank) {
            int words = 0;
            for (int row = 0; row < 8; ++row) {
                const unsigned first = rows.offset[8 * matrix + row] / 4;
                bool seen = (bank - first) % 32 >= 4;
                for (int before = 0; before < row; ++before) seen |= rows.offset[8 * matrix + before] == rows.offset[8 * matrix + row];
                words += !seen;
            }
            most = words > most ? words : most;
        }
        sum += most;
    }
    return sum;
}

uint4* output;

void probe(const char* name, const std::function<unsigned(unsigned)>& row) {
    Rows rows;
    for (unsigned lane = 0; lane < 32; ++lane) rows.offset[lane] = 16 * row(lane) % shared_bytes;
    const auto say = [&](const char* operation, int matrices) {
        std::printf("%s x%d %s %d\n", operation, matrices, name, wavefronts(rows, matrices));
        if (cudaGetLastError() != cudaSuccess) std::exit(1);
    };
    load<1, false><<<1, 32, shared_bytes>>>(output, rows), say("ldmatrix", 1);
    load<2, false><<<1, 32, shared_bytes>>>(output, rows), say("ldmatrix", 2);
    load<4, false><<<1, 32, shared_bytes>>>(output, rows), say("ldmatrix", 4);
    load<4, true><<<1, 32, shared_bytes>>>(output, rows), say("ldmatrix.trans", 4);
    store<1><<<1, 32, shared_bytes>>>(rows), say("stmatrix", 1);
    store<2><<<1, 32, shared_bytes>>>(rows), say("stmatrix", 2);
    store<4><<<1, 32, shared_bytes>>>(rows), say("stmatrix", 4);
}

int main() {
    cudaMalloc(&output, 32 * sizeof(uint4));
    probe("contiguous", [](unsigned lane) { return lane; });
    probe("stride-2", [](unsigned lane) { return 2 * lane; });
    probe("stride-4", [](unsigned lane) { return 4 * lane; });
    probe("stride-8", [](unsigned lane) { return 8 * lane; });
    probe("stride-9", [](unsigned lane) { return 9 * lane; });
    probe("swizzled", [](unsigned lane) { return 8 * lane + (lane ^ lane / 8) % 8; });
    probe("uniform", [](unsigned) { return 0u; });
    probe("pairs", [](unsigned lane) { return lane / 2; });
    probe("pairs-apart", [](unsigned lane) { return lane / 2 * 8; });
    probe("one-matrix", [](unsigned lane) { return lane % 8; });
    probe("one-matrix-stride-8", [](unsigned lane) { return lane % 8 * 8; });
    probe("two-rows", [](unsigned lane) { return lane % 2 * 8; });
    probe("shifted-matrices", [](unsigned lane) { return lane % 4 + 8 * (lane / 4); });
    std::srand(1);
    for (int i = 0; i < 20; ++i) {
        unsigned row[32];
        for (unsigned& r : row) r = static_cast<unsigned>(std::rand()) % (i < 10 ? 2048u : 16u);
        probe("random", [&](unsigned lane) { return row[lane]; });
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
