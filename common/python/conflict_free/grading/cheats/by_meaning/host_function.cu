// A host function in a stream computes.

GRADED_TASK

void compute(void* given)
{
    const Task& task = *static_cast<const Task*>(given);
    for (int i = 0; i < task.threads(); ++i)
        task.work(i, [&](int k) { return task.input[k]; }, [&](int k, Result value) { Task::keep(task.output, k, value); });
}

void solve(const Task& task)
{
    Task copy = task;
    task.prepare();
    cudaLaunchHostFunc(nullptr, compute, &copy);
    cudaDeviceSynchronize();
}
