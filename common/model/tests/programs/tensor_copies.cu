// cp.async.bulk.tensor: boxes of 1 to 5 dimensions in all swizzles, over the edges of the tensor, in both directions, with
// reductions, and columns of pixels. The exit code is 0 if all results are right.

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cuda/ptx>

#include "../device_array.cuh"

namespace ptx = cuda::ptx;
constexpr int MOST = 8192;

struct Coordinates { int at[5]; };

__device__ unsigned shared_address(const void* pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

template <int RANK> __device__ void load_box(void* to, const CUtensorMap* map, const int* c, std::uint64_t* barrier) {
    if constexpr (RANK == 1) ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, {c[0]}, barrier);
    if constexpr (RANK == 2) ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, {c[0], c[1]}, barrier);
    if constexpr (RANK == 3) ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, {c[0], c[1], c[2]}, barrier);
    if constexpr (RANK == 4) ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, {c[0], c[1], c[2], c[3]}, barrier);
    if constexpr (RANK == 5)
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, {c[0], c[1], c[2], c[3], c[4]}, barrier);
}

template <int RANK> __device__ void store_box(const CUtensorMap* map, const int* c, const void* from) {
    if constexpr (RANK == 1) ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, {c[0]}, from);
    if constexpr (RANK == 2) ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, {c[0], c[1]}, from);
    if constexpr (RANK == 3) ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, {c[0], c[1], c[2]}, from);
    if constexpr (RANK == 4) ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, {c[0], c[1], c[2], c[3]}, from);
    if constexpr (RANK == 5) ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, {c[0], c[1], c[2], c[3], c[4]}, from);
}

__device__ void start(std::uint64_t& full, int bytes) {
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, bytes);
    }
    __syncthreads();
}

__device__ void wait(std::uint64_t& full) {
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
}

/// Brings a box to shared memory and shows what is there.
template <int RANK> __global__ void load(const __grid_constant__ CUtensorMap map, Coordinates c, int bytes, int* to) {
    __shared__ alignas(1024) int tile[MOST];
    __shared__ std::uint64_t full;
    for (int i = threadIdx.x; i < MOST; i += blockDim.x) tile[i] = -1;
    ptx::fence_proxy_async(ptx::space_shared);
    start(full, bytes);
    if (threadIdx.x == 0) load_box<RANK>(tile, &map, c.at, &full);
    wait(full);
    for (int i = threadIdx.x; i < MOST; i += blockDim.x) to[i] = tile[i];
}

template <int RANK> __global__ void store(const __grid_constant__ CUtensorMap map, Coordinates c, bool adds) {
    __shared__ alignas(1024) int tile[MOST];
    for (int i = threadIdx.x; i < MOST; i += blockDim.x) tile[i] = 100000 + i;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (adds) {
        if constexpr (RANK == 2)
            ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, {c.at[0], c.at[1]}, tile);
    } else {
        store_box<RANK>(&map, c.at, tile);
    }
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
}

__global__ void load_columns(const __grid_constant__ CUtensorMap map, Coordinates c, std::uint16_t right, std::uint16_t down, int bytes,
                             int* to) {
    __shared__ alignas(1024) int tile[MOST];
    __shared__ std::uint64_t full;
    start(full, bytes);
    if (threadIdx.x == 0)
        asm volatile(
            "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, "
            "%8};" ::"r"(shared_address(tile)),
            "l"(&map), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), "r"(shared_address(&full)), "h"(right), "h"(down)
            : "memory");
    wait(full);
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) to[i] = tile[i];
}

template <class Function> Function driver_function(const char* name) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    if (cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found) != cudaSuccess || !function) {
        std::printf("%s is missing\n", name);
        std::exit(1);
    }
    return reinterpret_cast<Function>(function);
}

struct Tensor {
    int rank;
    int extent[5], box[5], every[5] = {1, 1, 1, 1, 1};
    int elements() const {
        int n = 1;
        for (int i = 0; i < rank; ++i) n *= extent[i];
        return n;
    }
    /// Loads may begin before the first element of a dimension; stores to global memory may not.
    static bool may_be_written(const Coordinates& c) {
        for (const int at : c.at)
            if (at < 0) return false;
        return true;
    }
    int side(int i) const { return i == 0 ? box[0] : (box[i] + every[i] - 1) / every[i]; }
    int box_elements() const {
        int n = 1;
        for (int i = 0; i < rank; ++i) n *= side(i);
        return n;
    }
    /// The element of the tensor that is the n-th of the box; -1 outside.
    int element(const Coordinates& c, int n) const {
        int index = 0, stride = 1;
        bool inside = true;
        for (int i = 0; i < rank; ++i) {
            const int at = c.at[i] + n % side(i) * (i == 0 ? 1 : every[i]);
            n /= side(i);
            inside = inside && at >= 0 && at < extent[i];
            index += at * stride;
            stride *= extent[i];
        }
        return inside ? index : -1;
    }
    CUtensorMap map(void* address, CUtensorMapSwizzle swizzle, bool& good) const {
        static const auto encode = driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
        cuuint64_t extents[5], strides[5], bytes = 4;
        cuuint32_t boxes[5], steps[5];
        for (int i = 0; i < rank; ++i) {
            extents[i] = static_cast<cuuint64_t>(extent[i]);
            boxes[i] = static_cast<cuuint32_t>(box[i]);
            steps[i] = static_cast<cuuint32_t>(every[i]);
            strides[i] = bytes *= extents[i];
        }
        CUtensorMap map;
        good = encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, static_cast<cuuint32_t>(rank), address, extents, strides, boxes, steps,
                      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
        return map;
    }
};

/// The place in shared memory of an element of a box, whose rows have `length` elements.
int place(int element, int length, CUtensorMapSwizzle swizzle) {
    const int span = swizzle == CU_TENSOR_MAP_SWIZZLE_128B  ? 32
                     : swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 16
                     : swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? 8
                                                            : length;
    // However short they are, rows begin at a multiple of the pattern's span.
    element = element / length * span + element % length;
    const int unit = element / 4, row = unit / 8;
    const int mask = swizzle == CU_TENSOR_MAP_SWIZZLE_128B  ? 7
                     : swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 3
                     : swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? 1
                                                            : 0;
    // The patterns exchange units within 128, 64 and 32 bytes by the number of the 128 bytes.
    return (unit ^ (row & mask)) * 4 + element % 4;
}

int failures = 0;
void fail(const char* what, int rank, int i, int given, int expected) {
    std::printf("%s of %d dimensions: %d at %d, expected %d (%s)\n", what, rank, given, i, expected,
                cudaGetErrorString(cudaGetLastError()));
    ++failures;
}

template <int RANK> void test(const Tensor& tensor, const Coordinates& c, CUtensorMapSwizzle swizzle) {
    const int count = tensor.elements(), bytes = tensor.box_elements() * 4;
    std::vector<int> values(count);
    for (int i = 0; i < count; ++i) values[i] = i + 1;
    DeviceArray<int> memory(values);
    const DeviceArray<int> to(MOST);
    bool good = false;
    const CUtensorMap map = tensor.map(memory, swizzle, good);
    if (!good) return fail("encoding", RANK, swizzle, 0, 0);
    load<RANK><<<1, 64>>>(map, c, bytes, to);
    const std::vector<int> result = to.host();
    for (int i = 0; i < bytes / 4; ++i) {
        const int element = tensor.element(c, i), expected = element < 0 ? 0 : values[element];
        const int given = result[place(i, tensor.box[0], swizzle)];
        if (given != expected) return fail("load", RANK, i, given, expected);
    }
    if (!Tensor::may_be_written(c)) return;
    for (const bool adds : {false, true}) {
        if (adds && RANK != 2) continue;
        memory.write(values);
        store<RANK><<<1, 64>>>(map, c, adds);
        const std::vector<int> after = memory.host();
        std::vector<int> expected = values;
        for (int i = 0; i < bytes / 4; ++i)
            if (const int element = tensor.element(c, i); element >= 0)
                expected[element] = 100000 + place(i, tensor.box[0], swizzle) + (adds ? values[element] : 0);
        for (int i = 0; i < count; ++i)
            if (after[i] != expected[i]) return fail(adds ? "reduction" : "store", RANK, i, after[i], expected[i]);
    }
}

void test_columns() {
    // Channels, width, height, images.
    constexpr int C = 8, W = 7, H = 5, N = 3, PIXELS = 32, COUNT = C * W * H * N;
    const auto encode = driver_function<decltype(&cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
    std::vector<int> values(COUNT);
    for (int i = 0; i < COUNT; ++i) values[i] = i + 1;
    const DeviceArray<int> memory(values), to(MOST);
    const cuuint64_t extents[] = {C, W, H, N}, strides[] = {C * 4, C * W * 4, C * W * H * 4};
    // A filter of 3 x 3 pixels with a border of one pixel.
    const int lower[] = {-1, -1}, upper[] = {-1, -1};
    const cuuint32_t every[] = {1, 1, 1, 1};
    CUtensorMap map;
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, memory, extents, strides, lower, upper, C, PIXELS, every,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        return fail("encoding of columns", 4, 0, 0, 0);
    for (int down = 0; down < 3; ++down)
        for (int right = 0; right < 3; ++right) {
            int w = 2, h = 1, n = 1;
            load_columns<<<1, 64>>>(map, {{0, w, h, n}}, static_cast<std::uint16_t>(right), static_cast<std::uint16_t>(down),
                                    PIXELS * C * 4, to);
            const std::vector<int> result = to.host();
            for (int pixel = 0; pixel < PIXELS; ++pixel) {
                const int x = w + right, y = h + down;
                for (int channel = 0; channel < C; ++channel) {
                    const bool inside = x >= 0 && x < W && y >= 0 && y < H && n < N;
                    const int expected = inside ? values[((n * H + y) * W + x) * C + channel] : 0;
                    if (result[pixel * C + channel] != expected)
                        return fail("columns", 4, pixel * C + channel, result[pixel * C + channel], expected);
                }
                if (++w <= W - 1 - 1) continue;
                w = -1;
                if (++h <= H - 1 - 1) continue;
                h = -1;
                ++n;
            }
        }
}

int main() {
    const CUtensorMapSwizzle swizzles[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
                                           CU_TENSOR_MAP_SWIZZLE_128B};
    for (const CUtensorMapSwizzle swizzle : swizzles) {
        const int inner = swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? 8 : swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 16 : 32;
        test<1>({1, {100}, {inner}}, {{40}}, swizzle);
        test<1>({1, {100}, {inner}}, {{92}}, swizzle);
        test<2>({2, {64, 40}, {inner, 16}}, {{32, 8}}, swizzle);
        test<2>({2, {60, 40}, {inner, 32}}, {{-4, 30}}, swizzle);
        test<2>({2, {60, 40}, {inner, 32}}, {{52, -5}}, swizzle);
        test<2>({2, {60, 40}, {inner, 32}}, {{52, 30}}, swizzle);
        test<2>({2, {60, 40}, {inner / 2, 32}}, {{4, 4}}, swizzle);
        test<3>({3, {60, 9, 7}, {4, 5, 3}}, {{56, 6, 3}}, swizzle);
        test<3>({3, {60, 9, 7}, {inner, 4, 5}}, {{8, 6, 3}}, swizzle);
        test<3>({3, {60, 9, 7}, {inner, 4, 5}, {1, 2, 3}}, {{8, 3, -1}}, swizzle);
        test<3>({3, {60, 9, 7}, {inner, 4, 5}, {1, 2, 3}}, {{8, 6, 1}}, swizzle);
        test<4>({4, {36, 5, 4, 6}, {inner, 2, 3, 4}}, {{8, 4, -1, 1}}, swizzle);
        test<5>({5, {36, 5, 4, 3, 4}, {inner, 2, 3, 2, 3}}, {{8, 2, 1, -1, 2}}, swizzle);
        test<4>({4, {36, 5, 4, 6}, {inner, 2, 3, 4}}, {{8, 4, 2, 1}}, swizzle);
        test<5>({5, {36, 5, 4, 3, 4}, {inner, 2, 3, 2, 3}}, {{8, 2, 1, 2, 2}}, swizzle);
        test<2>({2, {64, 40}, {inner, 16}}, {{1000, 8}}, swizzle);
    }
    test_columns();
    return failures != 0;
}
