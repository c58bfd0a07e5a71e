#include "device/host_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>

namespace simt::memory {

namespace {

using std::filesystem::path;

/// The number behind a name in a file of lines `NAME NUMBER`; 0 if there is none.
std::uint64_t number_in(const path& file, const std::string& name) {
    std::ifstream lines(file);
    for (std::string word; lines >> word;)
        if (std::uint64_t number = 0; word == name && lines >> number) return number;
    return 0;
}

/// The number that is all of a file; the largest number if there is no such file or no limit in it.
std::uint64_t number_of(const path& file) {
    std::uint64_t number = 0;
    return std::ifstream(file) >> number ? number : UINT64_MAX;
}

/// The names of the files of a control group, of the first or the second version.
struct GroupFiles { const char *limit, *used, *reclaimed; };

/// Lowers `memory` to the limits of the group in `folder` and of each group around it up to `top`.
void limit_by_groups(HostMemory& memory, const path& top, path group, const GroupFiles& files) {
    for (bool is_top = false; !is_top; group = group.parent_path()) {
        is_top = !group.has_relative_path();
        const path folder = top / group.relative_path();
        const std::uint64_t limit = number_of(folder / files.limit), used = number_of(folder / files.used);
        if (limit >= memory.all || used == UINT64_MAX) continue;
        // Files that are cached and not in use give way.
        const std::uint64_t in_use = used - std::min(used, number_in(folder / "memory.stat", files.reclaimed));
        memory = {limit, std::min(memory.left, limit - std::min(limit, in_use))};
    }
}

Message message_of(const HostMemory& memory) {
    return {MessageCode::no_memory_left, {{"left", memory.left >> 20}, {"all", memory.all >> 20}}};
}

}  // namespace

HostMemory HostMemory::of(const path& root) {
    constexpr std::uint64_t kibi = 1024;
    const path machine = root / "proc/meminfo";
    HostMemory memory{kibi * number_in(machine, "MemTotal:"),
                      kibi * (number_in(machine, "MemAvailable:") + number_in(machine, "SwapFree:"))};
    if (memory.all == 0) {
        memory.all = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
        memory.left = memory.all;
    }
    std::ifstream groups(root / "proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
        if (controllers.empty()) limit_by_groups(memory, root / "sys/fs/cgroup", group, {"memory.max", "memory.current", "inactive_file"});
        else if (controllers == "memory")
            limit_by_groups(memory, root / "sys/fs/cgroup/memory", group,
                            {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"});
    }
    return memory;
}

std::uint64_t HostMemory::kept_free() const {
    if (const char* wanted = std::getenv("SIMT_KEEP_FREE")) return std::strtoull(wanted, nullptr, 10);
    constexpr std::uint64_t least = std::uint64_t{64} << 20, most = std::uint64_t{1} << 30;
    return std::clamp(all / 16, least, most);
}

std::optional<Message> no_memory_left() {
    using Clock = std::chrono::steady_clock;
    constexpr Clock::rep between_looks = std::chrono::duration_cast<Clock::duration>(std::chrono::milliseconds(20)).count();
    static std::atomic<Clock::rep> next_look{0};
    const Clock::rep now = Clock::now().time_since_epoch().count();
    Clock::rep due = next_look.load(std::memory_order_relaxed);
    // Only one of several host threads looks.
    if (now < due || !next_look.compare_exchange_strong(due, now + between_looks, std::memory_order_relaxed)) return {};
    return no_memory_left_after(0);
}

std::optional<Message> no_memory_left_after(std::uint64_t bytes) {
    const HostMemory memory = HostMemory::of();
    if (memory.left >= bytes && memory.left - bytes >= memory.kept_free()) return {};
    return message_of(memory);
}

}  // namespace simt::memory
