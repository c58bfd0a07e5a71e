// The source place of an instruction, as a person would look for it.
#pragma once

#include <string_view>

#include "ptx/module.hpp"
#include "simt/hazard.hpp"

namespace simt::interpreter {

/// Whether a path of `.file` is a header of the toolkit that device code treats as a part of the language: atomic operations, shuffles,
/// vectors, cooperative groups.
bool is_part_of_language(std::string_view path);

/// The place of an instruction in the source, and the calls through which it was inlined. Code of a header that is a part of the
/// language has the place of its use.
SourcePlace source_place(const ptx::Module& text, const ptx::Location& location);

}  // namespace simt::interpreter
