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
/// who asks for counts all the same gets the exception NotCounted. The header needs C++17 and nothing else, and no library to link.
#pragma once

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace conflict_free {

/// Thrown where counts are asked for that there are not.
class NotCounted : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Shared-memory work of warp-level instructions.
struct SharedCounts {
    /// Warp-level instructions, the wavefronts that they took, and those that they would take without a bank conflict.
    long long instructions = 0, wavefronts = 0, ideal_wavefronts = 0;
    /// `wavefronts - ideal_wavefronts`.
    long long conflicts = 0;
};

/// Global or local memory work of warp-level instructions.
struct GlobalCounts {
    /// Warp-level instructions, the sectors of 32 bytes that they moved, and the fewest that could hold their bytes.
    long long requests = 0, sectors = 0, ideal_sectors = 0;
    /// Bytes that the lanes asked for.
    long long bytes = 0;

    /// 0 without requests.
    double sectors_per_request() const { return requests == 0 ? 0.0 : static_cast<double>(sectors) / static_cast<double>(requests); }
};

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
    SharedCounts shared_load, shared_store, shared_atomic;
    GlobalCounts global_load, global_store, global_atomic, local_load, local_store;
    /// Barriers of blocks, each counted once a block; shuffles, votes and barriers of warps, each counted once a warp.
    long long barriers = 0, warp_barriers = 0;
    /// The counts are those of the instructions that a GPU executes, as far as the model can tell.
    bool exact = true;
};

/// What ran in a scope.
struct Counts {
    /// Whether all of it was counted. False on a GPU.
    bool counted = false;
    /// Why not, in a sentence. Empty if it was.
    std::string why;
    /// The launches, in order.
    std::vector<Launch> launches;
    /// A line for each race, access out of bounds, and the like, and for each error that ended a kernel.
    std::vector<std::string> hazards, errors;

    /// The sums of all launches; zeros if there was none. @throws NotCounted
    Launch all() const;
    /// The sums of all launches of a kernel. @throws NotCounted @throws std::out_of_range if there was none; it names those there were
    Launch kernel(const std::string& name) const;
};

namespace detail {

/// A value of JSON. What an object's members are called stands in `keys`, in the order of `elements`.
struct Json {
    std::string text;
    long long number = 0;
    std::vector<std::string> keys;
    std::vector<Json> elements;

    const Json& operator[](const char* key) const
    {
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

    Json value()
    {
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
    void skip_space()
    {
        while (*at_ == ' ' || *at_ == '\n' || *at_ == ',' || *at_ == ':') ++at_;
    }

    void read_elements(Json& json, bool named)
    {
        const char closing = named ? '}' : ']';
        ++at_;
        for (skip_space(); *at_ != closing; skip_space()) {
            if (*at_ == '\0') throw std::runtime_error("the counting model's report has no end");
            if (named) json.keys.push_back(string());
            json.elements.push_back(value());
        }
        ++at_;
    }

    std::string string()
    {
        std::string text;
        for (++at_; *at_ != '"' && *at_ != '\0'; ++at_) {
            if (*at_ == '\\') {
                ++at_;
                if (*at_ == 'u') {
                    // Control characters: nobody looks for them.
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

    /// What it has of the launches from a number on, when all of them have ended.
    Json report(unsigned long long first_launch) const
    {
        if (const auto wait = find<int()>("cudaDeviceSynchronize")) wait();
        return Reader(look_(first_launch)).value();
    }

private:
    template <class Function>
    static Function* find(const char* name)
    {
        return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
    }

    unsigned long long (*launches_)();
    const char* (*look_)(unsigned long long);
};

inline SharedCounts shared_counts(const Json& json)
{
    return {json["instructions"].number, json["wavefronts"].number, json["ideal_wavefronts"].number, json["conflicts"].number};
}

inline GlobalCounts global_counts(const Json& json)
{
    return {json["requests"].number, json["sectors"].number, json["ideal_sectors"].number, json["bytes"].number};
}

inline std::array<long long, 3> extent(const Json& json)
{
    std::array<long long, 3> extent{};
    for (std::size_t i = 0; i < extent.size() && i < json.elements.size(); ++i) extent[i] = json.elements[i].number;
    return extent;
}

inline Launch launch(const Json& json)
{
    Launch launch;
    launch.kernel = json["name"].text;
    launch.grid = extent(json["grid"]);
    launch.block = extent(json["block"]);
    launch.shared_bytes = json["shared_bytes"].number;
    launch.shared_load = shared_counts(json["shared_load"]);
    launch.shared_store = shared_counts(json["shared_store"]);
    launch.shared_atomic = shared_counts(json["shared_atomic"]);
    launch.global_load = global_counts(json["global_load"]);
    launch.global_store = global_counts(json["global_store"]);
    launch.global_atomic = global_counts(json["global_atomic"]);
    launch.local_load = global_counts(json["local_load"]);
    launch.local_store = global_counts(json["local_store"]);
    launch.barriers = json["barriers"].number;
    launch.warp_barriers = json["warp_barriers"].number;
    launch.exact = json["exact"].number != 0;
    return launch;
}

inline void add(SharedCounts& sum, const SharedCounts& more)
{
    sum.instructions += more.instructions;
    sum.wavefronts += more.wavefronts;
    sum.ideal_wavefronts += more.ideal_wavefronts;
    sum.conflicts += more.conflicts;
}

inline void add(GlobalCounts& sum, const GlobalCounts& more)
{
    sum.requests += more.requests;
    sum.sectors += more.sectors;
    sum.ideal_sectors += more.ideal_sectors;
    sum.bytes += more.bytes;
}

/// Adds the counts; name, extents and shared memory stay those of the first.
inline void add(Launch& sum, const Launch& more)
{
    if (sum.launches == 0) {
        sum = more;
        return;
    }
    sum.launches += more.launches;
    for (const auto counts : {&Launch::shared_load, &Launch::shared_store, &Launch::shared_atomic}) add(sum.*counts, more.*counts);
    for (const auto counts :
         {&Launch::global_load, &Launch::global_store, &Launch::global_atomic, &Launch::local_load, &Launch::local_store})
        add(sum.*counts, more.*counts);
    sum.barriers += more.barriers;
    sum.warp_barriers += more.warp_barriers;
    sum.exact = sum.exact && more.exact;
}

/// Launches that the model's options have left out.
inline long long uncounted(const Json& report)
{
    long long launches = 0;
    for (const Json& tally : report["uncounted"].elements) launches += tally["launches"].number - tally["counted"].number;
    return launches;
}

/// What a report says of the hazards or errors in a list beyond the first `seen`.
inline std::vector<std::string> messages(const Json& list, std::size_t seen)
{
    std::vector<std::string> found;
    for (std::size_t i = seen; i < list.elements.size(); ++i) {
        const Json& entry = list.elements[i];
        const std::string& kind = entry["kind"].text;
        found.push_back((kind.empty() ? "" : kind + " in " + entry["kernel"].text + ": ") + entry["message"].text);
    }
    return found;
}

inline Counts difference(const Json& before, const Json& after)
{
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

inline Launch Counts::all() const
{
    if (!counted) throw NotCounted("not counted: " + why);
    Launch sum;
    sum.launches = 0;
    for (const Launch& launch : launches) detail::add(sum, launch);
    sum.kernel.clear();
    return sum;
}

inline Launch Counts::kernel(const std::string& name) const
{
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

/// Calls `scope()`, waits for the kernels that it has launched, and returns their counts. What other threads launch meanwhile counts
/// as well. Exceptions of `scope` pass through.
template <class Scope>
Counts counted(Scope&& scope)
{
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
