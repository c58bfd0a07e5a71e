// The permutation of cuTENSOR, timed and checked as the kernels of the chapters are. scripts/measure --peers stores the text
// between a call's markers with its times.

#include <cutensor.h>

#include <array>
#include <map>

#include <conflict_free/error.hpp>
#include <conflict_free/matrix_chapter.hpp>
#include <conflict_free/matrix_references.hpp>

#include "peers.hpp"

using namespace conflict_free;

void check_cutensor(cutensorStatus_t status, const char* call) {
    if (status != CUTENSOR_STATUS_SUCCESS) throw CudaError(std::string(call) + " failed: " + cutensorGetErrorString(status));
}

#define CUTENSOR_CHECK(call) check_cutensor((call), #call)

/// Made by the first launch, which is not timed: the harness has looked for a GPU by then.
cutensorHandle_t cutensor() {
    static const cutensorHandle_t handle = [] {
        cutensorHandle_t made{};
        CUTENSOR_CHECK(cutensorCreate(&made));
        return made;
    }();
    return handle;
}

std::string cutensor_version() {
    const std::size_t version = cutensorGetVersion();
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
}

/// A matrix whose first mode goes along its rows.
cutensorTensorDescriptor_t described(int width, int height) {
    // The harness' buffers begin at multiples of this, and the first row of a matrix with them.
    constexpr std::uint32_t alignment_bytes = 256;
    const std::array<std::int64_t, 2> extents{width, height};
    cutensorTensorDescriptor_t made{};
    CUTENSOR_CHECK(cutensorCreateTensorDescriptor(cutensor(), &made, 2, extents.data(), nullptr, CUTENSOR_R_32F, alignment_bytes));
    return made;
}

/// cuTENSOR's plan to transpose matrices of a size, with a kernel of its choice.
cutensorPlan_t planned(int width, int height, cutensorJitMode_t compile) {
    const std::array<std::int32_t, 2> input_modes{'x', 'y'}, output_modes{'y', 'x'};
    cutensorOperationDescriptor_t permutation{};
    CUTENSOR_CHECK(cutensorCreatePermutation(cutensor(), &permutation, described(width, height), input_modes.data(), CUTENSOR_OP_IDENTITY,
                                             described(height, width), output_modes.data(), CUTENSOR_COMPUTE_DESC_32F));
    cutensorPlanPreference_t preference{};
    CUTENSOR_CHECK(cutensorCreatePlanPreference(cutensor(), &preference, CUTENSOR_ALGO_DEFAULT, compile));
    cutensorPlan_t made{};
    CUTENSOR_CHECK(cutensorCreatePlan(cutensor(), &made, permutation, preference, 0));
    return made;
}

/// The plan for a size. The first launch, which is not timed, makes it, as in a program that transposes more than once.
template <cutensorJitMode_t compile> cutensorPlan_t plan_for(const Matrices<float>& m) {
    static std::map<std::array<int, 2>, cutensorPlan_t> plans;
    const auto [place, is_new] = plans.try_emplace({m.width, m.height});
    if (is_new) place->second = planned(m.width, m.height, compile);
    return place->second;
}

void cutensor_permute(const Matrices<float>& m) {
    const cutensorPlan_t plan = plan_for<CUTENSOR_JIT_MODE_NONE>(m);
    const cutensorHandle_t handle = cutensor();
    const float one = 1;
    // [cutensor_permute]
    CUTENSOR_CHECK(cutensorPermute(handle, plan, &one, m.input, m.output, cudaStream_t{}));
    // [/cutensor_permute]
}

int main(int argc, char** argv) {
    Peers<MatrixChapter<float>> peers("peers_transpose_cutensor", "How fast does cuTENSOR transpose a matrix of floats?");
    peers.sizes({{2048, 2048}, {1000, 700}, {33, 31}, {1, 1}});
    peers.gpu_sizes({{16384, 16384}});

    peers.add_baseline({.name = "cutensor_permute",
                        .launch = cutensor_permute,
                        .expected = transposed<float>,
                        .library = Library{"cuTENSOR", cutensor_version()}});

    return peers.run(argc, argv);
}
