// The objects behind the handles of CUDA arrays.
#pragma once

#include "calls/runtime/calls.hpp"

/// A CUDA array, or one level of a mipmapped array.
struct cudaArray {
    /// Its number on its device.
    int number = 0;
    simt::ArrayShape shape;
    int device = 0;
    int level = 0;
    unsigned flags = 0;
    cudaChannelFormatDesc description{};
    /// The array that it is a level of.
    cudaMipmappedArray_t whole = nullptr;
};

namespace simt::calls {

/// Bytes of one element.
inline std::size_t element_bytes(const cudaArray& array) { return static_cast<std::size_t>(array.shape.format.bytes()); }

/// Fails with cudaErrorInvalidChannelDescriptor if there is no such format.
ChannelFormat format_of(const cudaChannelFormatDesc& description);

/// The array of a handle. Fails with cudaErrorInvalidResourceHandle if there is none.
const cudaArray& require_array(cudaArray_const_t handle);
/// The array that holds all levels of a mipmapped array. Fails with cudaErrorInvalidResourceHandle if there is none.
const cudaArray& require_mipmapped(cudaMipmappedArray_const_t handle);

}  // namespace simt::calls
