// Each thread computes what nobody needs.

GRADED_TASK

__global__ void work(Task task)
{
    float unused = threadIdx.x;
    for (int n = 0; n < 6000; n++)
        asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(unused));
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
