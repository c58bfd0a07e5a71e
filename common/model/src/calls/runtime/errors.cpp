#include "calls/runtime/calls.hpp"
#include "calls/runtime/error_texts.hpp"

using namespace simt::calls;

namespace {

constexpr const char* unknown_code = "unrecognized error code";

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() {
    const cudaError_t error = cudaPeekAtLastError();
    thread_state().last_error = cudaSuccess;
    clear_kernel_error();
    return error;
}

cudaError_t cudaPeekAtLastError() {
    const cudaError_t error = thread_state().last_error;
    return error == cudaSuccess ? kernel_error() : error;
}

const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define SIMT_CASE(name, text) \
    case name: return #name;
        SIMT_CUDA_ERRORS(SIMT_CASE)
#undef SIMT_CASE
        default: return unknown_code;
    }
}

const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
#define SIMT_CASE(name, text) \
    case name: return text;
        SIMT_CUDA_ERRORS(SIMT_CASE)
#undef SIMT_CASE
        default: return unknown_code;
    }
}

}  // extern "C"
