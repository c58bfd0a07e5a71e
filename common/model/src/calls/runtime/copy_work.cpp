// Describes, checks and does copies and sets.

#include <algorithm>

#include "calls/runtime/arrays.hpp"
#include "calls/runtime/copies.hpp"
#include "calls/runtime/memory.hpp"

namespace simt::calls {

namespace {

/// One side of a copy: linear memory, or an array.
struct Side {
    const cudaArray* array = nullptr;
    /// The first byte, after the offset of the position.
    char* memory = nullptr;
    std::size_t pitch = 0, slice_pitch = 0;
    ArrayBox box;
};

/// The size of a copy: bytes along x, rows, slices.
struct Size {
    std::size_t width = 0, height = 0, depth = 0;
    bool is_empty() const { return width == 0 || height == 0 || depth == 0; }
};

Side side_of(cudaArray_t array, const cudaPos& position, const cudaPitchedPtr& pointer, const Size& size) {
    Side side;
    if (array) {
        side.array = &require_array(array);
        const std::size_t element = element_bytes(*side.array);
        side.box = {position.x * element, position.y, position.z, size.width, size.height, size.depth, side.array->level};
        const ArrayShape& shape = side.array->shape;
        const std::size_t height = std::max<std::size_t>(shape.height, 1), depth = std::max<std::size_t>(shape.depth, 1);
        const std::size_t width = shape.width * element;
        require(side.box.x_bytes <= width && size.width <= width - side.box.x_bytes && side.box.y <= height &&
                size.height <= height - side.box.y && side.box.z <= depth && size.depth <= depth - side.box.z);
        return side;
    }
    side.pitch = pointer.pitch;
    side.slice_pitch = pointer.pitch * pointer.ysize;
    if (size.height > 1 || size.depth > 1) require(size.width <= side.pitch, cudaErrorInvalidPitchValue);
    side.memory = static_cast<char*>(pointer.ptr) + position.z * side.slice_pitch + position.y * side.pitch + position.x;
    return side;
}

Size size_of(const cudaMemcpy3DParms& parameters) {
    Size size{parameters.extent.width, parameters.extent.height, parameters.extent.depth};
    const cudaArray_t array = parameters.srcArray ? parameters.srcArray : parameters.dstArray;
    if (array) size.width *= element_bytes(require_array(array));
    return size;
}

/// Bytes from the first to the last byte of a side in linear memory, both included.
std::size_t span_of(const Side& side, const Size& size) {
    return (size.depth - 1) * side.slice_pitch + (size.height - 1) * side.pitch + size.width;
}

struct Reach { bool host, device; };

Reach reach_of(const Side& side, const Size& size) {
    if (side.array) return {false, true};
    const std::size_t bytes = span_of(side, size);
    return {on_host(side.memory, bytes), on_device(side.memory, bytes)};
}

void check_kind(cudaMemcpyKind kind, const Side& to, const Side& from, const Size& size) {
    const Reach target = reach_of(to, size), source = reach_of(from, size);
    bool possible = false;
    switch (kind) {
        case cudaMemcpyHostToHost: possible = target.host && source.host; break;
        case cudaMemcpyHostToDevice: possible = target.device && source.host; break;
        case cudaMemcpyDeviceToHost: possible = target.host && source.device; break;
        case cudaMemcpyDeviceToDevice: possible = target.device && source.device; break;
        case cudaMemcpyDefault: possible = (target.host || target.device) && (source.host || source.device); break;
        default: fail(cudaErrorInvalidMemcpyDirection);
    }
    require(possible);
}

/// Copies row by row, or a whole slice if its rows adjoin.
void copy_linear(const Side& to, const Side& from, const Size& size) {
    const bool rows_adjoin = size.height == 1 || (to.pitch == size.width && from.pitch == size.width);
    for (std::size_t z = 0; z < size.depth; ++z) {
        char* target = to.memory + z * to.slice_pitch;
        const char* source = from.memory + z * from.slice_pitch;
        if (rows_adjoin) copy_rows(target, 0, source, 0, size.width * size.height, 1);
        else copy_rows(target, to.pitch, source, from.pitch, size.width, size.height);
    }
}

/// Copies by way of host memory.
void copy_with_array(const Side& to, const Side& from, const Size& size) {
    std::vector<char> texels(size.width * size.height * size.depth);
    Side middle;
    middle.memory = texels.data();
    middle.pitch = size.width;
    middle.slice_pitch = size.width * size.height;
    if (from.array)
        device(from.array->device).copy_from_array(from.array->number, from.box, texels.data(), middle.pitch, middle.slice_pitch);
    else copy_linear(middle, from, size);
    if (to.array) device(to.array->device).copy_to_array(to.array->number, to.box, texels.data(), middle.pitch, middle.slice_pitch);
    else copy_linear(to, middle, size);
}

cudaPitchedPtr pitched(const void* pointer, std::size_t pitch, std::size_t height) {
    return {const_cast<void*>(pointer), pitch, pitch, height};
}

/// The address of byte `offset` of a variable. Fails if `bytes` bytes from there do not fit.
void* in_variable(const void* symbol, std::size_t offset, std::size_t bytes) {
    const VariableInfo variable = require_variable(symbol);
    require(offset <= variable.bytes && bytes <= variable.bytes - offset);
    return pointer_to(variable.address + offset);
}

}  // namespace

cudaMemcpy3DParms rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t height,
                       cudaMemcpyKind kind) {
    require(width <= to_pitch && width <= from_pitch, cudaErrorInvalidPitchValue);
    cudaMemcpy3DParms parameters{};
    parameters.srcPtr = pitched(from, from_pitch, height);
    parameters.dstPtr = pitched(to, to_pitch, height);
    parameters.extent = {width, height, 1};
    parameters.kind = kind;
    return parameters;
}

cudaMemcpy3DParms bytes_in_row(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return rows(to, bytes, from, bytes, bytes, 1, kind);
}

cudaMemcpy3DParms to_array(cudaArray_t to, std::size_t x_bytes, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
                           std::size_t height, cudaMemcpyKind kind) {
    const std::size_t element = element_bytes(require_array(to));
    require(x_bytes % element == 0 && width % element == 0);
    cudaMemcpy3DParms parameters{};
    parameters.srcPtr = pitched(from, pitch, height);
    parameters.dstArray = to;
    parameters.dstPos = {x_bytes / element, y, 0};
    parameters.extent = {width / element, height, 1};
    parameters.kind = kind;
    return parameters;
}

cudaMemcpy3DParms from_array(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x_bytes, std::size_t y, std::size_t width,
                             std::size_t height, cudaMemcpyKind kind) {
    const std::size_t element = element_bytes(require_array(from));
    require(x_bytes % element == 0 && width % element == 0);
    cudaMemcpy3DParms parameters{};
    parameters.dstPtr = pitched(to, pitch, height);
    parameters.srcArray = const_cast<cudaArray_t>(from);
    parameters.srcPos = {x_bytes / element, y, 0};
    parameters.extent = {width / element, height, 1};
    parameters.kind = kind;
    return parameters;
}

cudaMemcpy3DParms between_devices(const cudaMemcpy3DPeerParms& from) {
    require_device(from.srcDevice);
    require_device(from.dstDevice);
    return {from.srcArray, from.srcPos, from.srcPtr, from.dstArray, from.dstPos, from.dstPtr, from.extent, cudaMemcpyDefault};
}

cudaMemcpy3DParms to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
    void* to = in_variable(symbol, offset, bytes);
    require(kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
            cudaErrorInvalidMemcpyDirection);
    return bytes_in_row(to, from, bytes, kind);
}

cudaMemcpy3DParms from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
    const void* from = in_variable(symbol, offset, bytes);
    require(kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
            cudaErrorInvalidMemcpyDirection);
    return bytes_in_row(to, from, bytes, kind);
}

SetWork set_rows(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, std::size_t depth,
                 std::size_t slice_pitch) {
    SetWork work;
    work.parameters = {to, pitch, static_cast<unsigned>(value) & 0xFFU, 1, width, height};
    work.depth = depth;
    work.slice_pitch = slice_pitch;
    return work;
}

void run_copy(const cudaMemcpy3DParms& parameters) {
    const Size size = size_of(parameters);
    if (parameters.kind < cudaMemcpyHostToHost || parameters.kind > cudaMemcpyDefault) fail(cudaErrorInvalidMemcpyDirection);
    if (size.is_empty()) return;
    const Side from = side_of(parameters.srcArray, parameters.srcPos, parameters.srcPtr, size);
    const Side to = side_of(parameters.dstArray, parameters.dstPos, parameters.dstPtr, size);
    check_kind(parameters.kind, to, from, size);
    if (from.array || to.array) copy_with_array(to, from, size);
    else copy_linear(to, from, size);
}

void check_set(const SetWork& work) {
    const cudaMemsetParams& set = work.parameters;
    const std::size_t width = set.width * set.elementSize;
    require(set.elementSize == 1 || set.elementSize == 2 || set.elementSize == 4);
    if (set.width == 0 || set.height == 0 || work.depth == 0) return;
    if (set.height > 1 || work.depth > 1) require(width <= set.pitch, cudaErrorInvalidPitchValue);
    require(on_device(set.dst, (work.depth - 1) * work.slice_pitch + (set.height - 1) * set.pitch + width));
}

void run_set(const SetWork& work) {
    check_set(work);
    const cudaMemsetParams& set = work.parameters;
    if (set.width == 0) return;
    const bool rows_adjoin = set.height == 1 || set.pitch == set.width * set.elementSize;
    for (std::size_t z = 0; z < work.depth; ++z) {
        char* slice = static_cast<char*>(set.dst) + z * work.slice_pitch;
        if (rows_adjoin) set_elements(slice, set.value, set.elementSize, set.width * set.height);
        else
            for (std::size_t y = 0; y < set.height; ++y) set_elements(slice + y * set.pitch, set.value, set.elementSize, set.width);
    }
}

}  // namespace simt::calls
