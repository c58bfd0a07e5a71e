// Each warp waits at a barrier whose last thread does not arrive, until its time is over.

GRADED_TASK

__global__ void work(Task task)
{
    __shared__ unsigned long long met;
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&met));
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address) : "memory");
    __syncthreads();
    asm volatile("{ .reg .pred over; mbarrier.try_wait.parity.shared.b64 over, [%0], 0, 1000; }" ::"r"(address) : "memory");
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
