// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Copies and sets of the driver.

#include "calls/runtime/copies.hpp"
#include "calls/driver/driver.hpp"
#include "calls/runtime/arrays.hpp"

namespace {

using namespace simt::calls;

/// One side of a copy, as each of the driver's descriptions tells it.
struct Side {
    CUmemorytype type;
    void* host;
    CUdeviceptr device;
    CUarray array;
    std::size_t x_bytes, y, z, pitch, height;
};

bool is_array(const Side& side) { return side.type == CU_MEMORYTYPE_ARRAY; }
void* memory_of(const Side& side) { return side.type == CU_MEMORYTYPE_HOST ? side.host : pointer_of(side.device); }

cudaMemcpy3DParms copy_between(const Side& to, const Side& from, std::size_t width, std::size_t height, std::size_t depth)
{
    cudaMemcpy3DParms copy{};
    copy.kind = cudaMemcpyDefault;
    std::size_t element = 1;
    const auto set = [&](const Side& side, cudaArray_t& array, cudaPos& position, cudaPitchedPtr& pointer) {
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

template <class Description>
cudaMemcpy3DParms box(const Description& copy)
{
    return copy_between({copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstArray, copy.dstXInBytes, copy.dstY, copy.dstZ,
                         copy.dstPitch, copy.dstHeight},
                        {copy.srcMemoryType, const_cast<void*>(copy.srcHost), copy.srcDevice, copy.srcArray, copy.srcXInBytes, copy.srcY,
                         copy.srcZ, copy.srcPitch, copy.srcHeight},
                        copy.WidthInBytes, copy.Height, copy.Depth);
}

cudaMemcpy3DParms plane(const CUDA_MEMCPY2D& copy)
{
    return copy_between({copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstArray, copy.dstXInBytes, copy.dstY, 0, copy.dstPitch, 0},
                        {copy.srcMemoryType, const_cast<void*>(copy.srcHost), copy.srcDevice, copy.srcArray, copy.srcXInBytes, copy.srcY, 0,
                         copy.srcPitch, 0},
                        copy.WidthInBytes, copy.Height, 1);
}

template <class Describe>
CUresult now(const Describe& describe)
{
    return driver_call([&] {
        run_copy(describe());
        report_kernel_error();
    });
}

template <class Describe>
CUresult in_stream(CUstream stream, const Describe& describe)
{
    return driver_call([&] { enqueue(stream, CopyWork{describe()}); });
}

SetWork elements(CUdeviceptr to, std::size_t pitch, unsigned value, unsigned width, std::size_t count, std::size_t height)
{
    SetWork work;
    work.parameters = {pointer_of(to), pitch, value, width, count, height};
    return work;
}

CUresult set(const SetWork& work)
{
    return driver_call([&] {
        run_set(work);
        report_kernel_error();
    });
}

CUresult set_in_stream(CUstream stream, const SetWork& work)
{
    return driver_call([&] { enqueue(stream, work); });
}

}  // namespace

extern "C" {

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes)
{
    return now([&] { return bytes_in_row(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault); });
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream)
{
    return in_stream(stream, [&] { return bytes_in_row(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault); });
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes)
{
    return now([&] { return bytes_in_row(pointer_of(to), from, bytes, cudaMemcpyHostToDevice); });
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream)
{
    return in_stream(stream, [&] { return bytes_in_row(pointer_of(to), from, bytes, cudaMemcpyHostToDevice); });
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes)
{
    return now([&] { return bytes_in_row(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost); });
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream)
{
    return in_stream(stream, [&] { return bytes_in_row(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost); });
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes)
{
    return now([&] { return bytes_in_row(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice); });
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream)
{
    return in_stream(stream, [&] { return bytes_in_row(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice); });
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes)
{
    return now([&] { return bytes_in_row(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice); });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes, CUstream stream)
{
    return in_stream(stream, [&] { return bytes_in_row(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice); });
}

CUresult cuMemcpyHtoA(CUarray to, std::size_t offset, const void* from, std::size_t bytes)
{
    return now([&] { return to_array(array_of(to), offset, 0, from, bytes, bytes, 1, cudaMemcpyHostToDevice); });
}

CUresult cuMemcpyAtoH(void* to, CUarray from, std::size_t offset, std::size_t bytes)
{
    return now([&] { return from_array(to, bytes, array_of(from), offset, 0, bytes, 1, cudaMemcpyDeviceToHost); });
}

CUresult cuMemcpyDtoA(CUarray to, std::size_t offset, CUdeviceptr from, std::size_t bytes)
{
    return now([&] { return to_array(array_of(to), offset, 0, pointer_of(from), bytes, bytes, 1, cudaMemcpyDeviceToDevice); });
}

CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, std::size_t offset, std::size_t bytes)
{
    return now([&] { return from_array(pointer_of(to), bytes, array_of(from), offset, 0, bytes, 1, cudaMemcpyDeviceToDevice); });
}

CUresult cuMemcpyHtoAAsync(CUarray to, std::size_t offset, const void* from, std::size_t bytes, CUstream stream)
{
    return in_stream(stream, [&] { return to_array(array_of(to), offset, 0, from, bytes, bytes, 1, cudaMemcpyHostToDevice); });
}

CUresult cuMemcpyAtoHAsync(void* to, CUarray from, std::size_t offset, std::size_t bytes, CUstream stream)
{
    return in_stream(stream, [&] { return from_array(to, bytes, array_of(from), offset, 0, bytes, 1, cudaMemcpyDeviceToHost); });
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D* copy)
{
    return now([&] { return plane(*copy); });
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* copy)
{
    return now([&] { return plane(*copy); });
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream stream)
{
    return in_stream(stream, [&] { return plane(*copy); });
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D* copy)
{
    return now([&] { return box(*copy); });
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* copy, CUstream stream)
{
    return in_stream(stream, [&] { return box(*copy); });
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* copy)
{
    return now([&] { return box(*copy); });
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* copy, CUstream stream)
{
    return in_stream(stream, [&] { return box(*copy); });
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t count) { return set(elements(to, 0, value, 1, count, 1)); }
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream)
{
    return set_in_stream(stream, elements(to, 0, value, 1, count, 1));
}
CUresult cuMemsetD2D8(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width, std::size_t height)
{
    return set(elements(to, pitch, value, 1, width, height));
}

CUresult cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width, std::size_t height, CUstream stream)
{
    return set_in_stream(stream, elements(to, pitch, value, 1, width, height));
}

CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, std::size_t count) { return set(elements(to, 0, value, 2, count, 1)); }
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count, CUstream stream)
{
    return set_in_stream(stream, elements(to, 0, value, 2, count, 1));
}
CUresult cuMemsetD2D16(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width, std::size_t height)
{
    return set(elements(to, pitch, value, 2, width, height));
}

CUresult cuMemsetD2D16Async(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width, std::size_t height, CUstream stream)
{
    return set_in_stream(stream, elements(to, pitch, value, 2, width, height));
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned value, std::size_t count) { return set(elements(to, 0, value, 4, count, 1)); }
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream)
{
    return set_in_stream(stream, elements(to, 0, value, 4, count, 1));
}
CUresult cuMemsetD2D32(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width, std::size_t height)
{
    return set(elements(to, pitch, value, 4, width, height));
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width, std::size_t height, CUstream stream)
{
    return set_in_stream(stream, elements(to, pitch, value, 4, width, height));
}

}  // extern "C"
