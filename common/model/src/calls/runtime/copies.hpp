// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Each form of a copy or a set, told as a box in three dimensions.
#pragma once

#include "calls/runtime/work.hpp"

namespace simt::calls {

/// Rows of linear memory.
cudaMemcpy3DParms rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t height,
                       cudaMemcpyKind kind);
cudaMemcpy3DParms bytes_in_row(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
/// Between linear memory and an array. Places along x and widths are in bytes.
cudaMemcpy3DParms to_array(cudaArray_t to, std::size_t x_bytes, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
                           std::size_t height, cudaMemcpyKind kind);
cudaMemcpy3DParms from_array(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x_bytes, std::size_t y, std::size_t width,
                             std::size_t height, cudaMemcpyKind kind);
/// Addresses are the same on all devices, so that a copy need not know which it goes between.
cudaMemcpy3DParms without_devices(const cudaMemcpy3DPeerParms& from);
cudaMemcpy3DParms to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind);
cudaMemcpy3DParms from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind);

SetWork set_rows(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, std::size_t depth = 1,
                 std::size_t slice_pitch = 0);

}  // namespace simt::calls
