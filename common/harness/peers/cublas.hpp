// Declarations that the programs that time cuBLAS share.
#pragma once

#include <cublas_v2.h>

#include <conflict_free/error.hpp>
#include <string>

inline void check_cublas(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS) throw conflict_free::CudaError(std::string(call) + " failed: " + cublasGetStatusString(status));
}

#define CUBLAS_CHECK(call) check_cublas((call), #call)

/// Made by the first launch, which is not timed: the harness has looked for a GPU by then.
inline cublasHandle_t cublas() {
    static const cublasHandle_t handle = [] {
        cublasHandle_t made{};
        CUBLAS_CHECK(cublasCreate(&made));
        return made;
    }();
    return handle;
}

inline std::string cublas_version() {
    const auto part = [](libraryPropertyType type) {
        int number = 0;
        CUBLAS_CHECK(cublasGetProperty(type, &number));
        return std::to_string(number);
    };
    return part(MAJOR_VERSION) + "." + part(MINOR_VERSION) + "." + part(PATCH_LEVEL);
}
