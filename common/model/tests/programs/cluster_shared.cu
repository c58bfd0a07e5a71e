// Shared memory of another block of the cluster, and the block's own by way of the cluster: loads, stores and atomic operations.

#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int blocks = 2, block_size = 64, words = 4096;

enum class Access { load, store, add, add_unused };
enum class Owner { self, other, by_lane };

/// Each thread accesses one word, `stride` words after the word of the thread before; by_lane: odd lanes access the other block.
template <Access access> __global__ void __cluster_dims__(blocks) touch(Owner owner, int stride, int* out) {
    __shared__ int data[words];
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned self = cluster.block_rank();
    const int i = threadIdx.x;
    for (int k = i; k < words; k += block_size) data[k] = words * self + k;
    cluster.sync();
    const bool is_other = owner == Owner::other || (owner == Owner::by_lane && i % 2 == 1);
    volatile int* const word = cluster.map_shared_rank(data, is_other ? self ^ 1 : self) + stride * i;
    int value = 0;
    if (access == Access::load) value = *word;
    if (access == Access::store) *word = -i;
    if (access == Access::add) value = atomicAdd(const_cast<int*>(word), 1);
    if (access == Access::add_unused) atomicAdd(const_cast<int*>(word), 1);
    cluster.sync();
    int* const row = out + 3 * (block_size * self + i);
    row[0] = value;
    row[1] = data[stride * i];
    row[2] = data[stride * i + 1];
}

int failures = 0;

template <Access access> void test(const char* name, int* out) {
    for (const Owner owner : {Owner::self, Owner::other, Owner::by_lane})
        for (const int stride : {1, 2, 32}) {
            touch<access><<<blocks, block_size>>>(owner, stride, out);
            std::vector<int> rows(3 * blocks * block_size);
            cudaMemcpy(rows.data(), out, rows.size() * sizeof(int), cudaMemcpyDeviceToHost);
            for (int self = 0; self < blocks; ++self)
                for (int i = 0; i < block_size; ++i) {
                    const bool is_other = owner == Owner::other || (owner == Owner::by_lane && i % 2 == 1);
                    const int own = words * self + stride * i, seen = words * (is_other ? self ^ 1 : self) + stride * i;
                    const int* const row = rows.data() + 3 * (block_size * self + i);
                    const bool returns = access == Access::load || access == Access::add, stores = access == Access::store;
                    const int change = access == Access::load ? 0 : 1;
                    const int value = returns ? seen : 0, left = stores ? -i : own + change;
                    const int next = stride == 1 && i + 1 < block_size ? (stores ? -i - 1 : own + 1 + change) : own + 1;
                    if (row[0] == value && row[1] == left && row[2] == next) continue;
                    std::printf("%s, stride %d, block %d, thread %d: %d %d %d, expected %d %d %d\n", name, stride, self, i, row[0], row[1],
                                row[2], value, left, next);
                    ++failures;
                }
        }
}

int main() {
    int* out = nullptr;
    cudaMalloc(&out, 3 * blocks * block_size * sizeof(int));
    test<Access::load>("load", out);
    test<Access::store>("store", out);
    test<Access::add>("add", out);
    test<Access::add_unused>("add unused", out);
    cudaFree(out);
    std::printf(failures ? "%d failures\n" : "ok\n", failures);
    return failures != 0;
}
