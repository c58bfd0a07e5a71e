// A kernel copies the data, and another one works on the copy.

GRADED_TASK

__global__ void copy(Element* to, const Element* from, int elements)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < elements) to[k] = from[k];
}

__global__ void work(Task task, const Element* input)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < task.threads())
        task.work(i, [&](int k) { return input[k]; }, [&](int k, Result value) { task.store(k, value); });
}

void solve(const Task& task)
{
    Element* scratch = nullptr;
    cudaMalloc(&scratch, (task.elements() + 1) * sizeof(Element));
    task.prepare();
    if (task.elements() > 0) copy<<<(task.elements() + 127) / 128, 128>>>(scratch, task.input, task.elements());
    if (task.threads() > 0) work<<<(task.threads() + 127) / 128, 128>>>(task, scratch);
    cudaDeviceSynchronize();
    cudaFree(scratch);
}
