#include "remote/judge/call_log.hpp"

#include <algorithm>
#include <utility>

namespace simt::remote {

namespace {

/// The number of calls that are logged one by one; later calls enter sums only.
constexpr std::size_t most_entries = 256, most_notes = 64;

constexpr std::array<const char*, 3> directions{"to_device", "to_host", "within_device"};
constexpr std::array<const char*, 3> kinds_of_copy{"copy_to_device", "copy_to_host", "copy_within_device"};

}  // namespace

void CallLog::remember(const char* call, std::size_t bytes, bool continues) {
    if (continues && !first_.empty() && first_.back().call == call) first_.back().bytes += bytes;
    else if (first_.size() < most_entries) first_.push_back({call, bytes, launches_});
}

void CallLog::copied(Direction direction, std::size_t bytes, bool continues) {
    const std::size_t which = static_cast<std::size_t>(direction);
    copies_[which].calls += !continues || copies_[which].calls == 0;
    copies_[which].bytes += bytes;
    remember(kinds_of_copy[which], bytes, continues);
}

void CallLog::filled(std::size_t bytes) {
    fills_.calls += 1;
    fills_.bytes += bytes;
    remember("fill", bytes, false);
}

void CallLog::allocated(std::uint64_t address, std::size_t bytes) {
    allocations_.calls += 1;
    allocations_.bytes += bytes;
    held_[address] = bytes;
    held_bytes_ += bytes;
    most_held_bytes_ = std::max(most_held_bytes_, held_bytes_);
    remember("allocate", bytes, false);
}

void CallLog::released(std::uint64_t address) {
    const auto found = held_.find(address);
    if (found == held_.end()) return;
    held_bytes_ -= found->second;
    held_.erase(found);
}

void CallLog::launched(std::size_t parameter_bytes) {
    ++launches_;
    most_parameter_bytes_ = std::max<std::uint64_t>(most_parameter_bytes_, parameter_bytes);
}

void CallLog::noted(Message message) {
    if (notes_.size() < most_notes) notes_.push_back(std::move(message));
}

void CallLog::refused(const std::string& what) {
    if (std::find(refused_.begin(), refused_.end(), what) == refused_.end()) refused_.push_back(what);
}

nlohmann::ordered_json CallLog::to_json(const std::vector<std::string>& overwritten_inputs, nlohmann::ordered_json data) const {
    nlohmann::ordered_json moved, first = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < copies_.size(); ++i) moved[directions[i]] = {{"calls", copies_[i].calls}, {"bytes", copies_[i].bytes}};
    for (const Entry& entry : first_) first.push_back({{"call", entry.call}, {"bytes", entry.bytes}, {"launches_before", entry.launches}});
    return {{"copies", std::move(moved)},
            {"fills", {{"calls", fills_.calls}, {"bytes", fills_.bytes}}},
            {"allocations", {{"calls", allocations_.calls}, {"bytes", allocations_.bytes}, {"most_bytes", most_held_bytes_}}},
            {"launches", launches_},
            {"most_parameter_bytes", most_parameter_bytes_},
            {"data", std::move(data)},
            {"refused", refused_},
            {"overwritten_inputs", overwritten_inputs},
            {"first", std::move(first)}};
}

}  // namespace simt::remote
