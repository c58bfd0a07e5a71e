// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "remote/judge/call_log.hpp"

#include <algorithm>

namespace simt::remote {

namespace {

/// The number of calls that are logged one by one; later calls enter sums only.
constexpr std::size_t most_entries = 256, most_notes = 64;

constexpr std::array<const char*, 3> directions{"to_device", "to_host", "within_device"};
constexpr std::array<const char*, 3> copies{"copy_to_device", "copy_to_host", "copy_within_device"};

/// A list in JSON. The texts are the judge's and names of a case, which need no escaping.
std::string list_of(const std::vector<std::string>& texts)
{
    std::string list;
    for (const std::string& text : texts) list += (list.empty() ? "\"" : ", \"") + text + "\"";
    return "[" + list + "]";
}

std::string pair_of(std::uint64_t calls, std::uint64_t bytes)
{
    return "\"calls\": " + std::to_string(calls) + ", \"bytes\": " + std::to_string(bytes);
}

}  // namespace

void CallLog::remember(const char* call, std::size_t bytes, bool continues)
{
    if (continues && !first_.empty() && first_.back().call == call) first_.back().bytes += bytes;
    else if (first_.size() < most_entries) first_.push_back({call, bytes, launches_});
}

void CallLog::copied(Direction direction, std::size_t bytes, bool continues)
{
    const std::size_t which = static_cast<std::size_t>(direction);
    copies_[which].calls += !continues || copies_[which].calls == 0;
    copies_[which].bytes += bytes;
    remember(copies[which], bytes, continues);
}

void CallLog::filled(std::size_t bytes)
{
    fills_.calls += 1;
    fills_.bytes += bytes;
    remember("fill", bytes, false);
}

void CallLog::allocated(std::uint64_t address, std::size_t bytes)
{
    allocations_.calls += 1;
    allocations_.bytes += bytes;
    held_[address] = bytes;
    held_bytes_ += bytes;
    most_held_bytes_ = std::max(most_held_bytes_, held_bytes_);
    remember("allocate", bytes, false);
}

void CallLog::released(std::uint64_t address)
{
    const auto found = held_.find(address);
    if (found == held_.end()) return;
    held_bytes_ -= found->second;
    held_.erase(found);
}

void CallLog::launched(std::size_t parameter_bytes)
{
    ++launches_;
    most_parameter_bytes_ = std::max<std::uint64_t>(most_parameter_bytes_, parameter_bytes);
}

void CallLog::noted(Message message)
{
    if (notes_.size() < most_notes) notes_.push_back(std::move(message));
}

void CallLog::refused(const std::string& what)
{
    if (std::find(refused_.begin(), refused_.end(), what) == refused_.end()) refused_.push_back(what);
}

std::string CallLog::to_json(const std::vector<std::string>& overwritten_inputs, const std::string& data) const
{
    std::string text = "{\"copies\": {";
    for (std::size_t i = 0; i < copies_.size(); ++i)
        text += std::string(i ? ", \"" : "\"") + directions[i] + "\": {" + pair_of(copies_[i].calls, copies_[i].bytes) + "}";
    text += "},\n \"fills\": {" + pair_of(fills_.calls, fills_.bytes) + "},\n \"allocations\": {" +
            pair_of(allocations_.calls, allocations_.bytes) + ", \"most_bytes\": " + std::to_string(most_held_bytes_) +
            "},\n \"launches\": " + std::to_string(launches_) + ",\n \"most_parameter_bytes\": " + std::to_string(most_parameter_bytes_) +
            ",\n \"data\": " + data + ",\n \"refused\": " + list_of(refused_) +
            ",\n \"overwritten_inputs\": " + list_of(overwritten_inputs) + ",\n \"first\": [";
    for (std::size_t i = 0; i < first_.size(); ++i)
        text += std::string(i ? ",\n  " : "") + "{\"call\": \"" + first_[i].call + "\", \"bytes\": " + std::to_string(first_[i].bytes) +
                ", \"launches_before\": " + std::to_string(first_[i].launches) + "}";
    return text + "]}\n";
}

}  // namespace simt::remote
