// Copies and sets of the driver.

#include "calls/runtime/copies.hpp"
#include "calls/driver/driver.hpp"
#include "calls/runtime/arrays.hpp"

namespace {

using namespace simt::calls;

/// One side of a copy, with the members that all of the driver's descriptions have.
struct DescribedSide {
    CUmemorytype type;
    void* host;
    CUdeviceptr device;
    CUarray array;
    std::size_t x_bytes, y, z, pitch, height;
};

bool is_array(const DescribedSide& side) { return side.type == CU_MEMORYTYPE_ARRAY; }
void* memory_of(const DescribedSide& side) { return side.type == CU_MEMORYTYPE_HOST ? side.host : pointer_of(side.device); }

cudaMemcpy3DParms copy_between(const DescribedSide& to, const DescribedSide& from, std::size_t width, std::size_t height,
                               std::size_t depth) {
    cudaMemcpy3DParms copy{};
    copy.kind = cudaMemcpyDefault;
    std::size_t element = 1;
    const auto set = [&](const DescribedSide& side, cudaArray_t& array, cudaPos& position, cudaPitchedPtr& pointer) {
        if (is_array(side)) {
            array = array_of(side.array);
            element = element_bytes(require_array(array));
            position = {side.x_bytes / element, side.y, side.z};
        } else {
            pointer = {memory_of(side), side.pitch != 0 ? side.pitch : side.x_bytes + width, width,
                       side.height != 0 ? side.height : height};
            position = {side.x_bytes, side.y, side.z};
        }
    };
    set(to, copy.dstArray, copy.dstPos, copy.dstPtr);
    set(from, copy.srcArray, copy.srcPos, copy.srcPtr);
    require(width % element == 0);
    copy.extent = {width / element, height, depth};
    return copy;
}

template <class Description> cudaMemcpy3DParms box(const Description& copy) {
    return copy_between({copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstArray, copy.dstXInBytes, copy.dstY, copy.dstZ,
                         copy.dstPitch, copy.dstHeight},
                        {copy.srcMemoryType, const_cast<void*>(copy.srcHost), copy.srcDevice, copy.srcArray, copy.srcXInBytes, copy.srcY,
                         copy.srcZ, copy.srcPitch, copy.srcHeight},
                        copy.WidthInBytes, copy.Height, copy.Depth);
}

cudaMemcpy3DParms plane(const CUDA_MEMCPY2D& copy) {
    return copy_between({copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstArray, copy.dstXInBytes, copy.dstY, 0, copy.dstPitch, 0},
                        {copy.srcMemoryType, const_cast<void*>(copy.srcHost), copy.srcDevice, copy.srcArray, copy.srcXInBytes, copy.srcY, 0,
                         copy.srcPitch, 0},
                        copy.WidthInBytes, copy.Height, 1);
}

/// Checks the contexts. The copy does not need them: an address is on one device only.
cudaMemcpy3DParms between_contexts(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, std::size_t bytes) {
    require_context(to_context);
    require_context(from_context);
    return bytes_in_row(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice);
}

/// CUDA ignores the context beside an array, which has one of its own.
cudaMemcpy3DParms between_contexts(const CUDA_MEMCPY3D_PEER& copy) {
    if (copy.dstMemoryType != CU_MEMORYTYPE_ARRAY) require_context(copy.dstContext);
    if (copy.srcMemoryType != CU_MEMORYTYPE_ARRAY) require_context(copy.srcContext);
    return box(copy);
}

SetWork elements(CUdeviceptr to, std::size_t pitch, unsigned value, unsigned width, std::size_t count, std::size_t height) {
    SetWork work;
    work.parameters = {pointer_of(to), pitch, value, width, count, height};
    return work;
}

}  // namespace

#define SIMT_COPY(...) SIMT_NOW_AND_ASYNC(CUresult, driver_call, __VA_ARGS__)

SIMT_COPY(cuMemcpy, cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, std::size_t bytes),
          bytes_in_row(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault))
SIMT_COPY(cuMemcpyHtoD, cuMemcpyHtoDAsync, (CUdeviceptr to, const void* from, std::size_t bytes),
          bytes_in_row(pointer_of(to), from, bytes, cudaMemcpyHostToDevice))
SIMT_COPY(cuMemcpyDtoH, cuMemcpyDtoHAsync, (void* to, CUdeviceptr from, std::size_t bytes),
          bytes_in_row(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost))
SIMT_COPY(cuMemcpyDtoD, cuMemcpyDtoDAsync, (CUdeviceptr to, CUdeviceptr from, std::size_t bytes),
          bytes_in_row(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice))
SIMT_COPY(cuMemcpyPeer, cuMemcpyPeerAsync,
          (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, std::size_t bytes),
          between_contexts(to, to_context, from, from_context, bytes))
SIMT_COPY(cuMemcpyHtoA, cuMemcpyHtoAAsync, (CUarray to, std::size_t offset, const void* from, std::size_t bytes),
          to_array(array_of(to), offset, 0, from, bytes, bytes, 1, cudaMemcpyHostToDevice))
SIMT_COPY(cuMemcpyAtoH, cuMemcpyAtoHAsync, (void* to, CUarray from, std::size_t offset, std::size_t bytes),
          from_array(to, bytes, array_of(from), offset, 0, bytes, 1, cudaMemcpyDeviceToHost))
SIMT_COPY(cuMemcpy2D, cuMemcpy2DAsync, (const CUDA_MEMCPY2D* copy), plane(given(copy)))
SIMT_COPY(cuMemcpy3D, cuMemcpy3DAsync, (const CUDA_MEMCPY3D* copy), box(given(copy)))
SIMT_COPY(cuMemcpy3DPeer, cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER* copy), between_contexts(given(copy)))
SIMT_COPY(cuMemsetD8, cuMemsetD8Async, (CUdeviceptr to, unsigned char value, std::size_t count), elements(to, 0, value, 1, count, 1))
SIMT_COPY(cuMemsetD2D8, cuMemsetD2D8Async, (CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width, std::size_t height),
          elements(to, pitch, value, 1, width, height))
SIMT_COPY(cuMemsetD16, cuMemsetD16Async, (CUdeviceptr to, unsigned short value, std::size_t count), elements(to, 0, value, 2, count, 1))
SIMT_COPY(cuMemsetD2D16, cuMemsetD2D16Async,
          (CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width, std::size_t height),
          elements(to, pitch, value, 2, width, height))
SIMT_COPY(cuMemsetD32, cuMemsetD32Async, (CUdeviceptr to, unsigned value, std::size_t count), elements(to, 0, value, 4, count, 1))
SIMT_COPY(cuMemsetD2D32, cuMemsetD2D32Async, (CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width, std::size_t height),
          elements(to, pitch, value, 4, width, height))

extern "C" {

CUresult cuMemcpyDtoA(CUarray to, std::size_t offset, CUdeviceptr from, std::size_t bytes) {
    return driver_call([&] { run_now(to_array(array_of(to), offset, 0, pointer_of(from), bytes, bytes, 1, cudaMemcpyDeviceToDevice)); });
}

CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, std::size_t offset, std::size_t bytes) {
    return driver_call([&] { run_now(from_array(pointer_of(to), bytes, array_of(from), offset, 0, bytes, 1, cudaMemcpyDeviceToDevice)); });
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* copy) { return cuMemcpy2D(copy); }

}  // extern "C"
