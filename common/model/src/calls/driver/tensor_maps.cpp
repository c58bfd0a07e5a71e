// Tensor maps, which tell bulk copies how a tensor lies in memory.

#include <cstring>

#include "calls/driver/driver.hpp"
#include "interpreter/asynchronous/tensor_map.hpp"

namespace {

using namespace simt::calls;
using simt::memory::TensorMap;

static_assert(sizeof(CUtensorMap) == sizeof(TensorMap));

simt::memory::TiledRequest request_of(CUtensorMapDataType type, cuuint32_t dimensions, void* address, const cuuint64_t* sizes,
                                      const cuuint64_t* strides, const cuuint32_t* box, const cuuint32_t* element_strides,
                                      CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapFloatOOBfill fill) {
    require(dimensions >= 1 && dimensions <= static_cast<cuuint32_t>(TensorMap::most_dimensions) && sizes && element_strides);
    require(strides || dimensions == 1);
    simt::memory::TiledRequest request;
    request.type = static_cast<int>(type);
    request.address = address_of(address);
    request.extents = {reinterpret_cast<const std::uint64_t*>(sizes), dimensions};
    request.strides = {reinterpret_cast<const std::uint64_t*>(strides), dimensions - 1};
    if (box) request.box = {box, dimensions};
    request.element_strides = {element_strides, dimensions};
    request.interleave = static_cast<int>(interleave);
    request.swizzle = static_cast<int>(swizzle);
    request.fill = static_cast<int>(fill);
    return request;
}

}  // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* handle, CUtensorMapDataType type, cuuint32_t dimensions, void* address,
                                const cuuint64_t* sizes, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* element_strides, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
    return driver_call([&] {
        require(handle && box);
        TensorMap map;
        require(encode_tiled(request_of(type, dimensions, address, sizes, strides, box, element_strides, interleave, swizzle, fill), map));
        std::memcpy(handle, &map, sizeof map);
    });
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* handle, CUtensorMapDataType type, cuuint32_t dimensions, void* address,
                                 const cuuint64_t* sizes, const cuuint64_t* strides, const int* lower_corner, const int* upper_corner,
                                 cuuint32_t channels_per_pixel, cuuint32_t pixels_per_column, const cuuint32_t* element_strides,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill fill) {
    return driver_call([&] {
        require(handle && lower_corner && upper_corner && dimensions >= 3);
        simt::memory::ColumnsRequest request;
        request.tensor = request_of(type, dimensions, address, sizes, strides, nullptr, element_strides, interleave, swizzle, fill);
        request.lower = {lower_corner, dimensions - 2};
        request.upper = {upper_corner, dimensions - 2};
        request.channels = channels_per_pixel;
        request.pixels = pixels_per_column;
        TensorMap map;
        require(encode_columns(request, map));
        std::memcpy(handle, &map, sizeof map);
    });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* handle, void* address) {
    return driver_call([&] {
        require(handle && address);
        TensorMap map;
        std::memcpy(static_cast<void*>(&map), handle, sizeof map);
        require(map.valid());
        map.address = address_of(address);
        std::memcpy(handle, &map, sizeof map);
    });
}

}  // extern "C"
