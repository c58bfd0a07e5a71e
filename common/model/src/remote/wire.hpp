// Writes numbers, texts and lists as bytes, and reads them. Bytes that do not fit are a ProtocolError.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "remote/protocol.hpp"

namespace simt::remote {

template <class T>
concept Number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// Writes values one after another.
class Writer {
public:
    template <Number T> Writer& operator()(const T& value) {
        append(&value, sizeof value);
        return *this;
    }
    Writer& operator()(const bool& value) { return (*this)(std::uint8_t{value}); }
    template <class T>
        requires std::is_enum_v<T>
    Writer& choice(const T& value, T) {
        return (*this)(static_cast<std::uint8_t>(value));
    }
    Writer& operator()(std::string_view text) {
        (*this)(static_cast<std::uint32_t>(text.size()));
        append(text.data(), text.size());
        return *this;
    }
    Writer& operator()(const std::string& text) { return (*this)(std::string_view(text)); }
    template <class T, std::size_t count> Writer& operator()(const std::array<T, count>& values) {
        for (const T& value : values) (*this)(value);
        return *this;
    }
    template <class T> Writer& operator()(const std::vector<T>& values) {
        (*this)(static_cast<std::uint32_t>(values.size()));
        for (const T& value : values) (*this)(value);
        return *this;
    }

    /// Appends room for data, which the caller fills.
    std::uint8_t* extend(std::size_t bytes) {
        const std::size_t at = data_.size();
        data_.resize(at + bytes);
        return data_.data() + at;
    }

    const std::vector<std::uint8_t>& data() const { return data_; }

private:
    /// Not inlined: GCC 12 would warn of sizes that a vector never has.
    [[gnu::noinline]] void append(const void* from, std::size_t bytes) {
        if (bytes == 0) return;
        const auto* const begin = static_cast<const std::uint8_t*>(from);
        data_.insert(data_.end(), begin, begin + bytes);
    }

    std::vector<std::uint8_t> data_;
};

/// Reads values in the order in which a Writer wrote them.
class Reader {
public:
    explicit Reader(std::span<const std::uint8_t> data) : data_(data) {}

    template <Number T> Reader& operator()(T& value) {
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return *this;
    }
    Reader& operator()(bool& value) {
        const std::uint8_t byte = number<std::uint8_t>();
        if (byte > 1) throw ProtocolError(MessageCode::bad_truth_value);
        value = byte != 0;
        return *this;
    }
    /// A value of an enumeration whose greatest is `last`.
    template <class T>
        requires std::is_enum_v<T>
    Reader& choice(T& value, T last) {
        const std::uint8_t byte = number<std::uint8_t>();
        if (byte > static_cast<std::uint8_t>(last)) throw ProtocolError(MessageCode::bad_choice);
        value = static_cast<T>(byte);
        return *this;
    }
    Reader& operator()(std::string& text) {
        const std::span<const std::uint8_t> taken = take(number<std::uint32_t>());
        text.assign(reinterpret_cast<const char*>(taken.data()), taken.size());
        return *this;
    }
    template <class T, std::size_t count> Reader& operator()(std::array<T, count>& values) {
        for (T& value : values) (*this)(value);
        return *this;
    }
    template <class T> Reader& operator()(std::vector<T>& values) {
        const std::uint32_t count = number<std::uint32_t>();
        // An element takes at least a byte.
        if (count > data_.size()) throw ProtocolError(MessageCode::list_too_long);
        values.clear();
        for (std::uint32_t i = 0; i < count; ++i) (*this)(values.emplace_back());
        return *this;
    }

    template <class T> T number() {
        T value{};
        (*this)(value);
        return value;
    }
    std::string text() {
        std::string value;
        (*this)(value);
        return value;
    }
    /// The bytes that are left.
    std::span<const std::uint8_t> rest() { return take(data_.size()); }
    /// Fails if bytes are left. To be called after the last value.
    void end() const {
        if (!data_.empty()) throw ProtocolError(MessageCode::packet_too_long);
    }

private:
    std::span<const std::uint8_t> take(std::size_t bytes) {
        if (bytes > data_.size()) throw ProtocolError(MessageCode::packet_too_short);
        const std::span<const std::uint8_t> taken = data_.first(bytes);
        data_ = data_.subspan(bytes);
        return taken;
    }

    std::span<const std::uint8_t> data_;
};

}  // namespace simt::remote
