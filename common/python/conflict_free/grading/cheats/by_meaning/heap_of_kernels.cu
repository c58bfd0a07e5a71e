// A kernel takes memory of its own, which no call of the runtime shows.

GRADED_TASK

__global__ void work(Task task)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.threads()) return;
    Element* const scratch = static_cast<Element*>(malloc(sizeof(Element)));
    task.work(i, [&](int k) { return *scratch = task.input[k]; }, [&](int k, Result value) { task.store(k, value); });
    free(scratch);
}

void solve(const Task& task)
{
    task.prepare();
    work<<<(task.threads() + 127) / 128, 128>>>(task);
    cudaDeviceSynchronize();
}
