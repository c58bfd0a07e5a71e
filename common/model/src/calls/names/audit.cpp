// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The dynamic loader calls this library before it searches for another, if LD_AUDIT names it. Packages for Python contain NVIDIA's
// linker, which makes machine code, and open it by its path. They get an empty library of that name instead, and fall back to the
// driver's linker, which is the model's.

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace {

constexpr const char* linker = "libnvJitLink.so";
constexpr std::size_t most = 4096;

/// The path of the empty library, beside this one; empty if it is not known.
const char* path_of_empty_library()
{
    static char path[most];
    Dl_info own{};
    if (path[0] != '\0' || dladdr(reinterpret_cast<const void*>(linker), &own) == 0 || !own.dli_fname) return path;
    const char* const slash = std::strrchr(own.dli_fname, '/');
    const std::size_t folder = slash ? static_cast<std::size_t>(slash - own.dli_fname) + 1 : 0;
    constexpr const char* version = ".13";
    if (folder + std::strlen(linker) + std::strlen(version) >= most) return path;
    std::memcpy(path, own.dli_fname, folder);
    std::strcpy(path + folder, linker);
    std::strcat(path, version);
    return path;
}

}  // namespace

extern "C" {

unsigned la_version(unsigned version) { return version < LAV_CURRENT ? version : LAV_CURRENT; }

char* la_objsearch(const char* name, std::uintptr_t*, unsigned)
{
    const char* const slash = std::strrchr(name, '/');
    const bool is_linker = std::strncmp(slash ? slash + 1 : name, linker, std::strlen(linker)) == 0;
    const char* const found = is_linker ? path_of_empty_library() : name;
    return const_cast<char*>(*found != '\0' ? found : name);
}

}  // extern "C"
