// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The model's message about a hazard, a fault or a refusal, as data: a code with fields. The texts are in simt/messages.def.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "simt/counts.hpp"

namespace simt {

/// Which message it is. Names in reports are those of name_of(MessageCode).
enum class MessageCode {
#define SIMT_MESSAGE(code, text, help) code,
#include "simt/messages.def"
#undef SIMT_MESSAGE
};

struct Message;

/// A named value of a message.
struct MessageField {
    /// A number below 0 is an std::int64_t, any other an std::uint64_t. Messages are those that are part of this one.
    using Value = std::variant<std::uint64_t, std::int64_t, std::string, Extent, std::vector<Message>>;

    template <std::integral T> MessageField(std::string_view field, T number);
    MessageField(std::string_view field, std::string_view text);
    MessageField(std::string_view field, const char* text);
    MessageField(std::string_view field, const std::string& text);
    MessageField(std::string_view field, const Extent& extent);
    MessageField(std::string_view field, Operation operation);
    MessageField(std::string_view field, std::vector<Message> messages);
    MessageField(const MessageField&);
    MessageField(MessageField&&) noexcept;
    MessageField& operator=(const MessageField&);
    MessageField& operator=(MessageField&&) noexcept;
    ~MessageField();
    bool operator==(const MessageField& other) const;

    std::string name;
    Value value;
};

/// One message.
struct Message {
    Message(MessageCode which = {}, std::initializer_list<MessageField> values = {}) : code(which), fields(values) {}
    /// The order of fields does not count.
    bool operator==(const Message& other) const;

    /// One line of text. If the message lacks a field that its text needs, the name of the field stands in braces.
    std::string text() const;
    /// One sentence on what to do; empty where there is none.
    std::string help() const;
    /// The value of a field, or null.
    const MessageField::Value* find(std::string_view field) const;

    MessageCode code;
    /// In the order in which they were given.
    std::vector<MessageField> fields;
};

/// An error that a message describes.
class MessageError : public std::runtime_error {
public:
    explicit MessageError(Message message) : std::runtime_error(message.text()), message_(std::move(message)) {}
    const Message& message() const { return message_; }

private:
    Message message_;
};

template <std::integral T> MessageField::MessageField(std::string_view field, T number) : name(field) {
    if (std::cmp_less(number, 0)) value = static_cast<std::int64_t>(number);
    else value = static_cast<std::uint64_t>(number);
}

/// Stands for an operation that is not known.
inline constexpr const char* unknown_operation = "access";

/// Returns a name such as "past_allocation".
const char* name_of(MessageCode code);

/// The code of this name, or nothing.
std::optional<MessageCode> find_message_code(std::string_view name);

}  // namespace simt
