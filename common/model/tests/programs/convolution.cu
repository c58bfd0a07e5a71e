// A convolution whose mask lies in constant memory and whose image lies in rows of a pitch.

#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int RADIUS = 2, WIDTH = 2 * RADIUS + 1, TILE = 16;

__constant__ float mask[WIDTH][WIDTH];

__global__ void __launch_bounds__(TILE* TILE) convolve(float* out, const float* in, size_t pitch, int width, int height) {
    __shared__ float tile[TILE + 2 * RADIUS][TILE + 2 * RADIUS + 1];
    const int x0 = blockIdx.x * TILE - RADIUS, y0 = blockIdx.y * TILE - RADIUS;
    for (int y = threadIdx.y; y < TILE + 2 * RADIUS; y += TILE)
        for (int x = threadIdx.x; x < TILE + 2 * RADIUS; x += TILE) {
            const int column = min(max(x0 + x, 0), width - 1), row = min(max(y0 + y, 0), height - 1);
            tile[y][x] = reinterpret_cast<const float*>(reinterpret_cast<const char*>(in) + row * pitch)[column];
        }
    __syncthreads();
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = 0; j < WIDTH; ++j)
        for (int i = 0; i < WIDTH; ++i) sum += mask[j][i] * tile[threadIdx.y + j][threadIdx.x + i];
    reinterpret_cast<float*>(reinterpret_cast<char*>(out) + y * pitch)[x] = sum;
}

int main() {
    const int width = 53, height = 29;
    float hostMask[WIDTH][WIDTH];
    for (int j = 0; j < WIDTH; ++j)
        for (int i = 0; i < WIDTH; ++i) hostMask[j][i] = float((i + 1) * (j + 2));
    std::vector<float> image(width * height), result(width * height);
    for (size_t i = 0; i < image.size(); ++i) image[i] = float(i * 31 % 17);

    float *in, *out;
    size_t pitch, outPitch;
    cudaMallocPitch(&in, &pitch, width * sizeof(float), height);
    cudaMallocPitch(&out, &outPitch, width * sizeof(float), height);
    if (pitch != outPitch || cudaMemcpyToSymbol(mask, hostMask, sizeof(hostMask)) != cudaSuccess) return 2;
    cudaMemcpy2D(in, pitch, image.data(), width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice);
    convolve<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, TILE)>>>(out, in, pitch, width, height);
    cudaMemcpy2D(result.data(), width * sizeof(float), out, pitch, width * sizeof(float), height, cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess) return 3;

    auto at = [&](int x, int y) { return image[std::min(std::max(y, 0), height - 1) * width + std::min(std::max(x, 0), width - 1)]; };
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            float sum = 0;
            for (int j = 0; j < WIDTH; ++j)
                for (int i = 0; i < WIDTH; ++i) sum += hostMask[j][i] * at(x + i - RADIUS, y + j - RADIUS);
            if (sum != result[y * width + x]) {
                printf("wrong at (%d, %d): %g instead of %g\n", x, y, result[y * width + x], sum);
                return 1;
            }
        }
    cudaFree(in);
    cudaFree(out);
    puts("convolution is right");
    return 0;
}
