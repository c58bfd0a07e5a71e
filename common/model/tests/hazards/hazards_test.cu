// Kernels that access what they may not, each beside one that is right: the first is reported with its lines, the second
// is not reported at all.

#include <cooperative_groups.h>
#include <gtest/gtest.h>

#include "marked_hazards.hpp"

namespace {

const MarkedFile here(__FILE__);

// Uninitialized shared memory

__global__ void partly_written(int* data, int n) {
    __shared__ int tile[N];
    if (threadIdx.x < n) tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[N - 1 - threadIdx.x];  // here: partly written
}

TEST(Uninitialized, SharedMemoryThatNoThreadWrote) {
    Ints data(N);
    EXPECT_TRUE(hazards_of([&] { partly_written<<<1, N>>>(data.data, N); }).empty());
    expect_one(here, hazards_of([&] { partly_written<<<1, N>>>(data.data, N - 1); }), HazardKind::uninitialized, {"partly written"});
}

__global__ void exchanged_and_left(int* data) {
    __shared__ int lock;
    if (threadIdx.x == 0) atomicExch(&lock, 1);
    __syncthreads();
    data[threadIdx.x] = lock;
}

__global__ void exchanged_and_read(int* data) {
    __shared__ int lock;
    if (threadIdx.x == 0) data[N - 1] = atomicExch(&lock, 1);  // here: exchanged
    __syncthreads();
    data[threadIdx.x] = lock;
}

TEST(Uninitialized, AnExchangeWhoseResultNobodyReadsIsAWrite) {
    Ints data(N);
    EXPECT_TRUE(hazards_of([&] { exchanged_and_left<<<1, 32>>>(data.data); }).empty());
    expect_one(here, hazards_of([&] { exchanged_and_read<<<1, 32>>>(data.data); }), HazardKind::uninitialized, {"exchanged"});
}

/// Each block of a cluster writes what the other one reads, and reads what it has not written itself.
__global__ void __cluster_dims__(2) exchange(int* out, bool writes) {
    __shared__ int received[N];
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    cluster.sync();
    if (writes) cluster.map_shared_rank(received, cluster.block_rank() ^ 1)[threadIdx.x] = threadIdx.x;
    cluster.sync();
    out[blockIdx.x * N + threadIdx.x] = received[N - 1 - threadIdx.x];
}

TEST(Uninitialized, AnotherBlockOfTheClusterMayWrite) {
    Ints out(2 * N);
    EXPECT_TRUE(hazards_of([&] { exchange<<<2, N>>>(out.data, true); }).empty());
    EXPECT_FALSE(hazards_of([&] { exchange<<<2, N>>>(out.data, false); }).empty());
}

// Out of bounds

__global__ void write_up_to(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) data[i] = i;  // here: one too far
}

__global__ void read_at(int* output, const int* data, long long offset) { *output = data[offset]; }  // here: far away
__global__ void shared_index(int* data, int i) {
    __shared__ int tile[4][8];
    __shared__ int other[4];
    other[threadIdx.x] = 0;
    tile[threadIdx.x][0] = 0;
    tile[threadIdx.x][i] = 1;  // here: shared index
    data[threadIdx.x] = tile[threadIdx.x][0] + other[threadIdx.x];
}
__global__ void dynamic_index(int* data, int i) {
    extern __shared__ int values[];
    values[i] = 1;  // here: dynamic index
    *data = 0;
}

TEST(OutOfBounds, ByOneIsFoundWithoutACrash) {
    Ints data(40);
    EXPECT_TRUE(hazards_of([&] { write_up_to<<<2, 32>>>(data.data, 39); }).empty());
    const auto hazards = hazards_of([&] { write_up_to<<<2, 32>>>(data.data, 40); });
    expect_one(here, hazards, HazardKind::out_of_bounds, {"one too far"});
    EXPECT_EQ(
        hazards[0].message,
        Message(MessageCode::past_allocation,
                {{"thread", Extent{8, 0, 0}}, {"operation", simt::Operation::store}, {"bytes", 4}, {"distance", 0}, {"extent", 160}}));
    EXPECT_EQ(hazards[0].block.x, 1u);
    EXPECT_EQ(hazards[0].threads[0].x, 8u);
}

__global__ void read_before(int* data, const int* source, int offset) {
    data[threadIdx.x] = source[static_cast<int>(threadIdx.x) - offset];  // here: before the start
}

TEST(OutOfBounds, BeforeAnAllocationIsToldFromHostMemory) {
    Ints output(32), data(32);
    const auto hazards = hazards_of([&] { read_before<<<1, 32>>>(output.data, data.data, 3); });
    expect_one(here, hazards, HazardKind::out_of_bounds, {"before the start"});
    expect_fields(hazards[0].message, MessageCode::before_allocation, {{"distance", 12}, {"extent", 128}});
}

__global__ void read_unwritten_and_stop(int* data, int* nothing) {
    __shared__ int values[64];
    values[threadIdx.x] = 1;
    __syncthreads();
    data[threadIdx.x] = values[threadIdx.x + 32];  // here: unwritten before a stop
    if (threadIdx.x == 3) *nothing = 1;            // here: what stops it
}

TEST(Uninitialized, ReadsAreReportedOfABlockThatIsStopped) {
    Ints data(64);
    auto hazards = hazards_of([&] { read_unwritten_and_stop<<<1, 32>>>(data.data, nullptr); });
    ASSERT_EQ(hazards.size(), 2u);
    const bool first = hazards[0].kind == HazardKind::uninitialized;
    expect_one(here, {hazards[first ? 0 : 1]}, HazardKind::uninitialized, {"unwritten before a stop"});
    expect_one(here, {hazards[first ? 1 : 0]}, HazardKind::out_of_bounds, {"what stops it"});
}

TEST(OutOfBounds, FarAwayIsReportedAndTheProgramGoesOn) {
    Ints data(4), output(1);
    // Behind the newest allocation, and before and behind all addresses of the device: nothing that was freed lies there.
    for (const long long offset : {1ll << 20, -(1ll << 40), 1ll << 40}) {
        expect_one(here, hazards_of([&] { read_at<<<1, 1>>>(output.data, data.data, offset); }), HazardKind::out_of_bounds, {"far away"});
    }
    expect_one(here, hazards_of([&] { read_at<<<1, 1>>>(output.data, nullptr, 0); }), HazardKind::out_of_bounds, {"far away"});
    int host = 5;
    expect_one(here, hazards_of([&] { read_at<<<1, 1>>>(output.data, &host, 0); }), HazardKind::out_of_bounds, {"far away"});
    EXPECT_TRUE(hazards_of([&] { read_at<<<1, 1>>>(output.data, data.data, 3); }).empty());
}

TEST(OutOfBounds, BeforeAnAllocationIsNotAboutTheOneBeforeIt) {
    { Ints freed(4); }
    Ints data(4), output(1);
    const auto hazards = hazards_of([&] { read_at<<<1, 1>>>(output.data, data.data, -1); });
    expect_one(here, hazards, HazardKind::out_of_bounds, {"far away"});
    expect_fields(hazards[0].message, MessageCode::before_allocation, {{"distance", 4}, {"extent", 16}});
}

TEST(OutOfBounds, SharedVariablesDoNotRunIntoOneAnother) {
    Ints data(32);
    EXPECT_TRUE(hazards_of([&] { shared_index<<<1, 1>>>(data.data, 0); }).empty());
    expect_one(here, hazards_of([&] { shared_index<<<1, 4>>>(data.data, 32); }), HazardKind::out_of_bounds, {"shared index"});
    const auto before = hazards_of([&] { dynamic_index<<<1, 1, 16>>>(data.data, -1); });
    expect_one(here, before, HazardKind::out_of_bounds, {"dynamic index"});
    expect_fields(before[0].message, MessageCode::before_shared_memory, {{"distance", 4}});
    EXPECT_TRUE(hazards_of([&] { dynamic_index<<<1, 1, 16>>>(data.data, 3); }).empty());
    expect_one(here, hazards_of([&] { dynamic_index<<<1, 1, 16>>>(data.data, 4); }), HazardKind::out_of_bounds, {"dynamic index"});
}

// Misaligned, freed

__global__ void copy_wide(int2* output, const char* data) { *output = *reinterpret_cast<const int2*>(data); }  // here: copy wide

TEST(Misaligned, AWideAccessAtANarrowAddress) {
    Ints data(8), output(2);
    const char* bytes = reinterpret_cast<const char*>(data.data);
    EXPECT_TRUE(hazards_of([&] { copy_wide<<<1, 1>>>(reinterpret_cast<int2*>(output.data), bytes + 8); }).empty());
    expect_one(here, hazards_of([&] { copy_wide<<<1, 1>>>(reinterpret_cast<int2*>(output.data), bytes + 4); }), HazardKind::misaligned,
               {"copy wide"});
}

__global__ void store_wide(char* data) { *reinterpret_cast<int4*>(data) = int4{1, 2, 3, 4}; }  // here: store wide

TEST(Misaligned, AWideStoreThatTheHostCannotMake) {
    Ints data(8);
    char* bytes = reinterpret_cast<char*>(data.data);
    EXPECT_TRUE(hazards_of([&] { store_wide<<<1, 1>>>(bytes + 16); }).empty());
    expect_one(here, hazards_of([&] { store_wide<<<1, 1>>>(bytes + 4); }), HazardKind::misaligned, {"store wide"});
}

__global__ void store_first(int* data) { data[threadIdx.x] = 1; }

TEST(Errors, AFaultStopsTheLaunchWithTheErrorOfAGpu) {
    Ints data(8);
    char* bytes = reinterpret_cast<char*>(data.data);
    struct Fault {
        std::function<void()> launch;
        cudaError_t error;
    };
    const Fault faults[] = {{[&] { store_wide<<<1, 1>>>(bytes + 4); }, cudaErrorMisalignedAddress},
                            {[&] { store_first<<<1, 1>>>(nullptr); }, cudaErrorIllegalAddress},
                            {[&] { store_first<<<1, 8>>>(data.data); }, cudaSuccess}};
    for (const Fault& fault : faults) {
        model::take_launches();
        fault.launch();
        EXPECT_EQ(cudaGetLastError(), fault.error);
        const auto launches = model::take_launches();
        ASSERT_EQ(launches.size(), 1u);
        EXPECT_EQ(launches[0].stopped, fault.error != cudaSuccess);
    }
    model::take_hazards();
}

TEST(UseAfterFree, FreedMemoryIsNotAccessed) {
    Ints output(1);
    int* data = nullptr;
    cudaMalloc(&data, 16);
    cudaFree(data);
    expect_one(here, hazards_of([&] { read_at<<<1, 1>>>(output.data, data, 0); }), HazardKind::use_after_free, {"far away"});
}

__global__ void read_after_free(int* output) {
    auto* const memory = static_cast<volatile int*>(malloc(64));
    *memory = 1;
    free(const_cast<int*>(memory));
    *output = *memory;  // here: read after free
}

TEST(UseAfterFree, MemoryThatTheBlockHasFreedIsNotAccessed) {
    Ints output(1);
    expect_one(here, hazards_of([&] { read_after_free<<<1, 1>>>(output.data); }), HazardKind::use_after_free, {"read after free"});
}

}  // namespace
