// A cooperative launch: rounds of smoothing with a barrier of the whole grid between them, by one block and by many.

#include <cooperative_groups.h>

#include <cstdio>
#include <random>
#include <vector>

namespace cg = cooperative_groups;

constexpr int rounds = 6;

__global__ void smooth(int* a, int* b, int n) {
    const cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < rounds; ++round) {
        for (int i = static_cast<int>(grid.thread_rank()); i < n; i += static_cast<int>(grid.size())) {
            const int left = a[i > 0 ? i - 1 : i], right = a[i < n - 1 ? i + 1 : i];
            b[i] = (left + 2 * a[i] + right) / 4;
        }
        grid.sync();
        int* next = a;
        a = b;
        b = next;
    }
}

int main() {
    constexpr int n = 5000;
    std::mt19937 random(6);
    std::vector<int> in(n), wanted, out(n);
    for (int& v : in) v = static_cast<int>(random() % 100000);
    wanted = in;
    for (int round = 0; round < rounds; ++round) {
        const std::vector<int> a = wanted;
        for (int i = 0; i < n; ++i) wanted[i] = (a[i > 0 ? i - 1 : i] + 2 * a[i] + a[i < n - 1 ? i + 1 : i]) / 4;
    }
    int *a, *b, size = n, errors = 0;
    cudaMalloc(&a, 4 * n);
    cudaMalloc(&b, 4 * n);
    for (int blocks : {1, 16}) {
        cudaMemcpy(a, in.data(), 4 * n, cudaMemcpyHostToDevice);
        void* arguments[] = {&a, &b, &size};
        if (cudaLaunchCooperativeKernel(reinterpret_cast<void*>(smooth), dim3(blocks), dim3(128), arguments, 0, nullptr) != cudaSuccess)
            return 1;
        cudaMemcpy(out.data(), rounds % 2 ? b : a, 4 * n, cudaMemcpyDeviceToHost);
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
        errors += out != wanted;
    }
    std::printf("%d errors\n", errors);
    return errors != 0;
}
