// The codes of messages, and their texts with the fields filled in.

#include "simt/message.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace simt {

namespace {

struct Words { const char *name, *text, *help; };

constexpr std::array all_words{
#define SIMT_MESSAGE(code, text, help) Words{#code, text, help},
#include "simt/messages.def"
#undef SIMT_MESSAGE
};

const Words& words_of(MessageCode code) { return all_words[static_cast<std::size_t>(code)]; }

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

std::string hexadecimal(std::uint64_t number) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
    return text.data();
}

/// Writes a value as text, in the style that follows its name.
struct Styled {
    std::string_view style;

    std::string operator()(std::uint64_t number) const {
        if (style == "bytes") return bytes_text(number);
        if (style == "past") return number == 0 ? "right behind" : bytes_text(number) + " past";
        if (style == "hex") return hexadecimal(number);
        return std::to_string(number);
    }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(const std::string& text) const {
        if (style != "does") return text;
        if (text == name_of(Operation::load)) return "reads";
        return text == name_of(Operation::atomic) ? "updates" : text == unknown_operation ? "accesses" : "writes";
    }
    std::string operator()(const Extent& extent) const {
        const std::string between = style == "size" ? " x " : ", ";
        const std::string numbers = std::to_string(extent.x) + between + std::to_string(extent.y) + between + std::to_string(extent.z);
        return style == "size" ? numbers : "(" + numbers + ")";
    }
    std::string operator()(const std::vector<Message>& messages) const {
        std::string text;
        for (const Message& message : messages) text += (text.empty() ? "" : "; ") + message.text();
        return text;
    }
};

/// Fills fields into `text`. `is_whole` becomes false if one is missing.
std::string filled(const Message& message, std::string_view text, bool& is_whole) {
    std::string out;
    while (!text.empty()) {
        const std::size_t next = text.find_first_of("{[");
        out += text.substr(0, next);
        if (next == std::string_view::npos) break;
        const std::size_t end = text.find(text[next] == '{' ? '}' : ']', next);
        const std::string_view inside = text.substr(next + 1, end - next - 1);
        if (text[next] == '[') {
            bool has_all = true;
            const std::string optional = filled(message, inside, has_all);
            if (has_all) out += optional;
        } else {
            const std::size_t colon = std::min(inside.find(':'), inside.size());
            const MessageField::Value* const value = message.find(inside.substr(0, colon));
            is_whole &= value != nullptr;
            const std::string_view style = inside.substr(std::min(colon + 1, inside.size()));
            out += value ? std::visit(Styled{style}, *value) : std::string(text.substr(next, end + 1 - next));
        }
        text.remove_prefix(end + 1);
    }
    return out;
}

}  // namespace

// Defined here because nvcc wants a complete Message where a vector of Message is destroyed.
MessageField::MessageField(std::string_view field, std::string_view text) : name(field), value(std::string(text)) {}
MessageField::MessageField(std::string_view field, const char* text) : name(field), value(std::string(text)) {}
MessageField::MessageField(std::string_view field, const std::string& text) : name(field), value(text) {}
MessageField::MessageField(std::string_view field, const Extent& extent) : name(field), value(extent) {}
MessageField::MessageField(std::string_view field, Operation operation) : MessageField(field, name_of(operation)) {}
MessageField::MessageField(std::string_view field, std::vector<Message> messages) : name(field), value(std::move(messages)) {}
MessageField::MessageField(const MessageField&) = default;
MessageField::MessageField(MessageField&&) noexcept = default;
MessageField& MessageField::operator=(const MessageField&) = default;
MessageField& MessageField::operator=(MessageField&&) noexcept = default;
MessageField::~MessageField() = default;

bool MessageField::operator==(const MessageField& other) const { return name == other.name && value == other.value; }

bool Message::operator==(const Message& other) const { return code == other.code && std::ranges::is_permutation(fields, other.fields); }

std::string Message::text() const {
    bool is_whole = true;
    return filled(*this, words_of(code).text, is_whole);
}

std::string Message::help() const { return words_of(code).help; }

const MessageField::Value* Message::find(std::string_view field) const {
    const auto found = std::ranges::find(fields, field, &MessageField::name);
    return found == fields.end() ? nullptr : &found->value;
}

const char* name_of(MessageCode code) { return words_of(code).name; }

std::optional<MessageCode> find_message_code(std::string_view name) {
    const auto* const found = std::ranges::find(all_words, name, &Words::name);
    if (found == all_words.end()) return {};
    return static_cast<MessageCode>(found - all_words.begin());
}

}  // namespace simt
