// Blocks of 16 threads: half of the lanes of each warp are never there.

GRADED_TASK

__global__ void work(Task task)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < task.threads())
        task.work(i, [&](int k) { return task.input[k]; }, [&](int k, Result value) { task.store(k, value); });
}

void solve(const Task& task)
{
    task.prepare();
    work<<<(task.threads() + 15) / 16, 16>>>(task);
    cudaDeviceSynchronize();
}
