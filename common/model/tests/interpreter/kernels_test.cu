// Small kernels run under the counting model, with counts known by hand.

#include "surface/support.hpp"

namespace {

constexpr int N = 64;

__global__ void reverse(int* data) {
    __shared__ int tile[N];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[N - 1 - threadIdx.x];
}

template <class T> __global__ void read_column(T* output, int stride) {
    extern __shared__ T column[];
    for (int i = threadIdx.x; i < 32 * stride; i += 32) column[i] = T(i);
    __syncthreads();
    output[threadIdx.x] = column[threadIdx.x * stride];
}

__global__ void guarded(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = i;
}

__global__ void early_exit(int* data) {
    if (threadIdx.x == 5) return;
    __syncthreads();
    data[threadIdx.x] = 1;
}

__global__ void long_interval(int* data, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += data[(i + threadIdx.x) % 32];
    data[threadIdx.x] = sum;
}

/// The compiler knows the value of a lane without an element, and so the outcome of the loop's first test: it may give these
/// lanes a separate entry into the loop.
__global__ void some_without_element(int* output, const int* data, int n) {
    __shared__ int tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = i < n ? data[i] : 0;
    for (int first = 0; first < n; first += 32) {
        int count = min(32, n - first);
        if (threadIdx.x < count) tile[threadIdx.x] = data[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < count; ++j) sum += tile[j];
        __syncthreads();
    }
    if (i < n) output[i] = sum;
}

__global__ void indices(uint3* out) {
    unsigned i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    out[b * threads + i] = make_uint3(b, i, threads);
}

TEST(Kernels, ABarrierSeparatesWritesFromReads) {
    std::vector<int> values(N);
    for (int i = 0; i < N; ++i) values[i] = 7 * i + 3;
    Device<int> device(values);
    const auto counts = counts_of([&] { reverse<<<1, N>>>(device.data); });
    const auto result = device.host();
    for (int i = 0; i < N; ++i) EXPECT_EQ(result[i], values[N - 1 - i]);
    EXPECT_EQ(counts.name, "reverse");
    EXPECT_EQ(counts.shared_bytes, N * sizeof(int));
    EXPECT_EQ(counts.barriers, 1u);
    EXPECT_EQ(counts.shared_store.instructions, 2u);
    EXPECT_EQ(counts.shared_load.instructions, 2u);
    EXPECT_EQ(counts.shared_load.conflicts(), 0u);
    EXPECT_EQ(counts.global_load.requests, 2u);
    EXPECT_EQ(counts.global_load.sectors, 8u);
    EXPECT_EQ(counts.global_store.bytes, N * sizeof(int));
}

TEST(Kernels, LinesSumToTheLaunchAndNameTheSource) {
    Device<int> device(N);
    const auto counts = counts_of([&] { reverse<<<1, N>>>(device.data); });
    simt::SharedCounts shared;
    simt::GlobalCounts global;
    for (const auto& line : counts.lines) {
        EXPECT_EQ(line.file, "kernels_test.cu");
        EXPECT_TRUE(line.line == 11 || line.line == 13) << line.line;
        (line.space == simt::Space::shared ? void(shared += line.shared) : void(global += line.global));
    }
    EXPECT_EQ(counts.lines.size(), 4u);
    auto total_shared = counts.shared_load;
    total_shared += counts.shared_store;
    auto total_global = counts.global_load;
    total_global += counts.global_store;
    EXPECT_EQ(shared, total_shared);
    EXPECT_EQ(global, total_global);
}

TEST(Kernels, AColumnOfThirtyTwoWordsConflictsThirtyTwoWays) {
    Device<float> device(32);
    for (const auto [stride, wavefronts] : {std::pair{32, 32u}, std::pair{33, 1u}, std::pair{2, 2u}}) {
        const auto counts = counts_of([&] { read_column<float><<<1, 32, 32 * stride * sizeof(float)>>>(device.data, stride); });
        EXPECT_EQ(counts.shared_load.wavefronts, wavefronts) << "stride " << stride;
        EXPECT_EQ(counts.shared_load.conflicts(), wavefronts - 1);
        EXPECT_EQ(device.host()[31], 31.0f * stride);
    }
}

TEST(Kernels, ThreadsBeyondTheGuardDoNotCount) {
    Device<int> device(40);
    const auto counts = counts_of([&] { guarded<<<2, 32>>>(device.data, 40); });
    EXPECT_EQ(counts.global_store.requests, 2u);
    EXPECT_EQ(counts.global_store.bytes, 160u);
    EXPECT_EQ(counts.global_store.sectors, 5u);
}

TEST(Kernels, ABarrierThatAThreadNeverReachesIsAHazard) {
    Device<int> device(32);
    model::take_hazards();
    early_exit<<<1, 32>>>(device.data);
    const auto hazards = model::take_hazards();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].kind, simt::HazardKind::divergent_barrier);
    model::take_launches();
    guarded<<<1, 32>>>(device.data, 32);
    EXPECT_EQ(model::take_launches().size(), 1u) << "the model runs on after a hazard";
}

TEST(Kernels, LongIntervalsAreCountedPieceByPiece) {
    Device<int> device(32);
    const auto counts = counts_of([&] { long_interval<<<1, 32>>>(device.data, 200000); });
    EXPECT_EQ(counts.global_load.requests, 200000u);
    EXPECT_EQ(counts.global_load.sectors, 800000u);
}

TEST(Kernels, LanesThatSkipALoadGoOnTogetherWithThoseThatMadeIt) {
    Device<int> data(48), output(48);
    cudaMemset(data.data, 0, 48 * sizeof(int));
    const auto launch = counts_of([&] { some_without_element<<<2, 32>>>(output.data, data.data, 48); });
    // Each of the two warps loads its own elements and the two tiles; the last tile has 16 elements.
    EXPECT_EQ(launch.global_load.requests, 6u);
    EXPECT_EQ(launch.shared_store.instructions, 4u);
    EXPECT_EQ(launch.shared_load.instructions, 2u * 48);
    EXPECT_EQ(launch.global_store.requests, 2u);
}

TEST(Kernels, EveryThreadOfEveryBlockKnowsItsPlace) {
    const dim3 grid(3, 2, 2), block(5, 4, 3);
    Device<uint3> device(12 * 60);
    indices<<<grid, block>>>(device.data);
    const auto places = device.host();
    for (unsigned i = 0; i < places.size(); ++i) {
        EXPECT_EQ(places[i].x, i / 60);
        EXPECT_EQ(places[i].y, i % 60);
        EXPECT_EQ(places[i].z, 60u);
    }
}

TEST(Kernels, AnImpossibleConfigurationIsReportedTheCudaWay) {
    using simt::Extent, simt::Message, simt::MessageCode;
    Device<int> device(1);
    guarded<<<1, 1025>>>(device.data, 0);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
    guarded<<<0, 32>>>(device.data, 0);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
    guarded<<<1, 32>>>(device.data, 0);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    // A program that does not check for errors fails too.
    const std::vector<Message> errors = model::take_errors();
    ASSERT_EQ(errors.size(), 2u);
    EXPECT_EQ(errors[0], Message(MessageCode::block_too_large, {{"kernel", "guarded"},
                                                                {"machine", "sm_90"},
                                                                {"block_size", Extent{1025, 1, 1}},
                                                                {"error", "cudaErrorInvalidConfiguration"}}));
    EXPECT_EQ(errors[1].code, MessageCode::empty_grid);
}

__global__ void large_static_array(int* output, int i) {
    __shared__ volatile int values[(48 << 10) / 4 + 1];
    values[i] = 1;
    *output = values[i];
}

TEST(Kernels, StaticSharedMemoryEndsAt48KiB) {
    Device<int> device(1);
    large_static_array<<<1, 1>>>(device.data, 0);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidPtx) << "as from a driver that compiles such PTX";
    const auto errors = model::take_errors();
    ASSERT_EQ(errors.size(), 1u);
    using simt::Message, simt::MessageCode;
    EXPECT_EQ(errors[0], Message(MessageCode::too_much_static_shared_memory,
                                 {{"kernel", "large_static_array"}, {"bytes", 49156}, {"most", 49152}, {"error", "cudaErrorInvalidPtx"}}));
}

enum class Order { forward, backward };

template <class T, int factor, Order order = Order::forward, class... Rest> __global__ void scale(T* data, Rest...) {
    data[threadIdx.x] *= factor;
}
template <class F> __global__ void apply(int* data, F f) { data[threadIdx.x] = f(data[threadIdx.x]); }
struct Twice {
    __device__ int operator()(int x) const { return 2 * x; }
};

/// Not in the test itself: its function is private, and may not contain a device lambda.
void apply_lambda(int* data) {
    apply<<<1, 32>>>(data, [] __device__(int x) { return x + 1; });
}

TEST(Kernels, InstancesOfTemplatesAreToldApart) {
    Device<float> floats(32);
    Device<int> ints(32);
    model::take_launches();
    scale<float, 3><<<1, 32>>>(floats.data);
    scale<int, 2, Order::backward><<<1, 32>>>(ints.data, 1.0, 'c');
    apply<<<1, 32>>>(ints.data, Twice{});
    apply_lambda(ints.data);
    guarded<<<1, 32>>>(ints.data, 0);
    std::vector<std::string> names;
    for (const auto& launch : model::take_launches()) names.push_back(launch.name);
    EXPECT_EQ(names, (std::vector<std::string>{"scale<float, 3, (Order)0>", "scale<int, 2, (Order)1, double, char>", "apply<Twice>",
                                               "apply<apply_lambda(int*)::{lambda#1}>", "guarded"}));
}

__global__ void lambdas(int* output) {
    __shared__ int values[32];
    const int i = threadIdx.x;
    const auto put = [=](int value) { values[i] = value; };
    const auto get = [=] { return values[31 - i]; };
    put(i);
    __syncthreads();
    output[i] = get();
}

TEST(Kernels, LambdasDoNotCopySharedArrays) {
    Device<int> device(32);
    const auto launch = counts_of([&] { lambdas<<<1, 32>>>(device.data); });
    EXPECT_EQ(launch.shared_store.instructions, 1u);
    EXPECT_EQ(launch.shared_load.instructions, 1u);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(device.host()[i], 31 - i);
}

}  // namespace
