// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <vector_types.h>

#include "recorder.hpp"

void simt::record_vector_copy(const void* destination, const void* source, std::size_t bytes, const void* site)
{
    const auto size = static_cast<std::uint16_t>(bytes);
    detail::record_load(reinterpret_cast<std::uint64_t>(source), size, site);
    detail::record_store(reinterpret_cast<std::uint64_t>(destination), size, site);
}
