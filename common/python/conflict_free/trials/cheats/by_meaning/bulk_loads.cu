// Bulk copies bring single elements to shared memory: no lane loads.

#include <cstdint>

GRADED_TASK

constexpr int THREADS = 64, BYTES = 16;

struct Room {
    alignas(16) unsigned char bytes[THREADS][BYTES];
    std::uint64_t barrier[THREADS];
};

// Reads the piece of 16 bytes around an element by a bulk copy, which the thread's own barrier awaits.
__device__ Element read(Room& room, unsigned& phase, const Element* at)
{
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(room.bytes[threadIdx.x]));
    const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&room.barrier[threadIdx.x]));
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" ::"r"(barrier) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(to),
                 "l"(address / BYTES * BYTES), "r"(barrier)
                 : "memory");
    asm volatile("{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1; @!done bra again; }" ::"r"(barrier),
                 "r"(phase)
                 : "memory");
    phase ^= 1;
    return *reinterpret_cast<const Element*>(room.bytes[threadIdx.x] + address % BYTES);
}

__global__ void work(Task task)
{
    __shared__ Room room;
    const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&room.barrier[threadIdx.x]));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    unsigned phase = 0;
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const auto end = reinterpret_cast<std::uintptr_t>(task.input + task.elements()) / BYTES * BYTES;
    if (i < task.threads())
        task.work(
            i, [&](int k) {
                const Element* at = task.input + k;
                return reinterpret_cast<std::uintptr_t>(at) < end ? read(room, phase, at) : *at;
            },
            [&](int k, Result value) { task.store(k, value); });
}

void solve(const Task& task)
{
    task.prepare();
    work<<<(task.threads() + THREADS - 1) / THREADS, THREADS>>>(task);
    cudaDeviceSynchronize();
}
