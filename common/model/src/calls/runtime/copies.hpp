// Describes each form of a copy or a set as a box in three dimensions.
#pragma once

#include "calls/runtime/work.hpp"

namespace simt::calls {

/// Returns the parameters behind a pointer. Fails if the pointer is null.
template <class Parameters> const Parameters& given(const Parameters* parameters) {
    require(parameters != nullptr);
    return *parameters;
}

/// Rows of linear memory. Fails with cudaErrorInvalidPitchValue where a row is longer than a pitch.
cudaMemcpy3DParms rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t height,
                       cudaMemcpyKind kind);
cudaMemcpy3DParms bytes_in_row(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
/// Between linear memory and an array. Places along x and widths are in bytes.
cudaMemcpy3DParms to_array(cudaArray_t to, std::size_t x_bytes, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
                           std::size_t height, cudaMemcpyKind kind);
cudaMemcpy3DParms from_array(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x_bytes, std::size_t y, std::size_t width,
                             std::size_t height, cudaMemcpyKind kind);
/// Checks the devices. The copy does not need them: an address is on one device only.
cudaMemcpy3DParms between_devices(const cudaMemcpy3DPeerParms& from);
cudaMemcpy3DParms to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind);
cudaMemcpy3DParms from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind);

SetWork set_rows(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, std::size_t depth = 1,
                 std::size_t slice_pitch = 0);

inline std::vector<Work> works_of(const cudaMemcpy3DParms& copy) { return {CopyWork{copy}}; }
inline std::vector<Work> works_of(const SetWork& set) { return {set}; }
inline std::vector<Work> works_of(const std::vector<cudaMemcpy3DParms>& copies) {
    std::vector<Work> works;
    for (const cudaMemcpy3DParms& copy : copies) works.push_back(CopyWork{copy});
    return works;
}

/// Does a copy or a set, then reports the error of a kernel before it.
template <class Described> void run_now(const Described& described) {
    for (const Work& work : works_of(described)) run(work);
    report_kernel_error();
}

template <class Described> void run_in_stream(cudaStream_t stream, const Described& described) {
    for (Work& work : works_of(described)) enqueue(stream, std::move(work));
}

}  // namespace simt::calls

#define SIMT_LISTED(...) __VA_ARGS__
/// Defines a copy or a set, and its asynchronous form, which has a stream as a further parameter.
/// @param call_body call or driver_call
/// @param ...       the description of the work, an expression of the parameters
#define SIMT_NOW_AND_ASYNC(result, call_body, function, async_function, parameters, ...) \
    extern "C" result function parameters {                                              \
        return call_body([&] { run_now(__VA_ARGS__); });                                 \
    }                                                                                    \
    extern "C" result async_function(SIMT_LISTED parameters, cudaStream_t stream) {      \
        return call_body([&] { run_in_stream(stream, __VA_ARGS__); });                   \
    }
