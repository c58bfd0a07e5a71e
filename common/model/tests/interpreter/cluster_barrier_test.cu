// The barrier of a cluster: which threads wait for which.

#include <cooperative_groups.h>
#include <gtest/gtest.h>

#include "model_results.hpp"

namespace {

namespace cg = cooperative_groups;

__device__ void meet_and_add(int* out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    cg::this_cluster().sync();
    atomicAdd(&sum, 1);
    cg::this_cluster().sync();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void without_cluster(int* out) { meet_and_add(out); }
__global__ void __cluster_dims__(1, 1, 1) with_cluster_of_one(int* out) { meet_and_add(out); }

// A block that is in no cluster, or alone in one, is a cluster of its own.
TEST(ClusterBarrier, LetsABlockAloneWaitForItself) {
    for (const auto kernel : {without_cluster, with_cluster_of_one}) {
        int* out = nullptr;
        ASSERT_EQ(cudaMallocManaged(&out, 3 * sizeof(int)), cudaSuccess);
        kernel<<<3, 96>>>(out);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        for (int block = 0; block < 3; ++block) EXPECT_EQ(out[block], 96);
        cudaFree(out);
    }
    EXPECT_TRUE(model::take_hazards().empty());
}

__global__ void __cluster_dims__(3, 1, 1) all_but_the_first_block_meet(int* out) {
    if (cg::this_cluster().block_rank() == 0) return;
    cg::this_cluster().sync();
    if (threadIdx.x == 0) out[blockIdx.x] = static_cast<int>(blockIdx.x);
}

TEST(ClusterBarrier, DoesNotWaitForABlockThatHasEnded) {
    int* out = nullptr;
    ASSERT_EQ(cudaMallocManaged(&out, 6 * sizeof(int)), cudaSuccess);
    all_but_the_first_block_meet<<<6, 64>>>(out);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (const int block : {1, 2, 4, 5}) EXPECT_EQ(out[block], block);
    cudaFree(out);
    EXPECT_TRUE(model::take_hazards().empty());
}

}  // namespace
