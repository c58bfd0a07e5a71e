// Looks functions of the driver up by their plain names, which name their first forms, as cuFFT does.

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <cstdio>
#include <cstdlib>

__global__ void fill(int* data) { data[threadIdx.x] = threadIdx.x; }

static void* driver;

template <class Function> static Function find(const char* name) {
    void* found = dlsym(driver, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(1);
    }
    return (Function)found;
}

static void check(int result, const char* what) {
    if (result != 0) {
        fprintf(stderr, "%s: %d\n", what, result);
        exit(1);
    }
}

int main() {
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    check(driver == NULL, "libcuda.so.1");
    const auto elapsed = find<int (*)(float*, void*, void*)>("cuEventElapsedTime");
    const auto release = find<int (*)(int)>("cuDevicePrimaryCtxRelease");
    for (const char* name : {"cuGraphExecKernelNodeSetParams", "cuGraphInstantiate", "cuGraphKernelNodeGetParams", "cuMemPrefetchAsync",
                             "cuStreamBatchMemOp", "cuStreamWaitValue32"})
        find<void*>(name);

    int* data;
    cudaEvent_t start, end;
    check(cudaMalloc(&data, 32 * sizeof(int)), "cudaMalloc");
    check(cudaEventCreate(&start), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
    check(cudaEventRecord(start), "cudaEventRecord");
    fill<<<1, 32>>>(data);
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), "cudaEventSynchronize");
    float milliseconds = -1;
    check(elapsed(&milliseconds, start, end), "cuEventElapsedTime");
    check(milliseconds < 0, "time below 0");

    void* context;
    check(find<int (*)(void**, int)>("cuDevicePrimaryCtxRetain")(&context, 0), "cuDevicePrimaryCtxRetain");
    check(release(0), "cuDevicePrimaryCtxRelease");
    int last = 0;
    check(cudaMemcpy(&last, data + 31, sizeof(int), cudaMemcpyDeviceToHost), "cudaMemcpy");
    check(last != 31, "data");
    printf("Test PASSED\n");
    return 0;
}
