// Launches, copies and fills that kernels ask for.

#include <algorithm>
#include <utility>

#include "engine/engine.hpp"
#include "interpreter/schedule/launch.hpp"
#include "report/session.hpp"

namespace simt {

namespace {

/// CUDA's own limit (CUDA C++ Programming Guide, Dynamic Parallelism). A child runs within the call of its parent, so
/// that without a limit the stack of this process would end first.
constexpr int deepest_child = 24;
/// cudaErrorLaunchMaxDepthExceeded.
constexpr int error_too_deep = 65;

/// Counts a child while it runs.
class Nesting {
public:
    explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

private:
    int& depth_;
};

}  // namespace

int EngineDevice::kernel_of(const interpreter::LoadedModule& module, int function) {
    const std::lock_guard lock(mutex_);
    const auto of = std::ranges::find_if(modules_, [&](const auto& one) { return one.second.get() == &module; });
    const auto known =
        std::ranges::find_if(kernels_, [&](const Kernel& kernel) { return kernel.module == of->first && kernel.function == function; });
    if (known != kernels_.end()) return static_cast<int>(known - kernels_.begin());
    kernels_.push_back({of->first, function, nullptr});
    return static_cast<int>(kernels_.size()) - 1;
}

int EngineDevice::run_children(interpreter::Launch& launch) {
    for (interpreter::ChildWork& work : launch.children.take()) {
        if (work.kind == interpreter::ChildWork::Kind::launch) {
            if (const int error = launch_child(launch, work)) return error;
            continue;
        }
        // A copy waits for deferred launches, and this thread already holds the right to launch.
        execute_put_off();
        if (work.kind == interpreter::ChildWork::Kind::copy) copy_within(work.to, work.from, work.bytes);
        else fill(work.to, static_cast<std::uint32_t>(work.value) & 0xFF, 1, work.bytes);
    }
    return 0;
}

int EngineDevice::launch_child(const interpreter::Launch& parent, interpreter::ChildWork& work) {
    LaunchRequest request;
    request.function = kernel_of(*parent.program->module, work.function);
    request.grid = work.grid;
    request.block = work.block;
    request.dynamic_shared_bytes = work.dynamic_shared_bytes;
    request.parameters = std::move(work.parameters);
    const interpreter::Program& child = program(request.function);
    request.parameters.resize(child.parameter_bytes);
    const Nesting nesting(depth_);
    if (depth_ > deepest_child) {
        report::session().add_error(
            {MessageCode::child_too_deep,
             {{"kernel", child.name}, {"parent", parent.program->name}, {"depth", depth_}, {"error", "cudaErrorLaunchMaxDepthExceeded"}}});
        return error_too_deep;
    }
    if (CheckedLaunch::of(request, child, current_machine())) return launch_alone(request);
    report::session().add_error({MessageCode::child_not_launched,
                                 {{"kernel", child.name},
                                  {"parent", parent.program->name},
                                  {"grid", work.grid},
                                  {"block_size", work.block},
                                  {"dynamic_shared_bytes", work.dynamic_shared_bytes},
                                  {"error", "cudaErrorInvalidConfiguration"}}});
    return error_invalid_configuration;
}

}  // namespace simt
