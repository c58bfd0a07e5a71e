// Neighboring lanes take parts of the work that lie far apart.

GRADED_TASK

constexpr int THREADS = 128;

__global__ void work(Task task, int apart)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, i = thread % THREADS * apart + thread / THREADS;
    if (i < task.threads())
        task.work(i, [&](int k) { return task.input[k]; }, [&](int k, Result value) { task.store(k, value); });
}

void solve(const Task& task)
{
    const int apart = (task.threads() + THREADS - 1) / THREADS;
    task.prepare();
    work<<<apart, THREADS>>>(task, apart);
    cudaDeviceSynchronize();
}
