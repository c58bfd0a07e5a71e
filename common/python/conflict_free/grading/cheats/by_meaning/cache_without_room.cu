// Shared memory gets the smallest part of the L1, by the older interface.

GRADED_TASK

__global__ void work(Task task)
{
    extern __shared__ Result unused[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < task.threads())
        task.work(i, [&](int k) { return task.input[k]; }, [&](int k, Result value) { task.store(k, value); });
}

void solve(const Task& task)
{
    cudaDeviceSetCacheConfig(cudaFuncCachePreferL1);
    task.prepare();
    work<<<(task.threads() + 127) / 128, 128, 4096>>>(task);
    cudaDeviceSynchronize();
}
