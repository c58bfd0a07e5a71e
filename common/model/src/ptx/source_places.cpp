#include "ptx/source_places.hpp"

#include <algorithm>
#include <utility>

#include "ptx/constant.hpp"

namespace simt::ptx {

namespace {

constexpr int bits_of_column = 16, bits_of_line = 28, bits_of_file = 20;

std::string without_escapes(std::string_view text) {
    std::string path;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) ++i;
        path += text[i];
    }
    return path;
}

}  // namespace

void SourcePlaces::read_file(Lexer& lexer) {
    const auto number = static_cast<std::size_t>(parse_number(lexer, "the number of a file", 0, (1 << bits_of_file) - 1));
    std::string path = without_escapes(lexer.expect_string());
    if (lexer.at(Token::Kind::string)) path.append(1, '/').append(without_escapes(lexer.expect_string()));
    // The file's modification time and size may follow.
    while (lexer.accept(',')) parse_integer(lexer);
    if (files_.size() <= number) files_.resize(number + 1);
    files_[number] = std::move(path);
}

Location SourcePlaces::read_place(Lexer& lexer) {
    Location place;
    place.file = static_cast<int>(parse_number(lexer, "the number of a file", 0, (1 << bits_of_file) - 1));
    place.line = static_cast<int>(parse_number(lexer, "a line", 0, (1 << bits_of_line) - 1));
    place.column = static_cast<int>(parse_number(lexer, "a column", 0, (1 << bits_of_column) - 1));
    most_file_ = std::max(most_file_, place.file);
    return place;
}

void SourcePlaces::read_location(Lexer& lexer) {
    // Compilers of LLVM number the lines of inline assembly. All of them stand at the line of the first, that of the statement.
    const int assembly = lexer.assembly();
    Location place = read_place(lexer);
    if (lexer.accept(',')) {
        Inlined inlined;
        if (lexer.expect_identifier("function_name") != "function_name")
            lexer.fail("a .loc without function_name, accepted: function_name LABEL, inlined_at");
        inlined.label = lexer.expect_identifier("a label in .debug_str");
        if (lexer.accept('+')) inlined.offset = parse_integer(lexer);
        lexer.expect(',');
        if (lexer.expect_identifier("inlined_at") != "inlined_at")
            lexer.fail("a .loc without inlined_at, accepted: inlined_at FILE LINE COLUMN");
        inlined.at = read_place(lexer);
        // The call itself may be in an inlined function: its own .loc came before and says so.
        if (const auto outer = latest_.find(key_of(inlined.at)); outer != latest_.end()) inlined.at = outer->second;
        place.inlined = inlining_of(inlined) + 1;
    }
    if (assembly != 0 && std::exchange(located_assembly_, assembly) == assembly) return;
    latest_[key_of(place)] = place;
    current_ = place;
}

void SourcePlaces::read_debug_strings(Lexer& lexer) {
    lexer.expect('{');
    while (!lexer.accept('}')) {
        if (lexer.at(Token::Kind::identifier)) {
            debug_labels_[lexer.next().text] = debug_bytes_.size();
            lexer.expect(':');
            continue;
        }
        if (!lexer.accept_dotted("b8")) lexer.fail("got " + lexer.given() + " in .debug_str, accepted: labels and .b8");
        do debug_bytes_ += static_cast<char>(parse_number(lexer, "a byte", 0, 255));
        while (lexer.accept(','));
    }
}

void SourcePlaces::begin_function() {
    current_ = {};
    latest_.clear();
}

void SourcePlaces::finish(Module& module) {
    files_.resize(std::max(files_.size(), static_cast<std::size_t>(most_file_) + 1));
    module.files = std::move(files_);
    module.inlinings.reserve(inlinings_.size());
    for (const Inlined& inlined : inlinings_) module.inlinings.push_back({name_at(inlined), inlined.at});
}

int SourcePlaces::inlining_of(const Inlined& inlined) {
    const auto [entry, added] = inlining_numbers_.try_emplace(inlined, static_cast<int>(inlinings_.size()));
    if (added) inlinings_.push_back(inlined);
    return entry->second;
}

/// The name in `.debug_str`; empty where there is none, since a missing name must not stop a program.
std::string SourcePlaces::name_at(const Inlined& inlined) const {
    const auto label = debug_labels_.find(inlined.label);
    if (label == debug_labels_.end() || inlined.offset < 0) return {};
    const auto offset = static_cast<std::uint64_t>(inlined.offset);
    if (offset >= debug_bytes_.size() - label->second) return {};
    const std::size_t begin = label->second + offset;
    return debug_bytes_.substr(begin, debug_bytes_.find('\0', begin) - begin);
}

std::uint64_t SourcePlaces::key_of(const Location& place) {
    const auto file = static_cast<std::uint64_t>(place.file), line = static_cast<std::uint64_t>(place.line);
    return (file << bits_of_line | line) << bits_of_column | static_cast<std::uint64_t>(place.column);
}

}  // namespace simt::ptx
