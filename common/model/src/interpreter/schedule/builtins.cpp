#include "interpreter/schedule/builtins.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "interpreter/memory/memory_access.hpp"
#include "interpreter/schedule/builtin_call.hpp"
#include "interpreter/schedule/device_runtime.hpp"
#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

namespace {

constexpr std::size_t longest_text = 4096;

std::string text_at(Warp& warp, std::size_t lane, std::uint64_t address) {
    std::string text;
    while (text.size() < longest_text) {
        const unsigned char* c = generic_pointer(warp, lane, address + text.size(), 1);
        if (!c || *c == 0) break;
        text += static_cast<char>(*c);
    }
    return text;
}

/// A conversion of printf, such as `%-8.3lf`. Only its known parts are kept.
struct Conversion {
    std::string flags;
    /// -1 if the text has none.
    int width = -1, precision = -1;
    bool is_wide = false;
    /// 0 if the text ends within the conversion, or if the conversion is unknown.
    char kind = 0;
};

/// The format of one argument for the C library. The model writes this format; the program's own text is never used as one.
template <class Value> std::string converted(const Conversion& conversion, const char* kind, Value value) {
    std::array<char, longest_text> out{};
    std::string text = "%" + conversion.flags;
    if (conversion.width >= 0) text += std::to_string(conversion.width);
    if (conversion.precision >= 0) {
        text += '.';
        text += std::to_string(conversion.precision);
    }
    std::snprintf(out.data(), out.size(), (text + kind).c_str(), value);
    return out.data();
}

std::string formatted(const Conversion& conversion, std::uint64_t bits, Warp& warp, std::size_t lane) {
    const auto with_sign = conversion.is_wide ? static_cast<long long>(bits) : static_cast<long long>(static_cast<std::int32_t>(bits));
    const auto without = conversion.is_wide ? bits : std::uint64_t{static_cast<std::uint32_t>(bits)};
    const std::string kind(1, conversion.kind);
    switch (conversion.kind) {
        case 'd':
        case 'i': return converted(conversion, "lld", with_sign);
        case 'u':
        case 'o':
        case 'x':
        case 'X': return converted(conversion, ("ll" + kind).c_str(), static_cast<unsigned long long>(without));
        case 'c': return converted(conversion, "c", static_cast<int>(bits));
        case 's': return converted(conversion, "s", text_at(warp, lane, bits).c_str());
        case 'p': return converted(conversion, "p", reinterpret_cast<void*>(bits));
        default: return converted(conversion, kind.c_str(), std::bit_cast<double>(bits));
    }
}

/// Reads the arguments, which follow one another: 4 bytes for an `int`, 8 aligned bytes for a wider type.
class Arguments {
public:
    Arguments(Warp& warp, std::size_t lane, std::uint64_t address) : warp_(warp), lane_(lane), address_(address) {}

    std::uint64_t next(bool is_wide) {
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

/// Reads a conversion behind its `%`.
class ConversionReader {
public:
    ConversionReader(std::string_view rest, Arguments& arguments) : rest_(rest), arguments_(arguments) {}

    Conversion read() {
        Conversion conversion;
        while (next_is("-+ #0")) {
            if (conversion.flags.find(rest_.front()) == std::string::npos) conversion.flags += rest_.front();
            rest_.remove_prefix(1);
        }
        conversion.width = number();
        if (conversion.width < 0 && conversion.width != none) {
            conversion.flags += '-';
            conversion.width = std::min(-conversion.width, most);
        }
        if (next_is(".")) {
            rest_.remove_prefix(1);
            conversion.precision = std::max(number(), 0);
        }
        while (next_is("hlLqjzt")) {
            conversion.is_wide |= next_is("lqjzt");
            rest_.remove_prefix(1);
        }
        if (!next_is("diouxXcsfFeEgGaAp")) return conversion;
        conversion.kind = rest_.front();
        conversion.is_wide |= next_is("fFeEgGaAps");
        rest_.remove_prefix(1);
        return conversion;
    }
    std::string_view rest() const { return rest_; }

private:
    static constexpr int none = -1, most = static_cast<int>(longest_text) - 1;

    bool next_is(std::string_view characters) const { return !rest_.empty() && characters.find(rest_.front()) != characters.npos; }

    /// Reads a number from the text, or for `*` from the arguments; returns `none` if there is neither. At
    /// most the length of the longest text.
    int number() {
        if (next_is("*")) {
            rest_.remove_prefix(1);
            const auto given = static_cast<std::int32_t>(arguments_.next(false));
            return given == none ? none - 1 : std::clamp(given, -most, most);
        }
        if (!next_is("0123456789")) return none;
        int value = 0;
        for (; next_is("0123456789"); rest_.remove_prefix(1)) value = std::min(value * 10 + (rest_.front() - '0'), most);
        return value;
    }

    std::string_view rest_;
    Arguments& arguments_;
};

std::string print(Warp& warp, std::size_t lane, std::string_view format, std::uint64_t address) {
    Arguments arguments(warp, lane, address);
    std::string out;
    while (!format.empty()) {
        const std::size_t plain = std::min(format.find('%'), format.size());
        out.append(format.data(), plain);
        format.remove_prefix(plain);
        if (format.starts_with("%%")) {
            out += '%';
            format.remove_prefix(2);
        } else if (!format.empty()) {
            ConversionReader reader(format.substr(1), arguments);
            const Conversion conversion = reader.read();
            if (conversion.kind == 0) return out;
            out += formatted(conversion, arguments.next(conversion.is_wide), warp, lane);
            format = reader.rest();
        }
    }
    return out;
}

void stop_by_assertion(Warp& warp, const CallSite& call) {
    const std::size_t lane = first_lane(warp.active);
    const std::string assertion = text_at(warp, lane, argument<std::uint64_t>(warp, lane, call, 0));
    const std::string file = std::filesystem::path(text_at(warp, lane, argument<std::uint64_t>(warp, lane, call, 1))).filename().string();
    const auto line = argument<std::uint32_t>(warp, lane, call, 2);
    throw LaunchStopped(error_assert, warp.launch->message_of(warp, lane, MessageCode::assertion_failed,
                                                              {{"assertion", assertion}, {"file", file}, {"line", line}}));
}

void call_for_lane(Warp& warp, std::size_t lane, const CallSite& call) {
    if (is_of_device_runtime(call.builtin)) return call_device_runtime(warp, lane, call);
    const auto first = argument<std::uint64_t>(warp, lane, call, 0);
    if (call.builtin == "vprintf") {
        constexpr std::uint64_t instructions_of_printf = 100;
        warp.executed += instructions_of_printf;
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

bool is_builtin(std::string_view name) {
    return name == "vprintf" || name == "malloc" || name == "free" || name == "__assertfail" || is_of_device_runtime(name);
}

void call_builtin(Warp& warp, const DecodedInstruction&, const CallSite& call) {
    if (call.builtin == "__assertfail") stop_by_assertion(warp, call);
    warp.progress = true;
    for (const std::size_t lane : lanes_in(warp.active)) call_for_lane(warp, lane, call);
}

}  // namespace simt::interpreter
