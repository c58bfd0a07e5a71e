// Launches and occupancy of the driver.

#include <algorithm>
#include <cstring>

#include "calls/driver/forward.hpp"
#include "calls/runtime/launches.hpp"

namespace {

using namespace simt::calls;

/// Copies the buffer of arguments that `extra` describes. False if it describes none.
bool take_extra(void** extra, std::vector<std::uint8_t>& parameters) {
    const void* buffer = nullptr;
    std::size_t bytes = 0;
    for (void** entry = extra; entry && *entry != CU_LAUNCH_PARAM_END; entry += 2) {
        if (*entry == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = entry[1];
        else if (*entry == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<std::size_t*>(entry[1]);
        else fail(cudaErrorInvalidValue);
    }
    if (!buffer) return false;
    parameters.resize(std::max(parameters.size(), bytes));
    std::memcpy(parameters.data(), buffer, bytes);
    return true;
}

KernelWork work_of(CUfunction function, dim3 grid, dim3 block, unsigned shared_bytes, void** arguments, void** extra) {
    if (arguments || !extra) return kernel_work(function, grid, block, shared_bytes, arguments);
    KernelWork work;
    work.kernel = &require_kernel(function);
    work.function = function;
    work.grid = grid;
    work.block = block;
    work.dynamic_shared_bytes = shared_bytes;
    work.parameters.resize(work.kernel->info().parameter_bytes);
    require(take_extra(extra, work.parameters));
    return work;
}

cudaLaunchConfig_t configuration_of(const CUlaunchConfig& from) {
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = {from.gridDimX, from.gridDimY, from.gridDimZ};
    configuration.blockDim = {from.blockDimX, from.blockDimY, from.blockDimZ};
    configuration.dynamicSmemBytes = from.sharedMemBytes;
    configuration.stream = from.hStream;
    // Attributes have the same layout and numbers in both libraries.
    static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
    configuration.attrs = reinterpret_cast<cudaLaunchAttribute*>(from.attrs);
    configuration.numAttrs = from.numAttrs;
    return configuration;
}

/// Asks the runtime about launches of a kernel.
CUresult ask(cudaError_t (*question)(int*, const void*, const cudaLaunchConfig_t*), int* answer, CUfunction function,
             const CUlaunchConfig* configuration) {
    return driver_call([&] {
        require(configuration != nullptr);
        const cudaLaunchConfig_t asked = configuration_of(*configuration);
        return question(answer, function, &asked);
    });
}

}  // namespace

extern "C" {

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared_bytes, CUstream stream, void** arguments, void** extra) {
    return driver_call(
        [&] { enqueue(stream, work_of(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, arguments, extra)); });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                   unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** arguments) {
    return driver_call([&] {
        return cudaLaunchCooperativeKernel(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, arguments, shared_bytes,
                                           stream);
    });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* configuration, CUfunction function, void** arguments, void** extra) {
    return driver_call([&] {
        require(configuration != nullptr);
        const cudaLaunchConfig_t asked = configuration_of(*configuration);
        KernelWork work = work_of(function, asked.gridDim, asked.blockDim, configuration->sharedMemBytes, arguments, extra);
        apply_attributes(work, asked.attrs, asked.numAttrs);
        enqueue(asked.stream, std::move(work));
    });
}

SIMT_FORWARD(3, cuLaunchHostFunc, cudaLaunchHostFunc)
SIMT_FORWARD(4, cuOccupancyMaxActiveBlocksPerMultiprocessor, cudaOccupancyMaxActiveBlocksPerMultiprocessor)

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int threads, std::size_t shared_bytes,
                                                              unsigned) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes);
}

/// Finds the largest block that fills a multiprocessor with the most threads.
CUresult cuOccupancyMaxPotentialBlockSize(int* smallest_grid, int* block_size, CUfunction function, CUoccupancyB2DSize shared_bytes_of,
                                          std::size_t shared_bytes, int limit) {
    return driver_call([&] {
        require(smallest_grid && block_size && limit >= 0);
        const int most = require_kernel(function).info().max_threads;
        int best_blocks = 0;
        *block_size = 0;
        for (int size = limit == 0 ? most : std::min(limit, most); size > 0; size = (size - 1) / simt::warp_size * simt::warp_size) {
            int blocks = 0;
            const std::size_t bytes = shared_bytes_of ? shared_bytes_of(size) : shared_bytes;
            const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, size, bytes);
            require(error == cudaSuccess, error);
            if (blocks * size <= best_blocks * *block_size) continue;
            *block_size = size;
            best_blocks = blocks;
        }
        *smallest_grid = best_blocks * current_device().machine().multiprocessors;
    });
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* smallest_grid, int* block_size, CUfunction function,
                                                   CUoccupancyB2DSize shared_bytes_of, std::size_t shared_bytes, int limit, unsigned) {
    return cuOccupancyMaxPotentialBlockSize(smallest_grid, block_size, function, shared_bytes_of, shared_bytes, limit);
}

SIMT_FORWARD(4, cuOccupancyAvailableDynamicSMemPerBlock, cudaOccupancyAvailableDynamicSMemPerBlock)

CUresult cuOccupancyMaxPotentialClusterSize(int* blocks, CUfunction function, const CUlaunchConfig* configuration) {
    return ask(&cudaOccupancyMaxPotentialClusterSize, blocks, function, configuration);
}

CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function, const CUlaunchConfig* configuration) {
    return ask(&cudaOccupancyMaxActiveClusters, clusters, function, configuration);
}

}  // extern "C"
