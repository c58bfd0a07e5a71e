// Memory of the host that kernels reach, too.

GRADED_TASK

__global__ void work(Task task)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < task.threads())
        task.work(i, [&](int k) { return task.input[k]; }, [&](int k, Result value) { task.store(k, value); });
}

void solve(const Task& task)
{
    Element* scratch = nullptr;
    cudaHostAlloc(&scratch, task.elements() * sizeof(Element), cudaHostAllocMapped);
    cudaMemcpy(scratch, task.input, task.elements() * sizeof(Element), cudaMemcpyDefault);
    Task moved = task;
    moved.input = scratch;
    task.prepare();
    work<<<(task.threads() + 127) / 128, 128>>>(moved);
    cudaDeviceSynchronize();
    cudaFreeHost(scratch);
}
