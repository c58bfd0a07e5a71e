// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Copies and sets of memory, in all their forms. Each form is told as a box that is copied in three dimensions.

#include "calls/runtime/copies.hpp"

#include "calls/runtime/arrays.hpp"

namespace simt::calls {

namespace {

/// A copy that is done when its call returns.
template <class Describe>
cudaError_t now(const Describe& describe)
{
    return call([&] {
        run_copy(describe());
        report_kernel_error();
    });
}

template <class Describe>
cudaError_t in_stream(cudaStream_t stream, const Describe& describe)
{
    return call([&] { enqueue(stream, CopyWork{describe()}); });
}

cudaError_t set_now(const SetWork& work)
{
    return call([&] {
        run_set(work);
        report_kernel_error();
    });
}

cudaError_t set_in_stream(cudaStream_t stream, const SetWork& work)
{
    return call([&] { enqueue(stream, work); });
}

}  // namespace

}  // namespace simt::calls

using namespace simt::calls;

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind)
{
    return now([&] { return bytes_in_row(to, from, bytes, kind); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    return in_stream(stream, [&] { return bytes_in_row(to, from, bytes, kind); });
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes)
{
    return now([&] {
        require_device(to_device);
        require_device(from_device);
        return bytes_in_row(to, from, bytes, cudaMemcpyDeviceToDevice);
    });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes, cudaStream_t stream)
{
    return in_stream(stream, [&] {
        require_device(to_device);
        require_device(from_device);
        return bytes_in_row(to, from, bytes, cudaMemcpyDeviceToDevice);
    });
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t height,
                         cudaMemcpyKind kind)
{
    if (width > to_pitch || width > from_pitch) return remember(cudaErrorInvalidPitchValue);
    return now([&] { return rows(to, to_pitch, from, from_pitch, width, height, kind); });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                              std::size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    if (width > to_pitch || width > from_pitch) return remember(cudaErrorInvalidPitchValue);
    return in_stream(stream, [&] { return rows(to, to_pitch, from, from_pitch, width, height, kind); });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters)
{
    return parameters ? now([&] { return *parameters; }) : remember(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream)
{
    return parameters ? in_stream(stream, [&] { return *parameters; }) : remember(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters)
{
    return parameters ? now([&] { return without_devices(*parameters); }) : remember(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream)
{
    return parameters ? in_stream(stream, [&] { return without_devices(*parameters); }) : remember(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
                                std::size_t height, cudaMemcpyKind kind)
{
    return now([&] { return to_array(to, x, y, from, pitch, width, height, kind); });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
                                     std::size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    return in_stream(stream, [&] { return to_array(to, x, y, from, pitch, width, height, kind); });
}

cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind)
{
    return now([&] { return from_array(to, pitch, from, x, y, width, height, kind); });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t width,
                                       std::size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    return in_stream(stream, [&] { return from_array(to, pitch, from, x, y, width, height, kind); });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from, std::size_t from_x,
                                     std::size_t from_y, std::size_t width, std::size_t height, cudaMemcpyKind kind)
{
    return now([&] {
        cudaMemcpy3DParms parameters = to_array(to, to_x, to_y, nullptr, 0, width, height, kind);
        parameters.srcPtr = {};
        parameters.srcArray = const_cast<cudaArray_t>(from);
        parameters.srcPos = {from_x / element_bytes(require_array(from)), from_y, 0};
        return parameters;
    });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind)
{
    return now([&] { return to_symbol(symbol, from, bytes, offset, kind); });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind)
{
    return now([&] { return from_symbol(to, symbol, bytes, offset, kind); });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream)
{
    return in_stream(stream, [&] { return to_symbol(symbol, from, bytes, offset, kind); });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream)
{
    return in_stream(stream, [&] { return from_symbol(to, symbol, bytes, offset, kind); });
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol)
{
    return call([&] {
        require(pointer != nullptr);
        *pointer = pointer_to(require_variable(symbol).address);
    });
}

cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol)
{
    return call([&] {
        require(bytes != nullptr);
        *bytes = require_variable(symbol).bytes;
    });
}

cudaError_t cudaMemcpyBatchAsync(void* const* targets, const void* const* sources, const std::size_t* sizes, std::size_t count,
                                 cudaMemcpyAttributes*, std::size_t*, std::size_t, cudaStream_t stream)
{
    return call([&] {
        for (std::size_t i = 0; i < count; ++i)
            enqueue(stream, CopyWork{bytes_in_row(targets[i], sources[i], sizes[i], cudaMemcpyDefault)});
    });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) { return set_now(set_rows(to, bytes, value, bytes, 1)); }

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream)
{
    return set_in_stream(stream, set_rows(to, bytes, value, bytes, 1));
}

cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height)
{
    if (width > pitch) return remember(cudaErrorInvalidPitchValue);
    return set_now(set_rows(to, pitch, value, width, height));
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, cudaStream_t stream)
{
    if (width > pitch) return remember(cudaErrorInvalidPitchValue);
    return set_in_stream(stream, set_rows(to, pitch, value, width, height));
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent)
{
    return set_now(set_rows(to.ptr, to.pitch, value, extent.width, extent.height, extent.depth, to.pitch * to.ysize));
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream)
{
    return set_in_stream(stream, set_rows(to.ptr, to.pitch, value, extent.width, extent.height, extent.depth, to.pitch * to.ysize));
}

}  // extern "C"

SIMT_PER_THREAD_DEFAULT(cudaMemcpy);
SIMT_PER_THREAD_STREAM(cudaMemcpyAsync);
SIMT_PER_THREAD_STREAM(cudaMemcpyBatchAsync);
SIMT_PER_THREAD_DEFAULT(cudaMemcpy2D);
SIMT_PER_THREAD_STREAM(cudaMemcpy2DAsync);
SIMT_PER_THREAD_DEFAULT(cudaMemcpy3D);
SIMT_PER_THREAD_STREAM(cudaMemcpy3DAsync);
SIMT_PER_THREAD_DEFAULT(cudaMemcpy3DPeer);
SIMT_PER_THREAD_STREAM(cudaMemcpy3DPeerAsync);
SIMT_PER_THREAD_DEFAULT(cudaMemcpy2DToArray);
SIMT_PER_THREAD_STREAM(cudaMemcpy2DToArrayAsync);
SIMT_PER_THREAD_DEFAULT(cudaMemcpy2DFromArray);
SIMT_PER_THREAD_STREAM(cudaMemcpy2DFromArrayAsync);
SIMT_PER_THREAD_DEFAULT(cudaMemcpy2DArrayToArray);
SIMT_PER_THREAD_DEFAULT(cudaMemcpyToSymbol);
SIMT_PER_THREAD_DEFAULT(cudaMemcpyFromSymbol);
SIMT_PER_THREAD_STREAM(cudaMemcpyToSymbolAsync);
SIMT_PER_THREAD_STREAM(cudaMemcpyFromSymbolAsync);
SIMT_PER_THREAD_DEFAULT(cudaMemset);
SIMT_PER_THREAD_STREAM(cudaMemsetAsync);
SIMT_PER_THREAD_DEFAULT(cudaMemset2D);
SIMT_PER_THREAD_STREAM(cudaMemset2DAsync);
SIMT_PER_THREAD_DEFAULT(cudaMemset3D);
SIMT_PER_THREAD_STREAM(cudaMemset3DAsync);
