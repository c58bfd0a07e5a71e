// Kernels that launch kernels: sums over a tree of launches, a copy behind a launch, a launch into the tail, and memory that a kernel
// allocates by cudaMalloc.

#include <cstdio>
#include <vector>

constexpr int SMALL = 64;

__device__ int launches;

// Adds 1 to each number of a range, by halves that are launched until they are small.
__global__ void add_one(int* numbers, int count, char tag) {
    if (threadIdx.x == 0) atomicAdd(&launches, tag == 'x' ? 1 : 1000);
    if (count <= SMALL) {
        if (threadIdx.x < count) numbers[threadIdx.x]++;
        return;
    }
    if (threadIdx.x == 0) {
        const int half = count / 2;
        add_one<<<1, SMALL>>>(numbers, half, tag);
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        add_one<<<1, SMALL, 16, stream>>>(numbers + half, count - half, tag);
        cudaStreamDestroy(stream);
    }
}

__global__ void write_from(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x] + 1; }

// The launch into the tail runs after the copy, though it is issued first.
__global__ void copy_and_tail(int* numbers) {
    write_from<<<1, 32, 0, cudaStreamTailLaunch>>>(numbers + 64, numbers + 32);
    write_from<<<1, 32>>>(numbers, numbers + 96);
    cudaMemcpyAsync(numbers + 32, numbers, 32 * sizeof(int), cudaMemcpyDeviceToDevice);
}

__global__ void with_own_memory(int* result) {
    int* own = nullptr;
    if (cudaMalloc(&own, sizeof(int)) != cudaSuccess) return;
    *own = 42;
    *result = *own;
    cudaFree(own);
    if (cudaGetLastError() == cudaSuccess) *result += 1;
}

int main() {
    const int count = 1000;
    int* numbers;
    cudaMalloc(&numbers, count * sizeof(int));
    std::vector<int> host(count);
    for (int i = 0; i < count; i++) host[i] = 7 * i % 31;
    cudaMemcpy(numbers, host.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    add_one<<<1, SMALL>>>(numbers, count, 'x');
    std::vector<int> seen(count);
    cudaMemcpy(seen.data(), numbers, count * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0, made = 0;
    for (int i = 0; i < count; i++) wrong += seen[i] != host[i] + 1;
    cudaMemcpyFromSymbol(&made, launches, sizeof made);
    if (wrong || made != 31) return std::printf("%d numbers are wrong, %d launches\n", wrong, made), 1;

    copy_and_tail<<<1, 1>>>(numbers);
    cudaMemcpy(seen.data(), numbers, 128 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) wrong += seen[i] != seen[96 + i] + 1 || seen[32 + i] != seen[i] || seen[64 + i] != seen[32 + i] + 1;
    with_own_memory<<<1, 1>>>(numbers);
    cudaMemcpy(&made, numbers, sizeof made, cudaMemcpyDeviceToHost);
    if (wrong || made != 43 || cudaGetLastError() != cudaSuccess)
        return std::printf("%d numbers are wrong, %d from own memory\n", wrong, made), 1;
    std::printf("PASSED\n");
    return 0;
}
