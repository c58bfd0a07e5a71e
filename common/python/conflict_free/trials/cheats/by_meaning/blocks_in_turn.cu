// Each block waits in a loop until the block before it has finished.

GRADED_TASK

constexpr int THREADS = 128;
__device__ unsigned turn;

__global__ void work(Task task)
{
    if (threadIdx.x == 0)
        while (atomicAdd(&turn, 0) != blockIdx.x) {
        }
    __syncthreads();
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < task.threads())
        task.work(i, [&](int k) { return task.input[k]; }, [&](int k, Result value) { task.store(k, value); });
    __syncthreads();
    __threadfence();
    if (threadIdx.x == 0) atomicExch(&turn, blockIdx.x + 1 < gridDim.x ? blockIdx.x + 1 : 0);
}

void solve(const Task& task)
{
    task.prepare();
    work<<<(task.threads() + THREADS - 1) / THREADS, THREADS>>>(task);
    cudaDeviceSynchronize();
}
