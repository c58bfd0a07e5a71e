// A kernel that the model cannot execute ends with one line that names the instruction, the kernel and the source line.

#include <cuda.h>

#include <string>
#include <vector>

#include "surface/support.hpp"

namespace {

using simt::Message;
using simt::MessageCode;

constexpr int line_of_reduction = __LINE__ + 3;
__global__ void reduce_over_devices(float* out) {
    float sum;
    asm volatile("multimem.ld_reduce.relaxed.gpu.global.add.f32 %0, [%1];" : "=f"(sum) : "l"(out) : "memory");
    *out = sum;
}

constexpr int line_of_sample = __LINE__ + 5;
__global__ void fetch_sample(float* out, unsigned long long texture) {
    float x, y, z, w;
    asm volatile("tex.2dms.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                 : "l"(texture), "r"(0), "r"(1), "r"(2));
    *out = x + y + z + w;
}

constexpr int line_of_copy = __LINE__ + 8;
__global__ void copy_box(int* out, const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int box[64];
    __shared__ unsigned long long barrier;
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(box)),
               arrived = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2, %2}], [%3];" ::"r"(to),
        "l"(&map), "r"(0), "r"(arrived)
        : "memory");
    *out = box[0];
}

constexpr int line_of_store = __LINE__ + 5;
__global__ void store_box(int x, int y, int z, const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int box[64];
    const auto from = static_cast<unsigned>(__cvta_generic_to_shared(box));
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&map), "r"(x), "r"(y), "r"(z),
                 "r"(from)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/// Unused results (sinks) of instructions that allow them.
__global__ void drop_results(unsigned char* out, const unsigned char* in) {
    int second, high, kept;
    asm volatile("ld.global.v2.u8 {_, %0}, [%1];" : "=r"(second) : "l"(in + 2 * threadIdx.x));
    asm volatile("mov.b64 {_, %0}, %1;" : "=r"(high) : "l"(7ll << 32 | threadIdx.x));
    asm volatile("{ .reg .pred p; setp.lt.s32 _|p, %1, 5; selp.b32 %0, 1, 0, p; }" : "=r"(kept) : "r"(threadIdx.x));
    out[threadIdx.x] = static_cast<unsigned char>(second + high + kept);
}

Message the_error() {
    cudaDeviceSynchronize();
    cudaGetLastError();
    const std::vector<Message> errors = model::take_errors();
    EXPECT_EQ(errors.size(), 1u);
    return errors.empty() ? Message() : errors[0];
}

/// A message on an instruction of a kernel of this file.
Message refused(MessageCode code, const char* instruction, const char* kernel, int line) {
    return {code, {{"instruction", instruction}, {"kernel", kernel}, {"file", "refused_test.cu"}, {"line", line}}};
}

TEST(Refused, InstructionsAreNamedWithKernelAndLine) {
    Device<float> out(4);
    reduce_over_devices<<<1, 1>>>(out.data);
    EXPECT_EQ(the_error(), refused(MessageCode::instruction_not_supported, "multimem.ld_reduce.relaxed.gpu.global.add.f32",
                                   "reduce_over_devices", line_of_reduction));
    fetch_sample<<<1, 1>>>(out.data, 1);
    EXPECT_EQ(the_error(), refused(MessageCode::several_samples, "tex.2dms.v4.f32.s32", "fetch_sample", line_of_sample));
}

TEST(Refused, TextsThatAreNoPtxEndInALine) {
    const auto error_with = [](const std::string& instruction) {
        const std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() { .reg .b32 %r<3>; mov.u32 %r1, 1; " +
                                 instruction + " ret; }\n";
        cudaLibrary_t library = nullptr;
        cudaKernel_t kernel = nullptr;
        EXPECT_EQ(cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0), cudaSuccess);
        EXPECT_EQ(cudaLibraryGetKernel(&kernel, library, "k"), cudaSuccess);
        cudaLaunchKernel(kernel, dim3(1), dim3(32), nullptr, 0, nullptr);
        const Message error = the_error();
        cudaLibraryUnload(library);
        return error;
    };
    EXPECT_EQ(error_with("add.s32 %r2, %r1, _;"), Message(MessageCode::sink_as_source, {{"instruction", "add.s32"}, {"kernel", "k"}}));
    EXPECT_EQ(error_with("bra 1;"), Message(MessageCode::branch_without_label, {{"instruction", "bra"}, {"kernel", "k"}}));
}

TEST(Refused, AreNoResultsThatNobodyReads) {
    std::vector<unsigned char> given(64);
    for (int i = 0; i < 64; ++i) given[i] = static_cast<unsigned char>(i);
    Device<unsigned char> in(given), out(32);
    drop_results<<<1, 32>>>(out.data, in.data);
    const std::vector<unsigned char> results = out.host();
    for (int i = 0; i < 32; ++i) EXPECT_EQ(results[i], 2 * i + 1 + 7 + (i >= 5)) << i;
}

/// A tensor of 8 x 8 x 4 numbers, copied in boxes of 4 x 4 x 2.
class RefusedTensorCopies : public testing::Test {
protected:
    CUtensorMap map(CUtensorMapInterleave interleave) const {
        void* encode = nullptr;
        cudaDriverEntryPointQueryResult found{};
        EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found), cudaSuccess);
        const cuuint64_t extents[]{8, 8, 4}, strides[]{32, 256};
        const cuuint32_t box[]{4, 4, 2}, steps[]{1, 1, 1};
        CUtensorMap map{};
        EXPECT_EQ(reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
                      &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 3, data, extents, strides, box, steps, interleave, CU_TENSOR_MAP_SWIZZLE_NONE,
                      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                  CUDA_SUCCESS);
        return map;
    }
    static Message message(MessageCode code, const char* kernel, int line, const std::vector<simt::MessageField>& fields = {}) {
        Message message(code, {{"kernel", kernel},
                               {"block", simt::Extent{0, 0, 0}},
                               {"thread", simt::Extent{0, 0, 0}},
                               {"file", "refused_test.cu"},
                               {"line", line}});
        message.fields.insert(message.fields.end(), fields.begin(), fields.end());
        return message;
    }

    Device<int> memory{256};
    int* const data = memory.data;
};

TEST_F(RefusedTensorCopies, InterleavedMapsAreNamedWithKernelAndLine) {
    copy_box<<<1, 1>>>(data, map(CU_TENSOR_MAP_INTERLEAVE_16B));
    EXPECT_EQ(the_error(), message(MessageCode::tensor_map_layout, "copy_box", line_of_copy));
}

TEST_F(RefusedTensorCopies, StoresBeforeTheTensor) {
    const CUtensorMap tensor = map(CU_TENSOR_MAP_INTERLEAVE_NONE);
    store_box<<<1, 1>>>(4, 6, 3, tensor);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    store_box<<<1, 1>>>(4, -2, 0, tensor);
    EXPECT_EQ(the_error(), message(MessageCode::tensor_store_before, "store_box", line_of_store, {{"coordinate", -2}, {"dimension", 1}}));
}

TEST_F(RefusedTensorCopies, RowsThatDoNotBeginAt16Bytes) {
    store_box<<<1, 1>>>(2, 0, 0, map(CU_TENSOR_MAP_INTERLEAVE_NONE));
    EXPECT_EQ(the_error(), message(MessageCode::tensor_copy_start, "store_box", line_of_store, {{"element", 2}}));
}

}  // namespace
