// Attributes of kernels, and how many of their blocks fit.

#include <algorithm>

#include "calls/runtime/devices.hpp"
#include "calls/runtime/modules.hpp"

namespace simt::calls {

namespace {

constexpr int most_cluster_blocks = 8, most_cluster_blocks_if_asked = 16;

/// Blocks of this shape that a multiprocessor holds; 0 where a launch would be refused.
int resident_blocks(Kernel& kernel, int threads, std::size_t dynamic_shared_bytes) {
    const FunctionInfo info = kernel.info();
    if (threads > info.max_threads || dynamic_shared_bytes > kernel.shared_limit()) return 0;
    return current_device().occupancy(kernel.number(), threads, dynamic_shared_bytes);
}

void set_attribute(Kernel& kernel, cudaFuncAttribute attribute, int value) {
    const std::scoped_lock lock(module_mutex());
    switch (attribute) {
        case cudaFuncAttributeMaxDynamicSharedMemorySize: {
            const auto most = static_cast<std::size_t>(current_device().machine().max_shared_bytes);
            require(value >= 0 && static_cast<std::size_t>(value) + kernel.info().static_shared_bytes <= most);
            kernel.dynamic_shared_limit = value;
            break;
        }
        case cudaFuncAttributePreferredSharedMemoryCarveout:
            require(value >= -1 && value <= 100);
            kernel.carveout = value;
            break;
        case cudaFuncAttributeRequiredClusterWidth: kernel.required_cluster_width = value; break;
        case cudaFuncAttributeRequiredClusterHeight: kernel.required_cluster_height = value; break;
        case cudaFuncAttributeRequiredClusterDepth: kernel.required_cluster_depth = value; break;
        case cudaFuncAttributeNonPortableClusterSizeAllowed: kernel.non_portable_cluster = value != 0; break;
        case cudaFuncAttributeClusterSchedulingPolicyPreference: kernel.cluster_policy = value; break;
        default: fail(cudaErrorInvalidValue);
    }
}

cudaFuncAttributes attributes_of(Kernel& kernel) {
    constexpr int binary_version = 90;
    const FunctionInfo info = kernel.info();
    cudaFuncAttributes attributes{};
    attributes.sharedSizeBytes = info.static_shared_bytes;
    attributes.constSizeBytes = info.constant_bytes;
    attributes.localSizeBytes = info.local_bytes;
    attributes.maxThreadsPerBlock = info.max_threads;
    attributes.numRegs = info.registers;
    attributes.ptxVersion = info.ptx_version;
    attributes.binaryVersion = binary_version;
    attributes.maxDynamicSharedSizeBytes = static_cast<int>(kernel.shared_limit());
    attributes.preferredShmemCarveout = kernel.carveout;
    attributes.clusterDimMustBeSet = 0;
    attributes.requiredClusterWidth = std::max(kernel.required_cluster_width, info.required_cluster[0]);
    attributes.requiredClusterHeight = std::max(kernel.required_cluster_height, info.required_cluster[1]);
    attributes.requiredClusterDepth = std::max(kernel.required_cluster_depth, info.required_cluster[2]);
    attributes.nonPortableClusterSizeAllowed = kernel.non_portable_cluster;
    attributes.clusterSchedulingPolicyPreference = kernel.cluster_policy;
    return attributes;
}

/// The number of blocks of a cluster; 1 if a launch asks for no clusters.
int cluster_blocks(const cudaLaunchConfig_t& configuration) {
    for (unsigned i = 0; i < configuration.numAttrs; ++i) {
        const cudaLaunchAttribute& attribute = configuration.attrs[i];
        if (attribute.id == cudaLaunchAttributeClusterDimension)
            return static_cast<int>(attribute.val.clusterDim.x * attribute.val.clusterDim.y * attribute.val.clusterDim.z);
    }
    return 1;
}

int threads_of(const cudaLaunchConfig_t& configuration) {
    return static_cast<int>(configuration.blockDim.x * configuration.blockDim.y * configuration.blockDim.z);
}

}  // namespace

}  // namespace simt::calls

using namespace simt::calls;

extern "C" {

SIMT_ANSWER(cudaFuncGetAttributes, (cudaFuncAttributes * attributes, const void* function), attributes,
            attributes_of(require_kernel(function)))

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
    return call([&] { set_attribute(require_kernel(function), attribute, value); });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value, int device) {
    return call([&] {
        require_device(device);
        set_attribute(require_kernel(kernel), attribute, value);
    });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache config) {
    return call([&] { require_kernel(function).carveout = carveout_of(config); });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
    return call([&] { require_kernel(function); });
}

SIMT_ANSWER(cudaFuncGetName, (const char** name, const void* function), name, require_kernel(function).name.c_str())

cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
    return call([&] {
        const simt::FunctionInfo info = require_kernel(function).info();
        require(offset && index < info.parameters.size());
        *offset = info.parameters[index].offset;
        if (bytes) *bytes = info.parameters[index].bytes;
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          std::size_t dynamic_shared_bytes) {
    return call([&] {
        require(blocks && threads > 0);
        *blocks = resident_blocks(require_kernel(function), threads, dynamic_shared_bytes);
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                   std::size_t dynamic_shared_bytes, unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, dynamic_shared_bytes);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int blocks, int threads) {
    return call([&] {
        require(bytes && blocks > 0 && threads > 0);
        Kernel& kernel = require_kernel(function);
        const simt::Machine& machine = current_device().machine();
        const auto of_block = static_cast<std::size_t>(machine.multiprocessor_shared_bytes / blocks);
        const std::size_t taken =
            kernel.info().static_shared_bytes + static_cast<std::size_t>(machine.multiprocessor_shared_bytes - machine.max_shared_bytes);
        const std::size_t most = static_cast<std::size_t>(machine.max_shared_bytes) -
                                 std::min(static_cast<std::size_t>(machine.max_shared_bytes), kernel.info().static_shared_bytes);
        *bytes = std::min(most, of_block - std::min(of_block, taken));
    });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* function, const cudaLaunchConfig_t* configuration) {
    return call([&] {
        require(blocks && configuration);
        *blocks = require_kernel(function).non_portable_cluster ? most_cluster_blocks_if_asked : most_cluster_blocks;
    });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function, const cudaLaunchConfig_t* configuration) {
    return call([&] {
        require(clusters && configuration && threads_of(*configuration) > 0);
        Kernel& kernel = require_kernel(function);
        const int resident = resident_blocks(kernel, threads_of(*configuration), configuration->dynamicSmemBytes) *
                             current_device().machine().multiprocessors;
        *clusters = resident / std::max(1, cluster_blocks(*configuration));
    });
}

}  // extern "C"
