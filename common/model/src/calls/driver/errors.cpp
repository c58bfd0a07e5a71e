// The driver's codes and names of errors.

#include <string>

#include "calls/driver/driver.hpp"
#include "calls/runtime/unsupported.hpp"

namespace simt::calls {

CUresult driver_result(cudaError_t error) {
    switch (error) {
        case cudaErrorInvalidConfiguration:
        case cudaErrorInvalidPitchValue:
        case cudaErrorInvalidHostPointer:
        case cudaErrorInvalidDevicePointer:
        case cudaErrorInvalidChannelDescriptor:
        case cudaErrorInvalidMemcpyDirection:
        case cudaErrorInvalidFilterSetting:
        case cudaErrorInvalidNormSetting:
        case cudaErrorInvalidSurface:
        case cudaErrorInvalidTexture:
        case cudaErrorMissingConfiguration: return CUDA_ERROR_INVALID_VALUE;
        case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
        case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
        // Other errors have the same number in both libraries.
        default: return static_cast<CUresult>(error);
    }
}

int unsupported_export_table(const std::string& library) {
    const std::string name = library.substr(library.rfind('/') + 1);
    if (library.find("/cupy") != library.npos) print_error(MessageCode::runtime_of_cupy);
    else if (name.find(".so") == name.npos) print_error({MessageCode::static_runtime, {{"version", CUDART_VERSION / 1000}}});
    else if (name.starts_with("libcudart.so"))
        print_error({MessageCode::other_runtime, {{"library", name}, {"version", CUDART_VERSION / 1000}}});
    else print_error({MessageCode::library_of_machine_code, {{"library", name}}});
    return CUDA_ERROR_NOT_SUPPORTED;
}

int unsupported_in_driver(const char* function) {
    print_error({MessageCode::call_not_supported, {{"call", function}}});
    return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace simt::calls

namespace {

/// The driver's name of an error, which differs from the runtime's.
const char* name_of(CUresult error) {
    switch (error) {
#define SIMT_CASE(code) \
    case code: return #code;
#include "driver_errors.inc"
#undef SIMT_CASE
        default: return nullptr;
    }
}

}  // namespace

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = name_of(error);
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = name_of(error) ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// The driver's log, of which the model writes nothing.
CUresult cuLogsRegisterCallback(CUlogsCallback, void*, CUlogsCallbackHandle* handle) {
    if (handle) *handle = nullptr;
    return CUDA_SUCCESS;
}
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle) { return CUDA_SUCCESS; }

}  // extern "C"
