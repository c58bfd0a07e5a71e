// Copies of two dimensions bring the data to where they are read.

GRADED_TASK

__global__ void work(Task task, const Element* input)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < task.threads())
        task.work(i, [&](int k) { return input[k]; }, [&](int k, Result value) { task.store(k, value); });
}

void solve(const Task& task)
{
    Element* scratch = nullptr;
    size_t pitch = 0;
    cudaMallocPitch(&scratch, &pitch, task.elements() * sizeof(Element), 1);
    cudaMemcpy2D(scratch, pitch, task.input, sizeof(Element) * task.elements(), sizeof(Element) * task.elements(), 1, cudaMemcpyDeviceToDevice);
    task.prepare();
    work<<<(task.threads() + 127) / 128, 128>>>(task, scratch);
    cudaDeviceSynchronize();
    cudaFree(scratch);
}
