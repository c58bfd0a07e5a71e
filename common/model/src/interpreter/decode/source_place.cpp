#include "interpreter/decode/source_place.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace simt::interpreter {

namespace {

constexpr std::array<std::string_view, 20> headers = {
    "cooperative_groups.h",
    "cuda_awbarrier.h",
    "cuda_awbarrier_helpers.h",
    "cuda_bf16.hpp",
    "cuda_fp16.hpp",
    "cuda_fp4.hpp",
    "cuda_fp6.hpp",
    "cuda_fp8.hpp",
    "cuda_pipeline.h",
    "cuda_pipeline_helpers.h",
    "cuda_pipeline_primitives.h",
    "cuda_awbarrier_primitives.h",
    "device_atomic_functions.h",
    "device_atomic_functions.hpp",
    "surface_indirect_functions.h",
    "texture_indirect_functions.h",
    "texture_fetch_functions.h",
    "vector_functions.h",
    "vector_functions.hpp",
    "surface_functions.h",
};

std::string file_of(const ptx::Module& text, const ptx::Location& location) {
    return std::filesystem::path(text.files[location.file]).filename().string();
}

}  // namespace

bool is_part_of_language(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return false;
    const std::string_view folder = path.substr(0, slash), name = path.substr(slash + 1);
    // Headers for one GPU generation, such as sm_20_intrinsics.hpp.
    const bool of_generation =
        name.starts_with("sm_") && (name.find("_intrinsics.h") != name.npos || name.find("_atomic_functions.h") != name.npos);
    return of_generation || folder.ends_with("/include/crt") || folder.ends_with("/cooperative_groups/details") ||
           folder.ends_with("/include/cooperative_groups") || std::ranges::find(headers, name) != headers.end();
}

SourcePlace source_place(const ptx::Module& text, const ptx::Location& location) {
    if (location.file < 0) return {};
    ptx::Location at = location;
    const auto caller = [&](const ptx::Location& inner) -> const ptx::Inlining& { return text.inlinings[inner.inlined - 1]; };
    while (at.inlined > 0 && caller(at).at.file >= 0 && is_part_of_language(text.files[at.file])) at = caller(at).at;
    SourcePlace place{file_of(text, at), at.line, {}};
    while (at.inlined > 0 && caller(at).at.file >= 0) {
        const ptx::Inlining& call = caller(at);
        place.inlined_from.push_back({file_of(text, call.at), call.at.line, call.function});
        at = call.at;
    }
    return place;
}

}  // namespace simt::interpreter
