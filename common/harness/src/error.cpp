#include "conflict_free/error.hpp"

#include <filesystem>

namespace conflict_free {

void check_cuda(cudaError_t error, const char* call, const char* file, int line) {
    if (error == cudaSuccess) return;
    cudaGetLastError();
    const std::string message = std::string(call) + " at " + std::filesystem::path(file).filename().string() + ":" + std::to_string(line) +
                                " failed: " + cudaGetErrorString(error);
    if (error == cudaErrorMemoryAllocation) throw OutOfDeviceMemory(message);
    throw CudaError(message);
}

}  // namespace conflict_free
