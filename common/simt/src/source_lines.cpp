// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "simt/model.hpp"

#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <unordered_map>

namespace simt {

namespace {

/// The debug information of the running program.
class DebugInformation {
public:
    DebugInformation()
    {
        static const Dwfl_Callbacks callbacks = {
            .find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo, .section_address = nullptr, .debuginfo_path = nullptr};
        dwfl_.reset(dwfl_begin(&callbacks));
        if (!dwfl_) return;
        dwfl_report_begin(dwfl_.get());
        dwfl_linux_proc_report(dwfl_.get(), getpid());
        dwfl_report_end(dwfl_.get(), nullptr, nullptr);
    }

    SourcePlace find(std::uint64_t address) const
    {
        if (!dwfl_) return {};
        Dwfl_Line* line = dwfl_getsrc(dwfl_.get(), address);
        if (!line) return {};
        SourcePlace found;
        const char* file = dwfl_lineinfo(line, nullptr, &found.line, nullptr, nullptr, nullptr);
        if (file) found.file = std::filesystem::path(file).filename().string();
        return found;
    }

private:
    struct End {
        void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
    };
    std::unique_ptr<Dwfl, End> dwfl_;
};

/// The full address of a site: the one nearest to this program's own code with these low 32 bits.
std::uint64_t full_address(std::uint32_t site)
{
    const auto here = reinterpret_cast<std::uint64_t>(&full_address);
    return here + static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(site - static_cast<std::uint32_t>(here))));
}

}  // namespace

SourcePlace source_place(std::uint32_t site)
{
    static const DebugInformation debug_information;
    static std::unordered_map<std::uint32_t, SourcePlace> known;
    const auto [entry, is_new] = known.try_emplace(site);
    // A site is the address behind a call; one byte before it lies inside the call.
    if (is_new) entry->second = debug_information.find(full_address(site) - 1);
    return entry->second;
}

}  // namespace simt
