// The host computes between two copies.

#include <vector>

GRADED_TASK

void solve(const Task& task)
{
    std::vector<Element> data(task.elements());
    std::vector<Result> results(task.results());
    cudaMemcpy(data.data(), task.input, data.size() * sizeof(Element), cudaMemcpyDeviceToHost);
    for (int i = 0; i < task.threads(); ++i)
        task.work(i, [&](int k) { return data[k]; }, [&](int k, Result value) { Task::keep(results.data(), k, value); });
    cudaMemcpy(task.output, results.data(), results.size() * sizeof(Result), cudaMemcpyHostToDevice);
}
