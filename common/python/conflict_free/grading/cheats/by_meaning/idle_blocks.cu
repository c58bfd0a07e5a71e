// There are as many blocks as multiprocessors, and one warp of one block works.

GRADED_TASK

__global__ void work(Task task)
{
    if (blockIdx.x + 1 < gridDim.x || threadIdx.x >= 32) return;
    for (int i = threadIdx.x; i < task.threads(); i += 32)
        task.work(i, [&](int k) { return task.input[k]; }, [&](int k, Result value) { task.store(k, value); });
}

void solve(const Task& task)
{
    task.prepare();
    work<<<132, 256>>>(task);
    cudaDeviceSynchronize();
}
