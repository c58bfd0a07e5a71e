// The product that CUTLASS builds where all choices are left to it but the tile and the cluster, and the one in which two warp groups
// share a tile and the copy engine stores the results; timed and checked as the kernels of the chapters are. scripts/measure --peers
// stores the text between a call's markers with its times.

#include <cutlass/cutlass.h>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/version.h>
#include <conflict_free/error.hpp>
#include <conflict_free/product_chapter.hpp>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/kernel/gemm_universal.hpp>

#include "peers.hpp"
#include "prepared.hpp"

using namespace conflict_free;
using cute::_1, cute::_2, cute::_64, cute::_128, cute::_256, cute::Shape;
using cutlass::epilogue::TmaWarpSpecializedCooperative, cutlass::epilogue::collective::EpilogueScheduleAuto;
using cutlass::gemm::KernelTmaWarpSpecializedCooperative;
using cutlass::gemm::collective::KernelScheduleAuto, cutlass::gemm::collective::StageCountAutoCarveout;

void check_cutlass(cutlass::Status status, const char* call) {
    if (status != cutlass::Status::kSuccess) throw CudaError(std::string(call) + " failed: " + cutlass::cutlassGetStatusString(status));
}

#define CUTLASS_CHECK_CALL(call) check_cutlass((call), #call)

using Element = cutlass::bfloat16_t;
using Rows = cutlass::layout::RowMajor;
// The copy engine takes rows that are multiples of 16 bytes.
constexpr int alignment = 16 / sizeof(Element);

/// Products of bf16 with sums of floats, by tensor cores of compute capability 9.0.
template <class Tile, class Cluster, class Schedule, class EpilogueSchedule> struct Builder {
    using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
        cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster, cutlass::epilogue::collective::EpilogueTileAuto, float, float,
        Element, Rows, alignment, Element, Rows, alignment, EpilogueSchedule>::CollectiveOp;
    // As many stages as fit beside the epilogue.
    using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
        cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Element, Rows, alignment, Element, Rows, alignment, float, Tile, Cluster,
        StageCountAutoCarveout<static_cast<int>(sizeof(typename Epilogue::SharedStorage))>, Schedule>::CollectiveOp;
    using Gemm =
        cutlass::gemm::device::GemmUniversalAdapter<cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int>, Mainloop, Epilogue>>;
};

/// A product of CUTLASS, ready to run on the matrices of `p`.
template <class Gemm> void make_ready(Gemm& gemm, const Product& p) {
    const auto a = reinterpret_cast<const Element*>(p.a), b = reinterpret_cast<const Element*>(p.b);
    const auto c = reinterpret_cast<Element*>(p.c);
    const typename Gemm::GemmKernel::StrideA rows_of_a{p.k, _1{}, {}};
    const typename Gemm::GemmKernel::StrideB rows_of_b{_1{}, p.n, {}};
    const typename Gemm::GemmKernel::StrideC rows_of_c{p.n, _1{}, {}};
    const typename Gemm::Arguments arguments{
        cutlass::gemm::GemmUniversalMode::kGemm, {p.m, p.n, p.k}, {a, rows_of_a, b, rows_of_b}, {{1, 0}, c, rows_of_c, c, rows_of_c}};
    CUTLASS_CHECK_CALL(Gemm::can_implement(arguments));
    if (Gemm::get_workspace_size(arguments) != 0) throw CudaError("this product of CUTLASS needs a workspace");
    CUTLASS_CHECK_CALL(gemm.initialize(arguments));
}

void cutlass_gemm(const Product& p) {
    // [cutlass_gemm]
    using Gemm = Builder<Shape<_128, _256, _64>, Shape<_2, _1, _1>, KernelScheduleAuto, EpilogueScheduleAuto>::Gemm;
    Gemm& gemm = prepared<Gemm>(p, [&](Gemm& made) { make_ready(made, p); });
    CUTLASS_CHECK_CALL(gemm.run());
    // [/cutlass_gemm]
}

void cutlass_gemm_cooperative(const Product& p) {
    // [cutlass_gemm_cooperative]
    using Gemm =
        Builder<Shape<_128, _256, _64>, Shape<_2, _1, _1>, KernelTmaWarpSpecializedCooperative, TmaWarpSpecializedCooperative>::Gemm;
    Gemm& gemm = prepared<Gemm>(p, [&](Gemm& made) { make_ready(made, p); });
    CUTLASS_CHECK_CALL(gemm.run());
    // [/cutlass_gemm_cooperative]
}

int main(int argc, char** argv) {
    Peers<ProductChapter> peers("peers_product_cutlass", "How fast does CUTLASS multiply matrices of bf16?");
    peers.sizes({{512, 512}, {200, 141}, {72, 33}, {8, 1}});
    peers.gpu_sizes({{8192, 8192}});
    peers.only_compute_capability(9, 0, "wgmma is an instruction of these GPUs alone");

    const std::string version = std::to_string(CUTLASS_MAJOR) + "." + std::to_string(CUTLASS_MINOR) + "." + std::to_string(CUTLASS_PATCH);
    peers.add_baseline({.name = "cutlass_gemm", .launch = cutlass_gemm, .library = Library{"CUTLASS", version}});
    peers.add_baseline({.name = "cutlass_gemm_cooperative", .launch = cutlass_gemm_cooperative, .library = Library{"CUTLASS", version}});

    return peers.run(argc, argv);
}
