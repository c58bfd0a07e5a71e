// One small block after another, each in a launch of its own, so that no multiprocessor has much to do.

GRADED_TASK

constexpr int THREADS = 32, MOST = 2000;

__global__ void work(Task task, int first)
{
    for (int i = first + threadIdx.x; i < task.threads(); i += MOST * THREADS)
        task.work(i, [&](int k) { return task.input[k]; }, [&](int k, Result value) { task.store(k, value); });
}

void solve(const Task& task)
{
    task.prepare();
    for (int launch = 0; launch < 8 || (launch * THREADS < task.threads() && launch < MOST); ++launch)
        work<<<1, THREADS>>>(task, launch * THREADS);
    cudaDeviceSynchronize();
}
