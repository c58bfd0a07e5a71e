// Copies between an array and one run of bytes, which fills the array's rows one after another. CUDA has deprecated these
// functions; many programs call them.

#include <algorithm>
#include <vector>

#include "calls/runtime/arrays.hpp"
#include "calls/runtime/copies.hpp"

namespace simt::calls {

namespace {

/// A rectangle of an array's rows, and the place of its bytes in the run.
struct Stretch { std::size_t first_byte, x_bytes, row, width, rows; };

/// Splits a run into the end of its first row, whole rows, and the start of its last row. Each part may be missing.
std::vector<Stretch> stretches(cudaArray_const_t handle, std::size_t x_bytes, std::size_t row, std::size_t bytes) {
    const cudaArray& array = require_array(handle);
    const std::size_t width = array.shape.width * element_bytes(array);
    require(x_bytes < width || bytes == 0);
    std::vector<Stretch> found;
    std::size_t done = 0;
    if (x_bytes > 0 && bytes > 0) {
        done = std::min(bytes, width - x_bytes);
        found.push_back({0, x_bytes, row++, done, 1});
    }
    if (const std::size_t rows = (bytes - done) / width; rows > 0) {
        found.push_back({done, 0, row, width, rows});
        done += rows * width;
        row += rows;
    }
    if (done < bytes) found.push_back({done, 0, row, bytes - done, 1});
    return found;
}

std::vector<cudaMemcpy3DParms> into_array(cudaArray_t to, std::size_t x_bytes, std::size_t row, const void* from, std::size_t bytes,
                                          cudaMemcpyKind kind) {
    std::vector<cudaMemcpy3DParms> copies;
    for (const Stretch& part : stretches(to, x_bytes, row, bytes))
        copies.push_back(to_array(to, part.x_bytes, part.row, static_cast<const char*>(from) + part.first_byte, part.width, part.width,
                                  part.rows, kind));
    return copies;
}

std::vector<cudaMemcpy3DParms> out_of_array(void* to, cudaArray_const_t from, std::size_t x_bytes, std::size_t row, std::size_t bytes,
                                            cudaMemcpyKind kind) {
    std::vector<cudaMemcpy3DParms> copies;
    for (const Stretch& part : stretches(from, x_bytes, row, bytes))
        copies.push_back(
            from_array(static_cast<char*>(to) + part.first_byte, part.width, from, part.x_bytes, part.row, part.width, part.rows, kind));
    return copies;
}

}  // namespace

}  // namespace simt::calls

using namespace simt::calls;

// The header declares these functions as deprecated.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

SIMT_NOW_AND_ASYNC(cudaError_t, call, cudaMemcpyToArray, cudaMemcpyToArrayAsync,
                   (cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes, cudaMemcpyKind kind),
                   into_array(to, x, y, from, bytes, kind))
SIMT_NOW_AND_ASYNC(cudaError_t, call, cudaMemcpyFromArray, cudaMemcpyFromArrayAsync,
                   (void* to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t bytes, cudaMemcpyKind kind),
                   out_of_array(to, from, x, y, bytes, kind))
