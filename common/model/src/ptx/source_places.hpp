// The source places of instructions: `.file`, `.loc` and `.section .debug_str`.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/lexer.hpp"
#include "ptx/module.hpp"

namespace simt::ptx {

/// Gathers the source places of a module. The names of inlined functions are known only after `.debug_str`, at the end of the text.
class SourcePlaces {
public:
    /// These functions read the rest of their directive.
    void read_file(Lexer& lexer);
    void read_location(Lexer& lexer);
    void read_debug_strings(Lexer& lexer);

    void begin_function();
    const Location& current() const { return current_; }
    /// Puts files and inlinings into `module`.
    void finish(Module& module);

private:
    /// A `.loc` that inlines: label and offset of the function's name, and the call's place.
    struct Inlined {
        std::string_view label;
        std::int64_t offset = 0;
        Location at;
        auto operator<=>(const Inlined&) const = default;
    };

    Location read_place(Lexer& lexer);
    int inlining_of(const Inlined& inlined);
    std::string name_at(const Inlined& inlined) const;
    static std::uint64_t key_of(const Location& place);

    Location current_;
    int most_file_ = 0;
    /// The inline assembly whose place is known.
    int located_assembly_ = 0;
    /// The latest `.loc` of this function at each place.
    std::unordered_map<std::uint64_t, Location> latest_;
    std::map<Inlined, int> inlining_numbers_;
    std::vector<Inlined> inlinings_;
    Numbered<std::string> files_;
    std::string debug_bytes_;
    std::unordered_map<std::string_view, std::size_t> debug_labels_;
};

}  // namespace simt::ptx
