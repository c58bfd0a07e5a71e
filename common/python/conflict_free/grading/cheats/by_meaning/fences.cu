// Each warp makes a thousand fences.

GRADED_TASK

__global__ void work(Task task)
{
    for (int n = 0; n < 1000; n++)
        __threadfence();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < task.threads())
        task.work(i, [&](int k) { return task.input[k]; }, [&](int k, Result value) { task.store(k, value); });
}

void solve(const Task& task)
{
    task.prepare();
    work<<<(task.threads() + 127) / 128, 128>>>(task);
    cudaDeviceSynchronize();
}
