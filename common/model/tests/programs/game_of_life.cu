// The game of life in managed memory, which host and kernels use in turn.

#include <cstdio>
#include <cstring>
#include <utility>

struct Board {
    int width, height;
    bool* cells;
    __host__ __device__ bool alive(int x, int y) const { return cells[(y + height) % height * width + (x + width) % width]; }
};

__host__ __device__ bool next(const Board& board, int x, int y) {
    int neighbors = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx != 0 || dy != 0) neighbors += board.alive(x + dx, y + dy);
    return neighbors == 3 || (neighbors == 2 && board.alive(x, y));
}

__managed__ int living;

__global__ void step(Board after, Board before) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    bool lives = x < after.width && y < after.height && next(before, x, y);
    if (x < after.width && y < after.height) after.cells[y * after.width + x] = lives;
    if (lives) atomicAdd(&living, 1);
}

int main() {
    const int width = 40, height = 24, size = width * height;
    Board now{width, height, nullptr}, after = now;
    if (cudaMallocManaged(&now.cells, size) != cudaSuccess || cudaMallocManaged(&after.cells, size) != cudaSuccess) return 2;
    bool host[2][size] = {};
    for (int i = 0; i < size; ++i) host[0][i] = now.cells[i] = (i * i + 3 * i) % 7 < 3;

    for (int generation = 0; generation < 10; ++generation) {
        living = 0;
        step<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(after, now);
        cudaDeviceSynchronize();
        std::swap(now, after);
        Board reference{width, height, host[generation % 2]};
        int expected = 0;
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) expected += host[1 - generation % 2][y * width + x] = next(reference, x, y);
        if (living != expected || memcmp(host[1 - generation % 2], now.cells, size) != 0) {
            printf("generation %d: %d cells live instead of %d\n", generation, living, expected);
            return 1;
        }
    }
    printf("%d cells live in the end\n", living);
    cudaFree(now.cells);
    cudaFree(after.cells);
}
