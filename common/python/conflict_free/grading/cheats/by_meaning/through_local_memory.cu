// Each value goes through an array of the thread's own, which lies in local memory.

GRADED_TASK

constexpr int SLOTS = 64;

__global__ void work(Task task)
{
    volatile Element kept[SLOTS];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < task.threads())
        task.work(
            i,
            [&](int k) {
                kept[k % SLOTS] = task.input[k];
                return Element(kept[k % SLOTS]);
            },
            [&](int k, Result value) { task.store(k, value); });
}

void solve(const Task& task)
{
    task.prepare();
    work<<<(task.threads() + 127) / 128, 128>>>(task);
    cudaDeviceSynchronize();
}
