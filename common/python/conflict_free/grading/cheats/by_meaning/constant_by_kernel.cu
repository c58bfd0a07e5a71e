// A kernel puts the data into constant memory, where the next one reads them without sectors.

GRADED_TASK

constexpr int MOST = 65536 / sizeof(Element);
__constant__ Element table[MOST];

__global__ void fill(Element* to, const Element* from, int held)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < held) to[k] = from[k];
}

__global__ void work(Task task)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < task.threads())
        task.work(i, [&](int k) { return k < MOST ? table[k] : task.input[k]; }, [&](int k, Result value) { task.store(k, value); });
}

void solve(const Task& task)
{
    const int held = task.elements() < MOST ? task.elements() : MOST;
    void* to = nullptr;
    cudaGetSymbolAddress(&to, table);
    task.prepare();
    if (held > 0) fill<<<(held + 127) / 128, 128>>>(static_cast<Element*>(to), task.input, held);
    work<<<(task.threads() + 127) / 128, 128>>>(task);
    cudaDeviceSynchronize();
}
