#include "calls/runtime/launches.hpp"

#include <cstring>

#include "calls/runtime/devices.hpp"

namespace simt::calls {

namespace {

std::uint64_t volume(dim3 extent) { return std::uint64_t{extent.x} * extent.y * extent.z; }

Extent extent_of(dim3 from) { return {from.x, from.y, from.z}; }

/// Ends a launch with an error. The report names it even if the program never asks for its errors.
[[noreturn]] void refuse(const KernelWork& work, cudaError_t error, MessageCode code, std::initializer_list<MessageField> fields) {
    Message message(code, {{"kernel", readable_name(work.kernel->name)}});
    message.fields.insert(message.fields.end(), fields);
    message.fields.emplace_back("error", cudaGetErrorName(error));
    note_error(message);
    fail(error);
}

void check_shape(const KernelWork& work, const FunctionInfo& info, const Machine& machine) {
    constexpr unsigned most_x = 2147483647u, most_others = 65535u, most_block_z = 64;
    const dim3 grid = work.grid, block = work.block;
    if (volume(grid) == 0 || grid.x > most_x || grid.y > most_others || grid.z > most_others)
        refuse(work, cudaErrorInvalidConfiguration, volume(grid) == 0 ? MessageCode::empty_grid : MessageCode::grid_too_large,
               {{"grid", extent_of(grid)}});
    const auto most = static_cast<std::uint64_t>(machine.max_block_threads);
    if (volume(block) == 0 || block.x > most || block.y > most || volume(block) > most || block.z > most_block_z)
        refuse(work, cudaErrorInvalidConfiguration, volume(block) == 0 ? MessageCode::empty_block : MessageCode::block_too_large,
               {{"machine", machine.name}, {"block_size", extent_of(block)}});
    if (volume(block) > static_cast<std::uint64_t>(info.max_threads))
        refuse(work, cudaErrorInvalidValue, MessageCode::launch_bounds, {{"most", info.max_threads}, {"block_size", extent_of(block)}});
}

void check_shared(const KernelWork& work, const FunctionInfo& info, const Machine& machine) {
    if (info.static_shared_bytes > static_cast<std::size_t>(machine.max_shared_bytes))
        refuse(work, cudaErrorInvalidValue, MessageCode::too_much_shared_memory,
               {{"bytes", info.static_shared_bytes}, {"machine", machine.name}, {"most", machine.max_shared_bytes}});
    // nvcc refuses such a kernel when it compiles for a GPU, and a GPU's driver when it compiles the PTX.
    if (info.static_shared_bytes > static_cast<std::size_t>(machine.default_shared_bytes))
        refuse(work, cudaErrorInvalidPtx, MessageCode::too_much_static_shared_memory,
               {{"bytes", info.static_shared_bytes}, {"most", machine.default_shared_bytes}});
    if (const std::size_t limit = work.kernel->shared_limit(); work.dynamic_shared_bytes > limit)
        refuse(work, cudaErrorInvalidValue, MessageCode::too_much_dynamic_shared_memory,
               {{"bytes", work.dynamic_shared_bytes}, {"most", limit}});
}

dim3 cluster_of(const KernelWork& work, const FunctionInfo& info) {
    const Kernel& kernel = *work.kernel;
    const dim3 required(static_cast<unsigned>(info.required_cluster[0]), static_cast<unsigned>(info.required_cluster[1]),
                        static_cast<unsigned>(info.required_cluster[2]));
    if (volume(required) > 0) {
        const bool others =
            volume(work.cluster) > 0 && (work.cluster.x != required.x || work.cluster.y != required.y || work.cluster.z != required.z);
        if (others)
            refuse(work, cudaErrorInvalidValue, MessageCode::other_cluster,
                   {{"required", extent_of(required)}, {"cluster", extent_of(work.cluster)}});
        return required;
    }
    if (volume(work.cluster) > 0) return work.cluster;
    return {static_cast<unsigned>(kernel.required_cluster_width), static_cast<unsigned>(kernel.required_cluster_height),
            static_cast<unsigned>(kernel.required_cluster_depth)};
}

int carveout_of(const KernelWork& work) {
    for (const int carveout : {work.carveout, work.kernel->carveout})
        if (carveout != cudaSharedmemCarveoutDefault) return carveout;
    return device_carveout();
}

void check_cluster(const KernelWork& work, dim3 cluster) {
    if (volume(cluster) == 0) return;
    constexpr std::uint64_t portable = 8, most = 16;
    if (volume(cluster) > (work.kernel->non_portable_cluster ? most : portable))
        refuse(work, cudaErrorInvalidClusterSize, MessageCode::cluster_too_large, {{"cluster", extent_of(cluster)}});
    if (work.grid.x % cluster.x != 0 || work.grid.y % cluster.y != 0 || work.grid.z % cluster.z != 0)
        refuse(work, cudaErrorInvalidClusterSize, MessageCode::partial_cluster,
               {{"grid", extent_of(work.grid)}, {"cluster", extent_of(cluster)}});
}

}  // namespace

std::vector<std::uint8_t> packed_arguments(const FunctionInfo& info, void** arguments) {
    std::vector<std::uint8_t> packed(info.parameter_bytes);
    require(arguments != nullptr || info.parameters.empty());
    for (std::size_t i = 0; i < info.parameters.size(); ++i)
        std::memcpy(packed.data() + info.parameters[i].offset, arguments[i], info.parameters[i].bytes);
    return packed;
}

KernelWork kernel_work(const void* function, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, void** arguments) {
    KernelWork work;
    work.kernel = &require_kernel(function);
    work.function = function;
    work.grid = grid;
    work.block = block;
    work.dynamic_shared_bytes = dynamic_shared_bytes;
    work.parameters = packed_arguments(work.kernel->info(), arguments);
    return work;
}

void apply_attributes(KernelWork& work, const cudaLaunchAttribute* attributes, unsigned count) {
    require(attributes != nullptr || count == 0);
    for (unsigned i = 0; i < count; ++i) {
        const cudaLaunchAttribute& attribute = attributes[i];
        work.attributes.push_back(attribute);
        switch (attribute.id) {
            case cudaLaunchAttributeClusterDimension: {
                const auto& cluster = attribute.val.clusterDim;
                work.cluster = {cluster.x, cluster.y, cluster.z};
                break;
            }
            case cudaLaunchAttributeCooperative: work.cooperative = attribute.val.cooperative != 0; break;
            case cudaLaunchAttributeLaunchCompletionEvent:
                enqueue(nullptr, EventRecordWork{attribute.val.launchCompletionEvent.event});
                break;
            case cudaLaunchAttributeProgrammaticEvent: enqueue(nullptr, EventRecordWork{attribute.val.programmaticEvent.event}); break;
            case cudaLaunchAttributeDeviceUpdatableKernelNode:
                require(attribute.val.deviceUpdatableKernelNode.deviceUpdatable == 0, cudaErrorNotSupported);
                break;
            case cudaLaunchAttributePreferredSharedMemoryCarveout: work.carveout = static_cast<int>(attribute.val.sharedMemCarveout); break;
            // Other attributes concern scheduling, caching and overlap, and change no count.
            default: break;
        }
    }
}

void run_kernel(const KernelWork& work) {
    Device& device = current_device();
    const Machine& machine = device.machine();
    const int number = work.kernel->number();
    const FunctionInfo info = device.function(number);
    check_shape(work, info, machine);
    check_shared(work, info, machine);
    const dim3 cluster = cluster_of(work, info);
    check_cluster(work, cluster);
    if (work.cooperative) {
        const auto resident =
            static_cast<std::uint64_t>(device.occupancy(number, static_cast<int>(volume(work.block)), work.dynamic_shared_bytes)) *
            static_cast<std::uint64_t>(machine.multiprocessors);
        if (volume(work.grid) > resident)
            refuse(work, cudaErrorCooperativeLaunchTooLarge, MessageCode::too_many_resident_blocks,
                   {{"most", resident}, {"blocks", volume(work.grid)}});
    }
    LaunchRequest request;
    request.function = number;
    request.grid = extent_of(work.grid);
    request.block = extent_of(work.block);
    request.cluster = extent_of(cluster);
    request.dynamic_shared_bytes = work.dynamic_shared_bytes;
    request.cooperative = work.cooperative;
    request.carveout = carveout_of(work);
    request.parameters = work.parameters;
    const auto error = static_cast<cudaError_t>(device.launch(request));
    if (error == cudaSuccess) return;
    set_kernel_error(error);
    // On a GPU the launch has returned before its kernel fails: calls that wait for the kernel report the error.
    remember(error);
}

}  // namespace simt::calls

using namespace simt::calls;

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, CUstream_st* stream) {
    thread_state().configurations.push_back({grid, block, shared_bytes, stream});
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream) {
    return call([&] {
        auto& configurations = thread_state().configurations;
        require(!configurations.empty(), cudaErrorMissingConfiguration);
        const CallConfiguration& last = configurations.back();
        *grid = last.grid;
        *block = last.block;
        *shared_bytes = last.shared_bytes;
        *static_cast<cudaStream_t*>(stream) = last.stream;
        configurations.pop_back();
    });
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes, cudaStream_t stream) {
    return call([&] { enqueue(stream, kernel_work(function, grid, block, shared_bytes, arguments)); });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                               cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                                        cudaStream_t stream) {
    return call([&] {
        KernelWork work = kernel_work(function, grid, block, shared_bytes, arguments);
        work.cooperative = true;
        enqueue(stream, std::move(work));
    });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* function, void** arguments) {
    return call([&] {
        require(configuration != nullptr);
        KernelWork work =
            kernel_work(function, configuration->gridDim, configuration->blockDim, configuration->dynamicSmemBytes, arguments);
        apply_attributes(work, configuration->attrs, configuration->numAttrs);
        enqueue(configuration->stream, std::move(work));
    });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return call([&] {
        require(function != nullptr);
        enqueue(stream, HostWork{function, data, {}});
    });
}

}  // extern "C"
