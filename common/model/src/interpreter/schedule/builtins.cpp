// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "interpreter/schedule/builtins.hpp"

#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include "interpreter/memory/memory_access.hpp"
#include "interpreter/schedule/builtin_call.hpp"
#include "interpreter/schedule/device_runtime.hpp"
#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

namespace {

constexpr std::size_t longest_text = 4096;

std::string text_at(Warp& warp, std::size_t lane, std::uint64_t address)
{
    std::string text;
    while (text.size() < longest_text) {
        const unsigned char* c = generic_pointer(warp, lane, address + text.size(), 1);
        if (!c || *c == 0) break;
        text += static_cast<char>(*c);
    }
    return text;
}

/// Formats one argument of printf with the conversion that the text names, by the C library.
std::string formatted(const std::string& conversion, std::uint64_t bits, Warp& warp, std::size_t lane)
{
    std::array<char, longest_text> out{};
    std::string spec;
    for (const char c : conversion)
        if (std::strchr("hlLqjzt", c) == nullptr) spec += c;
    const char kind = spec.back();
    spec.pop_back();
    const bool is_wide = conversion.find_first_of("lqjzt") != std::string::npos;
    switch (kind) {
        case 'd':
        case 'i':
            std::snprintf(out.data(), out.size(), (spec + "lld").c_str(),
                          is_wide ? static_cast<long long>(bits) : static_cast<long long>(static_cast<std::int32_t>(bits)));
            break;
        case 'u':
        case 'o':
        case 'x':
        case 'X':
            std::snprintf(
                out.data(), out.size(), (spec + "ll" + kind).c_str(),
                is_wide ? static_cast<unsigned long long>(bits) : static_cast<unsigned long long>(static_cast<std::uint32_t>(bits)));
            break;
        case 'c': std::snprintf(out.data(), out.size(), (spec + "c").c_str(), static_cast<int>(bits)); break;
        case 's': std::snprintf(out.data(), out.size(), (spec + "s").c_str(), text_at(warp, lane, bits).c_str()); break;
        case 'p': std::snprintf(out.data(), out.size(), (spec + "p").c_str(), reinterpret_cast<void*>(bits)); break;
        default: std::snprintf(out.data(), out.size(), (spec + kind).c_str(), std::bit_cast<double>(bits)); break;
    }
    return out.data();
}

/// Reads the arguments, which follow one another: 4 bytes for an `int`, 8 aligned bytes for a wider type.
class Arguments {
public:
    Arguments(Warp& warp, std::size_t lane, std::uint64_t address) : warp_(warp), lane_(lane), address_(address) {}

    std::uint64_t next(bool is_wide)
    {
        const std::uint64_t bytes = is_wide ? 8 : 4;
        offset_ = (offset_ + bytes - 1) / bytes * bytes;
        std::uint64_t value = 0;
        if (const unsigned char* at = generic_pointer(warp_, lane_, address_ + offset_, bytes)) std::memcpy(&value, at, bytes);
        offset_ += bytes;
        return value;
    }

private:
    Warp& warp_;
    int lane_;
    std::uint64_t address_, offset_ = 0;
};

std::string print(Warp& warp, std::size_t lane, const std::string& format, std::uint64_t address)
{
    Arguments arguments(warp, lane, address);
    std::string out;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') {
            out += format[i];
            continue;
        }
        if (format.compare(i, 2, "%%") == 0) {
            out += '%';
            ++i;
            continue;
        }
        std::string conversion = "%";
        while (++i < format.size() && std::strchr("diouxXcsfFeEgGaAp", format[i]) == nullptr) {
            if (format[i] == '*') conversion += std::to_string(static_cast<std::int32_t>(arguments.next(false)));
            else conversion += format[i];
        }
        if (i >= format.size()) break;
        conversion += format[i];
        const bool is_wide = conversion.find_first_of("lqjztfFeEgGaAps") != std::string::npos;
        out += formatted(conversion, arguments.next(is_wide), warp, lane);
    }
    return out;
}

void stop_by_assertion(Warp& warp, const CallSite& call)
{
    const std::size_t lane = first_lane(warp.active);
    const std::string assertion = text_at(warp, lane, argument<std::uint64_t>(warp, lane, call, 0));
    const std::string file = std::filesystem::path(text_at(warp, lane, argument<std::uint64_t>(warp, lane, call, 1))).filename().string();
    const auto line = argument<std::uint32_t>(warp, lane, call, 2);
    throw LaunchStopped(error_assert, warp.launch->message_of(warp, lane, MessageCode::assertion_failed,
                                                              {{"assertion", assertion}, {"file", file}, {"line", line}}));
}

void call_for_lane(Warp& warp, std::size_t lane, const CallSite& call)
{
    if (is_of_device_runtime(call.builtin)) return call_device_runtime(warp, lane, call);
    const auto first = argument<std::uint64_t>(warp, lane, call, 0);
    if (call.builtin == "vprintf") {
        const std::string text = print(warp, lane, text_at(warp, lane, first), argument<std::uint64_t>(warp, lane, call, 1));
        warp.launch->print(warp.block->number, text);
        give_back(warp, lane, call, static_cast<std::int32_t>(text.size()));
    } else if (call.builtin == "malloc") {
        if (!warp.launch->has_heap)
            throw LaunchStopped(error_not_supported, warp.launch->message_of(warp, lane, MessageCode::malloc_without_heap));
        give_back(warp, lane, call, warp.launch->allocate(first));
    } else if (call.builtin == "free") {
        if (first) warp.launch->release(first);
    }
}

}  // namespace

bool is_builtin(std::string_view name)
{
    return name == "vprintf" || name == "malloc" || name == "free" || name == "__assertfail" || is_of_device_runtime(name);
}

void call_builtin(Warp& warp, const DecodedInstruction&, const CallSite& call)
{
    if (call.builtin == "__assertfail") stop_by_assertion(warp, call);
    warp.progress = true;
    for (const std::size_t lane : lanes_in(warp.active)) call_for_lane(warp, lane, call);
}

}  // namespace simt::interpreter
