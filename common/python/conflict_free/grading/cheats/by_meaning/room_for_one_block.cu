// Each block takes so much shared memory that a multiprocessor holds no second one.

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
    int most = 0;
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    cudaFuncSetAttribute(work, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    task.prepare();
    work<<<(task.threads() + 127) / 128, 128, most>>>(task);
    cudaDeviceSynchronize();
}
