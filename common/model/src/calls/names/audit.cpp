// The dynamic loader calls this library before it searches for another, if LD_AUDIT names it. Packages for Python contain NVIDIA's
// libraries and open them by their paths. They get the model's libraries of these names instead. That of the linker, which makes machine
// code, links nothing: they fall back to the driver's linker, which is the model's.

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace {

using namespace std::string_view_literals;

constexpr auto linker = "libnvJitLink.so"sv, compiler = "libnvrtc.so"sv;
constexpr auto version = "." CUDA_MAJOR ""sv;

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Whether a file is a library with the version that the model knows, or with none.
bool is_library(std::string_view file, std::string_view name, std::string_view of) {
    if (!file.starts_with(name)) return false;
    file.remove_prefix(name.size());
    return file.empty() || file == of || (file.starts_with(of) && file[of.size()] == '.');
}

/// The folder of the model's libraries, this one among them; empty if it is not known.
std::string own_folder() {
    Dl_info own{};
    const bool known = dladdr(reinterpret_cast<const void*>(&file_name), &own) != 0 && own.dli_fname;
    const std::string path = known ? own.dli_fname : "";
    return path.substr(0, path.rfind('/') + 1);
}

/// The library of the model that takes a file's place; empty for all others.
const std::string& replacement(std::string_view file) {
    static const std::string folder = own_folder(), none;
    static const std::string of_linker = folder + "libnvJitLink.so." CUDA_MAJOR, of_compiler = folder + "libnvrtc.so." CUDA_MAJOR,
                             of_runtime = folder + "libcudart.so." CUDA_MAJOR, of_driver = folder + "libcuda.so.1";
    if (folder.empty()) return none;
    if (file.starts_with(linker)) return of_linker;
    if (is_library(file, compiler, version)) return of_compiler;
    if (is_library(file, "libcudart.so"sv, version)) return of_runtime;
    if (is_library(file, "libcuda.so"sv, ".1"sv)) return of_driver;
    return none;
}

}  // namespace

extern "C" {

unsigned la_version(unsigned newest) { return newest < LAV_CURRENT ? newest : LAV_CURRENT; }

char* la_objsearch(const char* name, std::uintptr_t* cookie, unsigned) {
    const std::string& found = replacement(file_name(name));
    // The model's NVRTC opens that of NVIDIA.
    const auto* const asking = reinterpret_cast<const link_map*>(*cookie);
    const bool is_own = asking && asking->l_name && found == asking->l_name;
    return const_cast<char*>(found.empty() || is_own ? name : found.c_str());
}

}  // extern "C"
