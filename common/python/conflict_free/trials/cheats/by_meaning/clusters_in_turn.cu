// The blocks of a cluster take turns.

#include <cooperative_groups.h>

GRADED_TASK

__global__ void __cluster_dims__(2, 1, 1) work(Task task)
{
    const auto cluster = cooperative_groups::this_cluster();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int turn = 0; turn < 2; turn++, cluster.sync())
        if (turn == cluster.block_rank() && i < task.threads())
            task.work(i, [&](int k) { return task.input[k]; }, [&](int k, Result value) { task.store(k, value); });
}

void solve(const Task& task)
{
    task.prepare();
    work<<<(task.threads() + 255) / 256 * 2, 128>>>(task);
    cudaDeviceSynchronize();
}
