// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The counts of what runs in a scope, for tests:
/// @code
/// const auto counts = conflict_free::counted([&] { transpose<<<grid, block>>>(out, in); });
/// if (!counts.counted) GTEST_SKIP() << counts.why;
/// EXPECT_EQ(counts.kernel("transpose").shared_load.conflicts, 0);
/// @endcode
/// Under the counting model, as with `conflict-free run ./tests`, there are counts. On a GPU there are none: `counted` is false, and
/// asking for counts throws NotCounted. The header needs C++17 and simt/counts.def, which is installed with it, and no library to link.
#pragma once

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace conflict_free {

/// Thrown where counts are asked for and there are none.
class NotCounted : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Shared-memory work of warp-level instructions: the instructions, the wavefronts that they took and would take without a bank conflict,
/// and `conflicts`, which are `wavefronts - ideal_wavefronts`.
struct SharedCounts {
#define SIMT_SHARED_COUNT(name, member) long long name = 0;
#define SIMT_SHARED_RESULT(name, member) long long name = 0;
#include "../simt/counts.def"
};

/// Global or local memory work of warp-level instructions: the requests, the sectors of 32 bytes that they moved, the fewest that could hold
/// their bytes, and the bytes that the lanes asked for.
struct GlobalCounts {
#define SIMT_GLOBAL_COUNT(name, member) long long name = 0;
#include "../simt/counts.def"

    /// 0 without requests.
    double sectors_per_request() const { return requests == 0 ? 0.0 : static_cast<double>(sectors) / static_cast<double>(requests); }
};

/// Loads of constant memory: warp-level instructions, and the distinct words of 4 bytes that they read.
struct ConstantCounts {
#define SIMT_CONSTANT_COUNT(name, member) long long name = 0;
#include "../simt/counts.def"
};

/// Accesses to textures and surfaces: requests, and the bytes that the lanes asked for.
struct TextureCounts {
#define SIMT_TEXTURE_COUNT(name, member) long long name = 0;
#include "../simt/counts.def"
};

namespace detail {

using shared = SharedCounts;
using global = GlobalCounts;
using constant = ConstantCounts;
using texture = TextureCounts;

}  // namespace detail

/// The counts of one launch, or of several.
struct Launch {
    /// The kernel's name, without its parameters.
    std::string kernel;
    /// How many launches these are the sums of.
    long long launches = 1;
    /// Extents of the first of them, x first.
    std::array<long long, 3> grid{}, block{};
    /// Static and dynamic shared memory of a block of the first of them, in bytes.
    long long shared_bytes = 0;
    /// The sums over its accesses, such as `shared_load`, `global_store` and `texture_load`, and its other counts, such as `barriers`:
    /// simt/counts.def lists them.
#define SIMT_TOTAL(name, type, kind, ...) detail::kind name;
#define SIMT_NUMBER(name) long long name = 0;
#include "../simt/counts.def"
    /// The counts are those of the instructions that a GPU executes, as far as the model can tell.
    bool exact = true;
};

/// The launches of a scope, with their counts.
struct Counts {
    /// Whether all of it was counted. False on a GPU.
    bool counted = false;
    /// Why not, in a sentence. Empty if it was.
    std::string why;
    /// The launches, in order.
    std::vector<Launch> launches;
    /// A line for each hazard, such as a race, and for each error that ended a kernel.
    std::vector<std::string> hazards, errors;

    /// The sums of all launches; zeros if there was none. @throws NotCounted
    Launch all() const;
    /// The sums of all launches of a kernel. @throws NotCounted @throws std::out_of_range if there was none; it names those there were
    Launch kernel(const std::string& name) const;
};

namespace detail {

/// A value of JSON. `keys` holds the names of an object's members, in the order of `elements`.
struct Json {
    std::string text;
    long long number = 0;
    std::vector<std::string> keys;
    std::vector<Json> elements;

    const Json& operator[](const char* key) const {
        static const Json nothing;
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (keys[i] == key) return elements[i];
        return nothing;
    }
};

/// Reads the model's report, which is well formed.
class Reader {
public:
    explicit Reader(const char* text) : at_(text) {}

    Json value() {
        skip_space();
        Json json;
        if (*at_ == '{' || *at_ == '[') {
            read_elements(json, *at_ == '{');
        } else if (*at_ == '"') {
            json.text = string();
        } else if (*at_ == 't' || *at_ == 'f' || *at_ == 'n') {
            json.number = *at_ == 't';
            while (*at_ >= 'a' && *at_ <= 'z') ++at_;
        } else {
            char* end = nullptr;
            json.number = std::strtoll(at_, &end, 10);
            std::strtod(at_, &end);
            if (end == at_) throw std::runtime_error("the counting model's report cannot be read");
            at_ = end;
        }
        return json;
    }

private:
    void skip_space() {
        while (*at_ == ' ' || *at_ == '\n' || *at_ == ',' || *at_ == ':') ++at_;
    }

    void read_elements(Json& json, bool named) {
        const char closing = named ? '}' : ']';
        ++at_;
        for (skip_space(); *at_ != closing; skip_space()) {
            if (*at_ == '\0') throw std::runtime_error("the counting model's report has no end");
            if (named) json.keys.push_back(string());
            json.elements.push_back(value());
        }
        ++at_;
    }

    std::string string() {
        std::string text;
        for (++at_; *at_ != '"' && *at_ != '\0'; ++at_) {
            if (*at_ == '\\') {
                ++at_;
                if (*at_ == 'u') {
                    // A control character becomes a blank.
                    for (int digit = 0; digit < 4 && at_[1] != '\0'; ++digit) ++at_;
                    text += ' ';
                    continue;
                }
            }
            text += *at_;
        }
        if (*at_ == '"') ++at_;
        return text;
    }

    const char* at_;
};

/// The functions of the model's library that this process has loaded, if it has.
class Model {
public:
    Model() : launches_(find<unsigned long long()>("simt_launches")), look_(find<const char*(unsigned long long)>("simt_look_at_report")) {}

    bool is_there() const { return launches_ && look_; }
    unsigned long long launches() const { return launches_(); }

    /// Waits for all launches to end, and returns the report on those from number `first_launch` on.
    Json report(unsigned long long first_launch) const {
        if (const auto wait = find<int()>("cudaDeviceSynchronize")) wait();
        return Reader(look_(first_launch)).value();
    }

private:
    template <class Function> static Function* find(const char* name) { return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name)); }

    unsigned long long (*launches_)();
    const char* (*look_)(unsigned long long);
};

template <class Counts> void read(const Json& json, Counts& counts) {
#define SIMT_COUNT(kind, name, member) \
    if constexpr (std::is_same_v<Counts, kind>) counts.name = json[#name].number;
#define SIMT_SHARED_RESULT(name, member) SIMT_COUNT(shared, name, member)
#include "../simt/counts.def"
}

inline std::array<long long, 3> extent(const Json& json) {
    std::array<long long, 3> extent{};
    for (std::size_t i = 0; i < extent.size() && i < json.elements.size(); ++i) extent[i] = json.elements[i].number;
    return extent;
}

inline Launch launch(const Json& json) {
    Launch launch;
    launch.kernel = json["name"].text;
    launch.grid = extent(json["grid"]);
    launch.block = extent(json["block"]);
    launch.shared_bytes = json["shared_bytes"].number;
#define SIMT_TOTAL(name, type, kind, parent, key, ...) read(parent[0] ? json[parent][key] : json[key], launch.name);
#define SIMT_NUMBER(name) launch.name = json[#name].number;
#include "../simt/counts.def"
    launch.exact = json["exact"].number != 0;
    return launch;
}

template <class Counts> void add(Counts& sum, const Counts& more) {
#define SIMT_COUNT(kind, name, member) \
    if constexpr (std::is_same_v<Counts, kind>) sum.name += more.name;
#define SIMT_SHARED_RESULT(name, member) SIMT_COUNT(shared, name, member)
#include "../simt/counts.def"
}

/// Adds the counts; name, extents and shared memory stay those of the first.
inline void add(Launch& sum, const Launch& more) {
    if (sum.launches == 0) {
        sum = more;
        return;
    }
    sum.launches += more.launches;
#define SIMT_TOTAL(name, ...) add(sum.name, more.name);
#define SIMT_NUMBER(name) sum.name += more.name;
#include "../simt/counts.def"
    sum.exact = sum.exact && more.exact;
}

/// Launches that the model's options have left out.
inline long long uncounted(const Json& report) {
    long long launches = 0;
    for (const Json& tally : report["uncounted"].elements) launches += tally["launches"].number - tally["counted"].number;
    return launches;
}

/// The messages of the hazards or errors in a list beyond the first `seen`.
inline std::vector<std::string> messages(const Json& list, std::size_t seen) {
    std::vector<std::string> found;
    for (std::size_t i = seen; i < list.elements.size(); ++i) {
        const Json& entry = list.elements[i];
        const std::string& kind = entry["kind"].text;
        found.push_back((kind.empty() ? "" : kind + " in " + entry["kernel"].text + ": ") + entry["message"].text);
    }
    return found;
}

inline Counts difference(const Json& before, const Json& after) {
    Counts counts;
    bool whole = uncounted(after) == uncounted(before);
    for (const Json& kernel : after["kernels"].elements) {
        counts.launches.push_back(launch(kernel));
        whole = whole && kernel["counted_blocks"].number == 0;
    }
    counts.hazards = messages(after["hazards"], before["hazards"].elements.size());
    counts.errors = messages(after["errors"], before["errors"].elements.size());
    counts.counted = whole;
    if (!whole) counts.why = "not all of it was counted: --launches, --blocks or --budget of conflict-free left some out";
    return counts;
}

}  // namespace detail

inline Launch Counts::all() const {
    if (!counted) throw NotCounted("not counted: " + why);
    Launch sum;
    sum.launches = 0;
    for (const Launch& launch : launches) detail::add(sum, launch);
    sum.kernel.clear();
    return sum;
}

inline Launch Counts::kernel(const std::string& name) const {
    if (!counted) throw NotCounted("not counted: " + why);
    Launch sum;
    sum.launches = 0;
    std::string others;
    for (const Launch& launch : launches) {
        if (launch.kernel == name) detail::add(sum, launch);
        else others += (others.empty() ? "" : ", ") + launch.kernel;
    }
    if (sum.launches == 0)
        throw std::out_of_range("no launch of '" + name + "' was counted; launched: " + (others.empty() ? "nothing" : others));
    return sum;
}

/// Calls `scope()`, waits for the kernels that it has launched, and returns their counts. Launches of other threads meanwhile count
/// as well. Exceptions of `scope` pass through.
template <class Scope> Counts counted(Scope&& scope) {
    const detail::Model model;
    if (!model.is_there()) {
        std::forward<Scope>(scope)();
        Counts counts;
        counts.why = "this program does not run under the counting model; conflict-free run starts it there";
        return counts;
    }
    const unsigned long long first = model.launches();
    const detail::Json before = model.report(first);
    std::forward<Scope>(scope)();
    return detail::difference(before, model.report(first));
}

}  // namespace conflict_free
