// Each warp sleeps before it works.

GRADED_TASK

__global__ void work(Task task)
{
    __nanosleep(1000);
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
