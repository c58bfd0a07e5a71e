// The results leave shared memory by bulk copies, which are no stores of lanes.

#include <cstdint>

GRADED_TASK

// The fewest results that a bulk copy can move.
constexpr int THREADS = 128, UNIT = 16 / sizeof(Result);

__device__ void copy(Result* to, const Result* from)
{
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(from));
    asm volatile("fence.proxy.async.shared::cta;\n"
                 "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;\n"
                 "cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;" ::"l"(to),
                 "r"(at)
                 : "memory");
}

__global__ void work(Task task)
{
    __shared__ alignas(16) Result kept[THREADS];
    const int i = blockIdx.x * THREADS + threadIdx.x, first = i / UNIT * UNIT, slot = threadIdx.x / UNIT * UNIT;
    const bool whole = first + UNIT <= task.threads() && reinterpret_cast<std::uintptr_t>(task.output + first) % 16 == 0;
    if (i < task.threads())
        task.work(
            i, [&](int k) { return task.input[k]; },
            [&](int k, Result value) {
                if (whole && k == i) kept[threadIdx.x] = value;
                else task.store(k, value);
            });
    __syncthreads();
    if (whole && i == first && task.results() == task.threads()) copy(task.output + first, kept + slot);
}

void solve(const Task& task)
{
    task.prepare();
    work<<<(task.threads() + THREADS - 1) / THREADS, THREADS>>>(task);
    cudaDeviceSynchronize();
}
