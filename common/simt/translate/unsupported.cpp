// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "unsupported.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace simt::translate {

namespace {

struct Feature {
    const char* construct;
    const char* hint;
};

constexpr Feature texture{"texture or surface access", "read and write global memory through a pointer"};
constexpr Feature tensor_core{"tensor core access", "multiply in a loop over shared memory"};
constexpr Feature dynamic_parallelism{"dynamic parallelism", "call it on the host"};
constexpr Feature cluster{"a thread block cluster", "share data through global memory, or within one block"};
constexpr Feature bulk_copy{"an asynchronous copy or barrier", "copy with plain loads and stores, and wait with __syncthreads()"};
constexpr Feature untyped_launch{"a launch that has lost the parameters of its kernel", "call cudaLaunchKernelEx(&config, kernel, arguments...)"};
constexpr Feature grid_group{"synchronization of the whole grid", "end the kernel and launch another one"};
constexpr Feature standard_library{"libcu++", "use the C++ standard library on the host and built-in types and atomics in kernels"};
constexpr Feature algorithm_library{"a library of device algorithms", "write the kernel out, or keep the library to another file"};
constexpr Feature math_library{"a CUDA math library", "write the kernel out, or keep the library to another file"};
constexpr Feature half_precision{"half precision", "use float"};
constexpr Feature graph{"a CUDA graph", "launch the kernels one after another"};
constexpr Feature driver_api{"the driver API", "use the runtime API, whose names begin with cuda"};

struct Entry {
    std::string_view name;
    Feature feature;
};

/// Headers; those that end in `/` or `_` stand for all that begin so.
constexpr std::array headers = {
    Entry{"mma.h", tensor_core},
    Entry{"texture_", texture},
    Entry{"surface_", texture},
    Entry{"cuda_texture_types.h", texture},
    Entry{"cuda_surface_types.h", texture},
    Entry{"cuda_awbarrier", bulk_copy},
    Entry{"cuda_pipeline", bulk_copy},
    Entry{"cooperative_groups/memcpy_async.h", bulk_copy},
    Entry{"cuda/", standard_library},
    Entry{"nv/target", standard_library},
    Entry{"cuda_fp", half_precision},
    Entry{"cuda_bf16", half_precision},
    Entry{"thrust/", algorithm_library},
    Entry{"cub/", algorithm_library},
    Entry{"cutlass/", algorithm_library},
    Entry{"cute/", algorithm_library},
    Entry{"cublas", math_library},
    Entry{"cufft", math_library},
    Entry{"curand", math_library},
    Entry{"cusolver", math_library},
    Entry{"cusparse", math_library},
    Entry{"cudnn", math_library},
    Entry{"nccl.h", math_library},
    Entry{"nvrtc.h", driver_api},
};

/// Names that mean the same wherever they stand.
constexpr std::array names = {
    Entry{"cudaTextureObject_t", texture},
    Entry{"cudaSurfaceObject_t", texture},
    Entry{"cudaCreateTextureObject", texture},
    Entry{"cudaCreateSurfaceObject", texture},
    Entry{"cudaBindTexture", texture},
    Entry{"cudaBindTexture2D", texture},
    Entry{"cudaBindTextureToArray", texture},
    Entry{"cudaBindSurfaceToArray", texture},
    Entry{"textureReference", texture},
    Entry{"cudaArray_t", texture},
    Entry{"cudaMallocArray", texture},
    Entry{"cudaMalloc3DArray", texture},
    Entry{"cudaChannelFormatDesc", texture},
    Entry{"cudaCreateChannelDesc", texture},
    Entry{"cudaResourceDesc", texture},
    Entry{"cudaTextureDesc", texture},
    Entry{"cudaGraph_t", graph},
    Entry{"cudaGraphExec_t", graph},
    Entry{"cudaStreamBeginCapture", graph},
    Entry{"nvcuda", tensor_core},
    Entry{"__cluster_dims__", cluster},
    Entry{"this_cluster", cluster},
    Entry{"cluster_group", cluster},
    Entry{"cudaLaunchKernelExC", untyped_launch},
    Entry{"cudaLaunchAttributeClusterDimension", cluster},
    Entry{"cudaLaunchAttributePreferredClusterDimension", cluster},
    Entry{"CUtensorMap", bulk_copy},
    Entry{"memcpy_async", bulk_copy},
    Entry{"__pipeline_memcpy_async", bulk_copy},
    Entry{"__pipeline_commit", bulk_copy},
    Entry{"__pipeline_wait_prior", bulk_copy},
    Entry{"this_grid", grid_group},
    Entry{"grid_group", grid_group},
    Entry{"cudaLaunchCooperativeKernel", grid_group},
};

/// Functions: unsupported where they are called. Each stands for all that begin with it.
constexpr std::array called = {
    Entry{"tex1D", texture},     Entry{"tex2D", texture},     Entry{"tex3D", texture},
    Entry{"texCubemap", texture}, Entry{"surf1D", texture},   Entry{"surf2D", texture},
    Entry{"surf3D", texture},    Entry{"surfCubemap", texture},
};

/// Functions of the runtime API that are for kernels. All others launch or manage something when a kernel calls them.
constexpr std::array device_functions = {std::string_view("cudaGridDependencySynchronize"),
                                         std::string_view("cudaTriggerProgrammaticLaunchCompletion")};

/// A class template, as in `texture<float, 2> t;`, that a program may also have of its own.
bool is_own_class(const Source& source, std::string_view name)
{
    for (Index i = 0; i < source.size(); ++i)
        if (source.is(i, name) && source.is_one_of(source.previous_code(i), {"class", "struct", "namespace"})) return true;
    return false;
}

std::string say(const Feature& feature, std::string_view name)
{
    return not_supported(std::string(feature.construct) + " (" + std::string(name) + ")", feature.hint);
}

}  // namespace

std::string not_supported(const std::string& construct, const std::string& hint)
{
    return construct + " is not supported by the counting model: " + hint;
}

std::optional<std::string> unsupported_header(std::string_view header)
{
    for (const Entry& entry : headers) {
        const bool whole = entry.name.ends_with(".h") || entry.name == "nv/target";
        if (whole ? header == entry.name : header.starts_with(entry.name)) return say(entry.feature, "#include <" + std::string(header) + ">");
    }
    return std::nullopt;
}

std::optional<std::string> unsupported_name(const Source& source, Index i, CodeSide side)
{
    const std::string_view text = source[i].text;
    if (source.is_one_of(source.previous_code(i), {".", "->"})) return std::nullopt;
    if (const auto found = std::ranges::find(names, text, &Entry::name); found != names.end()) return say(found->feature, text);
    const Index next = source.next_code(i);
    if (text == "cuda" && source.is(next, "::") && !is_own_class(source, text)) {
        const Index member = source.next_code(next);
        const bool waits = source.is_one_of(member, {"barrier", "pipeline", "memcpy_async", "device"});
        return say(waits ? bulk_copy : standard_library, "cuda::" + std::string(member == none ? "" : source[member].text));
    }
    if ((text == "texture" || text == "surface") && source.is(next, "<") && !is_own_class(source, text)) return say(texture, text);
    const bool is_runtime_api = text.size() > 4 && text.starts_with("cuda") && std::isupper(static_cast<unsigned char>(text[4]));
    const bool is_device_function = std::ranges::find(device_functions, text) != device_functions.end();
    if (side == CodeSide::device && is_runtime_api && !is_device_function && source.is(next, "(")) return say(dynamic_parallelism, text);
    if (side != CodeSide::host && (source.is(next, "(") || source.is(next, "<")))
        for (const Entry& entry : called)
            if (text.starts_with(entry.name)) return say(entry.feature, text);
    return std::nullopt;
}

bool is_inline_assembly(const Source& source, Index i)
{
    if (!source.is_one_of(i, {"asm", "__asm__", "__asm"})) return false;
    Index open = source.next_code(i);
    while (source.is_one_of(open, {"volatile", "__volatile__", "goto", "inline"})) open = source.next_code(open);
    if (!source.is(open, "(")) return false;
    const Index first = source.next_code(open);
    return first != none && source[first].text != "\"\"";
}

std::string inline_assembly_is_not_supported()
{
    return not_supported("inline PTX (asm)", "use CUDA's built-in functions, or give the model a branch of its own under #ifdef CONFLICT_FREE_SIMT");
}

}  // namespace simt::translate
