// Product of a matrix (height × inner) with another (inner × width), tile by tile; zeros stand in beyond the edges.

#include "subject.hpp"

constexpr int tile_width = 16, inner = 21;

__global__ void multiply(int* c, const int* a, const int* b, int width, int height)
{
    __shared__ int a_tile[tile_width][tile_width];
    __shared__ int b_tile[tile_width][tile_width];
    const int x = blockIdx.x * tile_width + threadIdx.x;
    const int y = blockIdx.y * tile_width + threadIdx.y;
    int sum = 0;
    for (int first = 0; first < inner; first += tile_width) {
        const int a_x = first + threadIdx.x, b_y = first + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] = y < height && a_x < inner ? a[y * inner + a_x] : 0;
        b_tile[threadIdx.y][threadIdx.x] = b_y < inner && x < width ? b[b_y * width + x] : 0;
        __syncthreads();  // the tiles are filled
        for (int k = 0; k < tile_width; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
        __syncthreads();  // the tiles are used up
    }
    if (x < width && y < height) c[y * width + x] = sum;
}

bool solve(const subject::Problem& problem)
{
    const int width = problem.width, height = problem.height;
    const std::vector<int> a_values = problem.random_values(height * inner, 100), b_values = problem.random_values(inner * width, 100);
    subject::DeviceArray<int> a(height * inner), b(inner * width), c(height * width);
    a.upload(a_values);
    b.upload(b_values);
    const dim3 grid(subject::divide_up(width, tile_width), subject::divide_up(height, tile_width));
    const dim3 block(tile_width, tile_width);
    multiply<<<grid, block>>>(c.data(), a.data(), b.data(), width, height);
    std::vector<int> expected(height * width, 0);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int k = 0; k < inner; ++k) expected[y * width + x] += a_values[y * inner + k] * b_values[k * width + x];
    return subject::agree(c.download(), expected);
}

int main(int argc, char** argv) { return subject::run(argc, argv, solve); }
