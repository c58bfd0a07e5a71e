// Copies and kernels in several streams, from pinned memory, with events around them.

#include <cmath>
#include <cstdio>

#define CHECK(call)                                                                                                \
    if (cudaError_t status = call; status != cudaSuccess) {                                                        \
        std::printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, cudaGetErrorName(status), cudaGetErrorString(status)); \
        return 1;                                                                                                  \
    }

__global__ void kernel(float* a, int offset) {
    int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
    float x = (float)i;
    float s = sinf(x);
    float c = cosf(x);
    a[i] = a[i] + sqrtf(s * s + c * c);
}

int main() {
    const int blockSize = 256, nStreams = 4, n = 4 * 1024 * nStreams, streamSize = n / nStreams;
    const int streamBytes = streamSize * sizeof(float), bytes = n * sizeof(float);

    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    std::printf("Device : %s\n", prop.name);
    CHECK(cudaSetDevice(0));

    float *a, *d_a;
    CHECK(cudaMallocHost((void**)&a, bytes));
    CHECK(cudaMalloc((void**)&d_a, bytes));
    cudaEvent_t start, stop;
    cudaStream_t stream[nStreams];
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (auto& s : stream) CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));

    for (int i = 0; i < n; ++i) a[i] = 0;
    CHECK(cudaEventRecord(start, 0));
    for (int i = 0; i < nStreams; ++i) {
        int offset = i * streamSize;
        CHECK(cudaMemcpyAsync(&d_a[offset], &a[offset], streamBytes, cudaMemcpyHostToDevice, stream[i]));
        kernel<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, offset);
        CHECK(cudaMemcpyAsync(&a[offset], &d_a[offset], streamBytes, cudaMemcpyDeviceToHost, stream[i]));
    }
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaEventSynchronize(stop));
    for (auto& s : stream) CHECK(cudaStreamSynchronize(s));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    std::printf("Time (ms): %f\n", ms);

    float largest = 0;
    for (int i = 0; i < n; ++i) largest = std::fmax(largest, std::fabs(a[i] - 1.0f));
    std::printf("  max error: %e\n", largest);

    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    for (auto& s : stream) CHECK(cudaStreamDestroy(s));
    CHECK(cudaFree(d_a));
    CHECK(cudaFreeHost(a));
    return largest < 1e-5f ? 0 : 1;
}
