// Shared memory gets so small a part of the L1 that a multiprocessor holds one block.

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
    cudaFuncSetAttribute(work, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1);
    task.prepare();
    work<<<(task.threads() + 127) / 128, 128, 4096>>>(task);
    cudaDeviceSynchronize();
}
