// Copies and sets of memory. Each form is described as a box in three dimensions.

#include "calls/runtime/copies.hpp"

#include "calls/runtime/arrays.hpp"

#define SIMT_COPY(...) SIMT_NOW_AND_ASYNC(cudaError_t, call, __VA_ARGS__)

namespace {

using namespace simt::calls;

cudaMemcpy3DParms bytes_between_devices(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
    require_device(to_device);
    require_device(from_device);
    return bytes_in_row(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaMemcpy3DParms between_arrays(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from, std::size_t from_x,
                                 std::size_t from_y, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    cudaMemcpy3DParms parameters = to_array(to, to_x, to_y, nullptr, 0, width, height, kind);
    parameters.srcPtr = {};
    parameters.srcArray = const_cast<cudaArray_t>(from);
    parameters.srcPos = {from_x / element_bytes(require_array(from)), from_y, 0};
    return parameters;
}

SetWork set_plane(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    require(width <= pitch, cudaErrorInvalidPitchValue);
    return set_rows(to, pitch, value, width, height);
}

SetWork set_box(const cudaPitchedPtr& to, int value, const cudaExtent& extent) {
    return set_rows(to.ptr, to.pitch, value, extent.width, extent.height, extent.depth, to.pitch * to.ysize);
}

}  // namespace

SIMT_COPY(cudaMemcpy, cudaMemcpyAsync, (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind),
          bytes_in_row(to, from, bytes, kind))
SIMT_COPY(cudaMemcpyPeer, cudaMemcpyPeerAsync, (void* to, int to_device, const void* from, int from_device, std::size_t bytes),
          bytes_between_devices(to, to_device, from, from_device, bytes))
SIMT_COPY(cudaMemcpy2D, cudaMemcpy2DAsync,
          (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t height,
           cudaMemcpyKind kind),
          rows(to, to_pitch, from, from_pitch, width, height, kind))
SIMT_COPY(cudaMemcpy3D, cudaMemcpy3DAsync, (const cudaMemcpy3DParms* parameters), given(parameters))
SIMT_COPY(cudaMemcpy3DPeer, cudaMemcpy3DPeerAsync, (const cudaMemcpy3DPeerParms* parameters), between_devices(given(parameters)))
SIMT_COPY(cudaMemcpy2DToArray, cudaMemcpy2DToArrayAsync,
          (cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch, std::size_t width, std::size_t height,
           cudaMemcpyKind kind),
          to_array(to, x, y, from, pitch, width, height, kind))
SIMT_COPY(cudaMemcpy2DFromArray, cudaMemcpy2DFromArrayAsync,
          (void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t width, std::size_t height,
           cudaMemcpyKind kind),
          from_array(to, pitch, from, x, y, width, height, kind))
SIMT_COPY(cudaMemcpyToSymbol, cudaMemcpyToSymbolAsync,
          (const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind),
          to_symbol(symbol, from, bytes, offset, kind))
SIMT_COPY(cudaMemcpyFromSymbol, cudaMemcpyFromSymbolAsync,
          (void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind),
          from_symbol(to, symbol, bytes, offset, kind))
SIMT_COPY(cudaMemset, cudaMemsetAsync, (void* to, int value, std::size_t bytes), set_rows(to, bytes, value, bytes, 1))
SIMT_COPY(cudaMemset2D, cudaMemset2DAsync, (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height),
          set_plane(to, pitch, value, width, height))
SIMT_COPY(cudaMemset3D, cudaMemset3DAsync, (cudaPitchedPtr to, int value, cudaExtent extent), set_box(to, value, extent))

extern "C" {

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from, std::size_t from_x,
                                     std::size_t from_y, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return call([&] { run_now(between_arrays(to, to_x, to_y, from, from_x, from_y, width, height, kind)); });
}

SIMT_ANSWER(cudaGetSymbolAddress, (void** pointer, const void* symbol), pointer, pointer_to(require_variable(symbol).address))
SIMT_ANSWER(cudaGetSymbolSize, (std::size_t* bytes, const void* symbol), bytes, require_variable(symbol).bytes)

cudaError_t cudaMemcpyBatchAsync(void* const* targets, const void* const* sources, const std::size_t* sizes, std::size_t count,
                                 cudaMemcpyAttributes*, std::size_t*, std::size_t, cudaStream_t stream) {
    return call([&] {
        for (std::size_t i = 0; i < count; ++i)
            enqueue(stream, CopyWork{bytes_in_row(targets[i], sources[i], sizes[i], cudaMemcpyDefault)});
    });
}

}  // extern "C"
