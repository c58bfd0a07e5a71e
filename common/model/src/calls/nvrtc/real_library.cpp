#include "calls/nvrtc/real_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

namespace simt::nvrtc {

namespace {

constexpr const char* library_name = "libnvrtc.so." CUDA_MAJOR;

std::filesystem::path own_folder() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&own_folder), &info) == 0 || !info.dli_fname) return {};
    std::error_code ignored;
    return std::filesystem::canonical(info.dli_fname, ignored).parent_path();
}

/// The folders of NVIDIA's packages for Python beside the packages that this process has loaded libraries of.
std::vector<std::filesystem::path> folders_of_packages() {
    std::vector<std::filesystem::path> found;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            const std::string_view path = info->dlpi_name ? info->dlpi_name : "";
            for (const std::string_view packages : {"/site-packages/", "/dist-packages/"})
                if (const std::size_t at = path.find(packages); at != path.npos)
                    static_cast<decltype(found)*>(data)->push_back(std::filesystem::path(path.substr(0, at + packages.size())) /
                                                                   "nvidia/cu" CUDA_MAJOR "/lib");
            return 0;
        },
        &found);
    return found;
}

std::vector<std::filesystem::path> folders() {
    std::vector<std::filesystem::path> found = folders_of_packages();
    if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
        for (std::string_view rest = path; !rest.empty();) {
            const std::size_t end = std::min(rest.find(':'), rest.size());
            if (end > 0) found.emplace_back(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
        if (const char* root = std::getenv(variable)) found.push_back(std::filesystem::path(root) / "lib64");
    for (const char* folder : {"/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"})
        found.emplace_back(folder);
    return found;
}

/// Opens NVIDIA's library by its full path: its name alone would open this one.
void* open_real_library() {
    const std::filesystem::path own = own_folder();
    for (const std::filesystem::path& folder : folders()) {
        std::error_code error;
        const std::filesystem::path file = std::filesystem::canonical(folder / library_name, error);
        if (error || file.parent_path() == own) continue;
        // A package may have asked for the file and got this library (audit.cpp): the loader then knows this one by the file's path.
        const std::filesystem::path other_spelling = file.parent_path() / "." / file.filename();
        if (void* library = dlopen(other_spelling.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    }
    std::fprintf(
        stderr,
        "error: the program compiles kernels as it runs, and no %s of a CUDA toolkit is found; name its folder in LD_LIBRARY_PATH\n",
        library_name);
    return nullptr;
}

}  // namespace

void* real_function(const char* name) {
    static void* const library = open_real_library();
    return library ? dlsym(library, name) : nullptr;
}

}  // namespace simt::nvrtc
