// Vector types: the counts of copies of whole vectors, and the operations of the types.

#include <type_traits>
#include <utility>

#include "support.hpp"

namespace {

template <class V> __global__ void copy_directly(V* out, const V* in) { out[threadIdx.x] = in[threadIdx.x]; }

template <class V> __global__ void copy_through_local(V* out, const V* in) {
    V v = in[threadIdx.x];
    v.x = v.x + v.y;
    out[threadIdx.x] = v;
}

__global__ void use_two_components(float* out, const float4* in) {
    float4 v = in[threadIdx.x];
    out[threadIdx.x] = v.x + v.y;
}

__global__ void use_one_by_name(float* out, const float4* in) { out[threadIdx.x] = in[threadIdx.x].y; }

__global__ void store_made(float* out) {
    float f = threadIdx.x;
    reinterpret_cast<float4*>(out)[threadIdx.x] = make_float4(f, f + 1, f + 2, f + 3);
}

__global__ void store_braces(float4* out) {
    float f = threadIdx.x;
    out[threadIdx.x] = {f, f + 1, f + 2, f + 3};
}

__global__ void store_typed_braces(float4* out) {
    float f = threadIdx.x;
    out[threadIdx.x] = float4{f, f + 1, f + 2, f + 3};
}

inline __host__ __device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
inline __host__ __device__ void operator+=(float4& a, float4 b) { a.x += b.x, a.y += b.y, a.z += b.z, a.w += b.w; }

__global__ void add(float4* out, const float4* a, const float4* b) { out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

__global__ void accumulate(float4* out, const float4* in, int n) {
    float4 sum = make_float4(0, 0, 0, 0);
    for (int i = 0; i < n; ++i) sum += in[threadIdx.x + 32 * i];
    out[threadIdx.x] = sum;
}

__global__ void swap_moved(float4* data) { std::swap(data[threadIdx.x], data[threadIdx.x + 32]); }

__global__ void through_shared(float4* data) {
    __shared__ float4 tile[32];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    float4 v = tile[31 - threadIdx.x];
    data[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
}

// Expects the counts of a warp whose lanes move a vector of `bytes` bytes each by one instruction.
void expect_one_access(const simt::GlobalCounts& counts, std::uint64_t bytes) {
    EXPECT_EQ(counts.requests, 1u);
    EXPECT_EQ(counts.bytes, 32 * bytes);
}

template <class V> class WholeVector : public testing::Test {};
using WholeVectors = testing::Types<char2, uchar4, short2, ushort4, int2, uint4, long2, ulong2, longlong2, float2, float4, double2>;
TYPED_TEST_SUITE(WholeVector, WholeVectors, );

TYPED_TEST(WholeVector, IsLoadedAndStoredByOneInstruction) {
    std::vector<TypeParam> values(32);
    for (int i = 0; i < 32; ++i) values[i].x = i, values[i].y = 2 * i;
    Device<TypeParam> in(values), out(32);
    auto counts = counts_of([&] { copy_directly<<<1, 32>>>(out.data, in.data); });
    expect_one_access(counts.global_load, sizeof(TypeParam));
    expect_one_access(counts.global_store, sizeof(TypeParam));
    EXPECT_EQ(out.host()[31].y, values[31].y);

    counts = counts_of([&] { copy_through_local<<<1, 32>>>(out.data, in.data); });
    expect_one_access(counts.global_load, sizeof(TypeParam));
    expect_one_access(counts.global_store, sizeof(TypeParam));
    EXPECT_EQ(out.host()[31].x, decltype(values[0].x)(93));
}

TEST(VectorTypes, ThreeComponentsAreThreeAccesses) {
    Device<float3> in(std::vector<float3>(32, make_float3(1, 2, 3))), out(32);
    const auto counts = counts_of([&] { copy_directly<<<1, 32>>>(out.data, in.data); });
    EXPECT_EQ(counts.global_load.requests, 3u);
    EXPECT_EQ(counts.global_load.bytes, 32u * 12);
    EXPECT_EQ(counts.global_store.requests, 3u);
    EXPECT_EQ(out.host()[7].z, 3.0f);
}

TEST(VectorTypes, ALoadIsWholeEvenIfNotAllComponentsAreUsed) {
    Device<float4> in(std::vector<float4>(32, make_float4(1, 2, 4, 8)));
    Device<float> out(32);
    auto counts = counts_of([&] { use_two_components<<<1, 32>>>(out.data, in.data); });
    expect_one_access(counts.global_load, 16);
    EXPECT_EQ(out.host()[3], 3.0f);
    counts = counts_of([&] { use_one_by_name<<<1, 32>>>(out.data, in.data); });
    expect_one_access(counts.global_load, 4);
    EXPECT_EQ(out.host()[3], 2.0f);
}

TEST(VectorTypes, AStoreIsWholeHoweverTheVectorIsMade) {
    Device<float4> out(32);
    const auto check = [&](const simt::LaunchCounts& counts) {
        expect_one_access(counts.global_store, 16);
        EXPECT_EQ(counts.global_load.requests, 0u);
        ASSERT_EQ(counts.lines.size(), 1u);
        EXPECT_EQ(counts.lines[0].file, "vector_types_test.cu") << "the store counts on the user's line";
        EXPECT_EQ(out.host()[5].w, 8.0f);
        cudaMemset(out.data, 0, 32 * sizeof(float4));
    };
    check(counts_of([&] { store_made<<<1, 32>>>(&out.data->x); }));
    check(counts_of([&] { store_braces<<<1, 32>>>(out.data); }));
    check(counts_of([&] { store_typed_braces<<<1, 32>>>(out.data); }));
}

TEST(VectorTypes, OperatorsOfTheProgramMoveWholeVectors) {
    Device<float4> a(std::vector<float4>(128, make_float4(1, 2, 3, 4))), b(std::vector<float4>(32, make_float4(5, 6, 7, 8))), out(32);
    auto counts = counts_of([&] { add<<<1, 32>>>(out.data, a.data, b.data); });
    EXPECT_EQ(counts.global_load.requests, 2u);
    expect_one_access(counts.global_store, 16);
    EXPECT_EQ(out.host()[9].z, 10.0f);
    counts = counts_of([&] { accumulate<<<1, 32>>>(out.data, a.data, 4); });
    EXPECT_EQ(counts.global_load.requests, 4u);
    EXPECT_EQ(counts.global_load.bytes, 4u * 32 * 16);
    expect_one_access(counts.global_store, 16);
    EXPECT_EQ(out.host()[9].w, 16.0f);
}

TEST(VectorTypes, AVectorThatIsMovedIsLoadedToo) {
    std::vector<float4> values(64);
    for (int i = 0; i < 64; ++i) values[i].x = i;
    Device<float4> data(values);
    const auto counts = counts_of([&] { swap_moved<<<1, 32>>>(data.data); });
    EXPECT_EQ(counts.global_load.requests, 2u);
    EXPECT_EQ(counts.global_store.requests, 2u);
    EXPECT_EQ(data.host()[3].x, 35.0f);
    EXPECT_EQ(data.host()[40].x, 8.0f);
}

TEST(VectorTypes, SharedMemoryIsReachedInWholeVectors) {
    std::vector<float4> values(32);
    for (int i = 0; i < 32; ++i) values[i] = make_float4(i, 0, 0, -i);
    Device<float4> data(values);
    const auto counts = counts_of([&] { through_shared<<<1, 32>>>(data.data); });
    EXPECT_EQ(counts.shared_store.instructions, 1u);
    EXPECT_EQ(counts.shared_load.instructions, 1u);
    EXPECT_EQ(counts.shared_load.conflicts(), 0u);
    EXPECT_EQ(data.host()[0].x, -31.0f);
}

union FloatBits {
    float4 vector;
    unsigned words[4];
};

struct Holder {
    int count;
    float4 vector;
};

constexpr float4 assigned() {
    float4 v{1, 2};
    v = {3, 4, 5, 6};
    v = float4{v.w, v.z, v.y, v.x};
    return v;
}

TEST(VectorTypes, AreTrivialAggregatesAsUnderNvcc) {
    static_assert(sizeof(float3) == 12 && alignof(float3) == 4 && sizeof(float4) == 16 && alignof(float4) == 16);
    static_assert(sizeof(uchar4) == 4 && alignof(uchar4) == 4 && alignof(short4) == 8 && sizeof(double4) == 32 && alignof(double4) == 16);
    static_assert(std::is_aggregate_v<float4> && std::is_trivially_copyable_v<float4> && std::is_trivially_default_constructible_v<float4>);
    static_assert(std::is_standard_layout_v<float4> && std::is_trivially_copyable_v<FloatBits> && std::is_trivially_copyable_v<Holder>);
    static_assert(assigned().x == 6 && assigned().w == 3);
    static_assert(sizeof(Holder) == 32);

    FloatBits bits = {make_float4(1, 2, 3, 4)};
    FloatBits other = bits;
    EXPECT_EQ(other.words[1], 0x40000000u);
    float4 designated = {.y = 2, .w = 4};
    EXPECT_EQ(designated.x + designated.y + designated.z + designated.w, 6);
    auto [x, y, z, w] = designated;
    EXPECT_EQ(y + w, 6);
    auto& [rx, ry, rz, rw] = designated;
    rx = 7, rz = 9;
    EXPECT_EQ(designated.x + designated.z, 16);
    float2 pairs[2] = {1, 2, 3, 4};
    EXPECT_EQ(pairs[1].x, 3);
    dim3 extent = {4, 5};
    EXPECT_EQ(extent.x * extent.y * extent.z, 20u);
}

}  // namespace
