// The kinds of work of a stream. Work is done immediately, or becomes a node of the graph that the stream is captured into.
#pragma once

#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "calls/runtime/modules.hpp"

namespace simt::calls {

struct Condition;

/// A kernel with its launch.
struct KernelWork {
    Kernel* kernel = nullptr;
    /// The stub or the handle that the program gave.
    const void* function = nullptr;
    dim3 grid, block, cluster{0, 0, 0};
    std::size_t dynamic_shared_bytes = 0;
    bool cooperative = false;
    /// The launch's own; cudaSharedmemCarveoutDefault where the kernel's or the device's holds.
    int carveout = cudaSharedmemCarveoutDefault;
    /// The bytes of the arguments, laid out as FunctionInfo::parameters says.
    std::vector<std::uint8_t> parameters;
    std::vector<cudaLaunchAttribute> attributes;
    /// Pointers into `parameters`, for programs that ask for them.
    std::vector<void*> parameter_pointers;
};

struct CopyWork { cudaMemcpy3DParms parameters{}; };

struct SetWork {
    cudaMemsetParams parameters{};
    std::size_t depth = 1, slice_pitch = 0;
};

struct HostWork {
    cudaHostFn_t function = nullptr;
    void* data = nullptr;
    /// Called instead of `function` if it is set.
    std::function<void()> callback;
};

struct EventRecordWork { cudaEvent_t event = nullptr; };

struct EventWaitWork { cudaEvent_t event = nullptr; };

struct ChildGraphWork { cudaGraph_t graph = nullptr; };

struct AllocateWork {
    cudaMemAllocNodeParams parameters{};
    std::shared_ptr<void> memory;
};

struct FreeWork { void* pointer = nullptr; };

/// Runs one of its bodies, or repeats its only one, as the condition's value says.
struct ConditionalWork {
    std::shared_ptr<const Condition> condition;
    cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
    std::vector<cudaGraph_t> bodies;
};

struct EmptyWork {};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, SetWork, HostWork, EventRecordWork, EventWaitWork, ChildGraphWork, AllocateWork,
                          FreeWork, ConditionalWork>;

/// The graphs inside the work: that of a child node, or the bodies of a conditional one.
std::vector<cudaGraph_t> parts_of(const Work& work);

/// Does the work now.
void run(const Work& work);

void run_kernel(const KernelWork& work);
/// Fails where the copy cannot be done.
void run_copy(const cudaMemcpy3DParms& parameters);
void run_set(const SetWork& work);
void check_set(const SetWork& work);
void run_graph(cudaGraph_t graph);
void run_conditional(const ConditionalWork& work);

/// Does the work now, or makes it a node of the graph that `stream` is captured into.
void enqueue(cudaStream_t stream, Work work);

}  // namespace simt::calls
