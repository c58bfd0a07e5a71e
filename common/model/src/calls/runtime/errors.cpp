#include <algorithm>
#include <iterator>

#include "calls/runtime/calls.hpp"
#include "calls/runtime/error_texts.hpp"

using namespace simt::calls;

namespace {

constexpr const char* unknown_code = "unrecognized error code";

struct ErrorText {
    cudaError_t code;
    const char *name, *text;
};
constexpr ErrorText error_texts[] = {
#define SIMT_ROW(name, text) {name, #name, text},
    SIMT_CUDA_ERRORS(SIMT_ROW)
#undef SIMT_ROW
};

const char* text_of(cudaError_t error, const char* ErrorText::* text) {
    const auto* const found = std::ranges::find(error_texts, error, &ErrorText::code);
    return found == std::end(error_texts) ? unknown_code : found->*text;
}

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

const char* cudaGetErrorName(cudaError_t error) { return text_of(error, &ErrorText::name); }
const char* cudaGetErrorString(cudaError_t error) { return text_of(error, &ErrorText::text); }

}  // extern "C"
