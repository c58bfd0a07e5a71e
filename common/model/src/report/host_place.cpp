// Asks addr2line, a tool that comes with every compiler, for the line of an address.

#include "report/host_place.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace simt::report {

namespace {

std::string quoted(const char* text) {
    std::string quoted = "'";
    for (; *text; ++text) quoted += *text == '\'' ? std::string("'\\''") : std::string(1, *text);
    return quoted + "'";
}

}  // namespace

SourcePlace place_of_call(void* address) {
    Dl_info found{};
    if (!address || !dladdr(address, &found) || !found.dli_fname) return {};
    // The instruction at the address follows the call.
    const auto offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(found.dli_fbase) - 1;
    std::array<char, 512> line{};
    std::snprintf(line.data(), line.size(), " %#llx 2>/dev/null", static_cast<unsigned long long>(offset));
    FILE* const answer = popen(("env -u LD_LIBRARY_PATH -u LD_PRELOAD addr2line -e " + quoted(found.dli_fname) + line.data()).c_str(), "r");
    if (!answer) return {};
    const bool read = std::fgets(line.data(), static_cast<int>(line.size()), answer) != nullptr;
    pclose(answer);
    const std::string text = read ? line.data() : "";
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || text[0] == '?') return {};
    const std::string path = text.substr(0, colon);
    SourcePlace place;
    place.line = std::atoi(text.c_str() + colon + 1);
    if (place.line > 0) place.file = path.substr(path.rfind('/') + 1);
    return place;
}

}  // namespace simt::report
