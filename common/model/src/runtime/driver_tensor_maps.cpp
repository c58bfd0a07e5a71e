// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Tensor maps, which tell bulk copies how a tensor lies in memory.

#include <bit>
#include <cstring>

#include "driver.hpp"
#include "memory/tensor_map.hpp"

namespace {

using namespace simt::runtime;
using simt::memory::TensorMap;

static_assert(sizeof(CUtensorMap) == sizeof(TensorMap));

/// What both kinds of tensor map are told.
struct Tensor {
    CUtensorMapDataType type;
    unsigned dimensions;
    void* address;
    const cuuint64_t *sizes, *strides;
    const cuuint32_t* element_strides;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion l2_promotion;
    CUtensorMapFloatOOBfill fill;
};

/// The bytes of a box along its innermost dimension that a kind of swizzle allows.
std::size_t most_inner_bytes(CUtensorMapSwizzle swizzle)
{
    switch (swizzle) {
        case CU_TENSOR_MAP_SWIZZLE_32B: return 32;
        case CU_TENSOR_MAP_SWIZZLE_64B: return 64;
        case CU_TENSOR_MAP_SWIZZLE_NONE: return SIZE_MAX;
        default: return 128;
    }
}

TensorMap described(const Tensor& tensor)
{
    constexpr std::uint64_t unit = 16, wide_unit = 32, most_size = std::uint64_t{1} << 32, most_stride = std::uint64_t{1} << 40;
    constexpr unsigned most_element_stride = 8;
    require(tensor.dimensions >= 1 && tensor.dimensions <= TensorMap::most_dimensions && tensor.sizes && tensor.element_strides);
    require(tensor.strides || tensor.dimensions == 1);
    require(tensor.type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, cudaErrorNotSupported);
    const bool is_wide = tensor.interleave == CU_TENSOR_MAP_INTERLEAVE_32B;
    const std::uint64_t alignment = is_wide ? wide_unit : unit;
    require(address_of(tensor.address) % alignment == 0);
    require(tensor.interleave == CU_TENSOR_MAP_INTERLEAVE_NONE || tensor.dimensions >= 3);
    TensorMap map;
    map.type = static_cast<TensorMap::Type>(tensor.type);
    map.dimensions = static_cast<std::uint8_t>(tensor.dimensions);
    map.address = address_of(tensor.address);
    map.interleave = static_cast<TensorMap::Interleave>(tensor.interleave);
    map.swizzle = static_cast<TensorMap::Swizzle>(tensor.swizzle);
    map.l2_promotion = static_cast<std::uint8_t>(tensor.l2_promotion);
    map.fill_with_nan = tensor.fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    for (unsigned i = 0; i < tensor.dimensions; ++i) {
        require(tensor.sizes[i] != 0 && tensor.sizes[i] <= most_size);
        require(tensor.element_strides[i] != 0 && tensor.element_strides[i] <= most_element_stride);
        map.last[i] = static_cast<std::uint32_t>(tensor.sizes[i] - 1);
        map.element_strides[i] = static_cast<std::uint8_t>(tensor.element_strides[i]);
        if (i + 1 == tensor.dimensions) break;
        require(tensor.strides[i] % alignment == 0 && tensor.strides[i] < most_stride);
        map.strides[i] = tensor.strides[i];
    }
    return map;
}

void check_inner_bytes(std::size_t bytes, const Tensor& tensor)
{
    constexpr std::size_t unit = 16;
    if (tensor.interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) return;
    require(bytes % unit == 0 && bytes <= most_inner_bytes(tensor.swizzle));
}

}  // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* handle, CUtensorMapDataType type, cuuint32_t dimensions, void* address, const cuuint64_t* sizes,
                                const cuuint64_t* strides, const cuuint32_t* box, const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2_promotion, CUtensorMapFloatOOBfill fill)
{
    return driver_call([&] {
        constexpr unsigned most_box = 256;
        require(handle && box);
        const Tensor tensor{type, dimensions, address, sizes, strides, element_strides, interleave, swizzle, l2_promotion, fill};
        TensorMap map = described(tensor);
        for (unsigned i = 0; i < dimensions; ++i) {
            require(box[i] != 0 && box[i] <= most_box);
            map.box[i] = static_cast<std::uint16_t>(box[i]);
        }
        check_inner_bytes(box[0] * simt::memory::bytes_of(map.type), tensor);
        std::memcpy(handle, &map, sizeof map);
    });
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* handle, CUtensorMapDataType type, cuuint32_t dimensions, void* address, const cuuint64_t* sizes,
                                 const cuuint64_t* strides, const int* lower_corner, const int* upper_corner, cuuint32_t channels_per_pixel,
                                 cuuint32_t pixels_per_column, const cuuint32_t* element_strides, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion l2_promotion, CUtensorMapFloatOOBfill fill)
{
    return driver_call([&] {
        constexpr unsigned most_channels = 256, most_pixels = 1024;
        require(handle && lower_corner && upper_corner && dimensions >= 3 && channels_per_pixel <= most_channels && pixels_per_column <= most_pixels);
        const Tensor tensor{type, dimensions, address, sizes, strides, element_strides, interleave, swizzle, l2_promotion, fill};
        TensorMap map = described(tensor);
        map.kind = TensorMap::Kind::image_to_column;
        for (unsigned i = 0; i + 2 < dimensions; ++i) {
            map.lower_corner[i] = static_cast<std::int16_t>(lower_corner[i]);
            map.upper_corner[i] = static_cast<std::int16_t>(upper_corner[i]);
        }
        map.channels_per_pixel = static_cast<std::uint16_t>(channels_per_pixel);
        map.pixels_per_column = static_cast<std::uint16_t>(pixels_per_column);
        check_inner_bytes(channels_per_pixel * simt::memory::bytes_of(map.type), tensor);
        std::memcpy(handle, &map, sizeof map);
    });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* handle, void* address)
{
    return driver_call([&] {
        require(handle && address);
        auto map = std::bit_cast<TensorMap>(*handle);
        require(map.magic == TensorMap::expected_magic);
        map.address = address_of(address);
        std::memcpy(handle, &map, sizeof map);
    });
}

}  // extern "C"
