// The program allocates memory again and again.

GRADED_TASK

__global__ void work(Task task)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < task.threads())
        task.work(i, [&](int k) { return task.input[k]; }, [&](int k, Result value) { task.store(k, value); });
}

void solve(const Task& task)
{
    for (int n = 0; n < 100; n++) {
        void* unused = nullptr;
        cudaMalloc(&unused, 1024);
        cudaFree(unused);
    }
    task.prepare();
    work<<<(task.threads() + 127) / 128, 128>>>(task);
    cudaDeviceSynchronize();
}
