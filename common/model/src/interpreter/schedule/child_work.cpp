#include "interpreter/schedule/child_work.hpp"

#include <cstring>
#include <utility>

#include "device/address_space.hpp"

namespace simt::interpreter {

namespace {

using memory::AddressSpace;

/// The handle of cudaStreamTailLaunch, whose launches run after everything else.
constexpr std::uint64_t tail_stream = 3;

}  // namespace

ChildWorks::~ChildWorks() {
    for (const auto& [buffer, launch] : prepared_) AddressSpace::instance().release(buffer);
}

std::uint64_t ChildWorks::prepare(ChildWork launch) {
    const std::uint64_t buffer = AddressSpace::instance().allocate(parameter_bytes);
    const std::scoped_lock lock(mutex_);
    if (buffer != 0) prepared_[buffer] = std::move(launch);
    return buffer;
}

bool ChildWorks::start(std::uint64_t block, std::uint64_t buffer, std::uint64_t stream) {
    const std::scoped_lock lock(mutex_);
    const auto found = prepared_.find(buffer);
    if (found == prepared_.end()) return false;
    ChildWork launch = std::move(found->second);
    prepared_.erase(found);
    launch.parameters.resize(parameter_bytes);
    std::memcpy(launch.parameters.data(), AddressSpace::instance().host_bytes(buffer, parameter_bytes), parameter_bytes);
    AddressSpace::instance().release(buffer);
    insert(block, std::move(launch), stream);
    return true;
}

void ChildWorks::add(std::uint64_t block, ChildWork work, std::uint64_t stream) {
    const std::scoped_lock lock(mutex_);
    insert(block, std::move(work), stream);
}

void ChildWorks::insert(std::uint64_t block, ChildWork work, std::uint64_t stream) {
    works_.emplace(Order{stream == tail_stream, block, sequence_++}, std::move(work));
}

std::vector<ChildWork> ChildWorks::take() {
    const std::scoped_lock lock(mutex_);
    std::vector<ChildWork> all;
    for (auto& [order, work] : works_) all.push_back(std::move(work));
    works_.clear();
    return all;
}

}  // namespace simt::interpreter
