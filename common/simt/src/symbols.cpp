// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "symbols.hpp"

#include <link.h>

#include <algorithm>

namespace simt {

namespace detail {

Symbols& Symbols::instance()
{
    static Symbols symbols;
    return symbols;
}

void Symbols::add(Symbol symbol)
{
    const auto after = std::ranges::upper_bound(symbols_, symbol.begin, {}, &Symbol::begin);
    symbols_.insert(after, std::move(symbol));
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

}  // namespace detail

DeviceSymbol::DeviceSymbol(const void* address, std::size_t bytes, const char* name, SymbolSpace space)
{
    detail::Symbols::instance().add({reinterpret_cast<std::uint64_t>(address), bytes, name, space});
}

}  // namespace simt
