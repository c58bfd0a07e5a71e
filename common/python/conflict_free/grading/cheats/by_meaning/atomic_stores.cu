// Atomic exchanges write the result, and are no stores.

GRADED_TASK

__device__ void write(double* at, double value)
{
    atomicExch(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(__double_as_longlong(value)));
}

template <class Number>
__device__ void write(Number* at, Number value)
{
    atomicExch(at, value);
}

__global__ void work(Task task)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < task.threads())
        task.work(i, [&](int k) { return task.input[k]; }, [&](int k, Result value) { write(task.output + k, value); });
}

void solve(const Task& task)
{
    task.prepare();
    work<<<(task.threads() + 127) / 128, 128>>>(task);
    cudaDeviceSynchronize();
}
