// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "symbols.hpp"

#include <link.h>

#include <algorithm>

/// The first and the last of the program's variables, if it has any: the linker's names for the ends of their section.
extern "C" [[gnu::weak]] const simt::DeviceSymbol __start_simt_device_symbols[], __stop_simt_device_symbols[];

namespace simt::detail {

Symbols& Symbols::instance()
{
    static Symbols symbols;
    return symbols;
}

Symbols::Symbols()
{
    for (const DeviceSymbol* symbol = __start_simt_device_symbols; symbol != __stop_simt_device_symbols; ++symbol)
        symbols_.push_back({reinterpret_cast<std::uint64_t>(symbol->address), symbol->bytes, symbol->name, symbol->space});
    std::ranges::sort(symbols_, {}, &Symbol::begin);
}

const Symbol* Symbols::find(std::uint64_t address) const
{
    const auto after = std::ranges::upper_bound(symbols_, address, {}, &Symbol::begin);
    if (after == symbols_.begin()) return nullptr;
    const Symbol& symbol = *std::prev(after);
    return symbol.contains(address) ? &symbol : nullptr;
}

bool is_read_only_data(std::uint64_t address)
{
    struct Query {
        std::uint64_t address;
        bool found;
    } query{address, false};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            auto& q = *static_cast<Query*>(data);
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const auto& segment = info->dlpi_phdr[i];
                const bool holds = q.address - (info->dlpi_addr + segment.p_vaddr) < segment.p_memsz;
                // Relocated constants lie in a writable segment that is protected once they are in place.
                if (holds && ((segment.p_type == PT_LOAD && !(segment.p_flags & PF_W)) || segment.p_type == PT_GNU_RELRO)) q.found = true;
            }
            return q.found ? 1 : 0;
        },
        &query);
    return query.found;
}

}  // namespace simt::detail
