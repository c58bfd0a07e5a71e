// An image in a texture: turned by a right angle, enlarged by linear filtering, and read by an index.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "../device_array.cuh"

constexpr int width = 96, height = 64;

__global__ void turn(cudaTextureObject_t image, float* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * height + x] = tex2D<float>(image, static_cast<float>(y) + 0.5f, static_cast<float>(height - 1 - x) + 0.5f);
}

// The places are multiples of a quarter, so that the filter's weights are exact.
__global__ void enlarge(cudaTextureObject_t image, float* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * 4 * width + x] = tex2D<float>(image, static_cast<float>(x) / 4 + 0.5f, static_cast<float>(y) / 4 + 0.5f);
}

__global__ void gather(cudaTextureObject_t values, const int* index, float4* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex1Dfetch<float4>(values, index[i]);
}

cudaTextureObject_t makeTexture(const cudaResourceDesc& resource, cudaTextureFilterMode filter) {
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = filter;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    if (cudaCreateTextureObject(&texture, &resource, &how, nullptr) != cudaSuccess) std::exit(1);
    return texture;
}

int main() {
    constexpr int n = width * height, quads = n / 4;
    std::mt19937 random(5);
    std::vector<float> image(n);
    std::vector<int> index(quads);
    for (float& v : image) v = static_cast<float>(random() % 256);
    for (int& v : index) v = static_cast<int>(random() % quads);
    const DeviceArray<float> dimage(image), dturned(n), dlarge(16 * n), dgathered(n);
    const DeviceArray<int> dindex(index);
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    if (cudaMallocArray(&array, &texel, width, height) != cudaSuccess) return 1;
    cudaMemcpy2DToArray(array, 0, 0, image.data(), 4 * width, 4 * width, height, cudaMemcpyHostToDevice);
    cudaResourceDesc ofArray{}, linear{};
    ofArray.resType = cudaResourceTypeArray;
    ofArray.res.array.array = array;
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = dimage;
    linear.res.linear.desc = cudaCreateChannelDesc<float4>();
    linear.res.linear.sizeInBytes = 4 * n;
    turn<<<dim3(height / 32, width / 8), dim3(32, 8)>>>(makeTexture(ofArray, cudaFilterModePoint), dturned);
    enlarge<<<dim3(4 * width / 32, 4 * height / 8), dim3(32, 8)>>>(makeTexture(ofArray, cudaFilterModeLinear), dlarge);
    gather<<<quads / 64, 64>>>(makeTexture(linear, cudaFilterModePoint), dindex, reinterpret_cast<float4*>(dgathered.data));
    const std::vector<float> turned = dturned.host(), large = dlarge.host(), gathered = dgathered.host();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;

    const auto at = [&](int x, int y) { return image[std::min(y, height - 1) * width + std::min(x, width - 1)]; };
    int errors = 0;
    for (int y = 0; y < width; ++y)
        for (int x = 0; x < height; ++x) errors += turned[y * height + x] != at(y, height - 1 - x);
    for (int y = 0; y < 4 * height; ++y)
        for (int x = 0; x < 4 * width; ++x) {
            const float u = static_cast<float>(x % 4) / 4, v = static_cast<float>(y % 4) / 4;
            const float upper = (1 - u) * at(x / 4, y / 4) + u * at(x / 4 + 1, y / 4);
            const float lower = (1 - u) * at(x / 4, y / 4 + 1) + u * at(x / 4 + 1, y / 4 + 1);
            errors += std::fabs(large[y * 4 * width + x] - ((1 - v) * upper + v * lower)) > 1e-3f;
        }
    for (int i = 0; i < n; ++i) errors += gathered[i] != image[4 * index[i / 4] + i % 4];
    std::printf("%d errors\n", errors);
    return errors != 0;
}
