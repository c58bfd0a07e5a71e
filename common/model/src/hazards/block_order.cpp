#include "hazards/block_order.hpp"

#include <algorithm>

namespace simt::hazards {

namespace {

std::size_t hash_of(std::uint64_t address) { return static_cast<std::size_t>(address * 0x9E3779B97F4A7C15u >> 32); }

}  // namespace

const BlockReleases::Slot& BlockReleases::slot_of(std::uint64_t address) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash_of(address) & mask;
    while (slots_[i].last != 0 && slots_[i].address != address) i = (i + 1) & mask;
    return slots_[i];
}

void BlockReleases::grow() {
    std::vector<Slot> old(std::max<std::size_t>(4, slots_.size() * 2));
    old.swap(slots_);
    for (const Slot& slot : old)
        if (slot.last != 0) const_cast<Slot&>(slot_of(slot.address)) = slot;
}

void BlockReleases::add(std::uint64_t address) {
    if (used_ * 4 >= slots_.size() * 3) grow();
    auto& slot = const_cast<Slot&>(slot_of(address));
    used_ += slot.last == 0;
    count_ = std::min(count_ + 1, most_releases);
    slot = {address, count_};
}

bool BlockReleases::meets(const BlockReleases& other, std::uint32_t release) const {
    if (used_ == 0 || other.used_ == 0) return false;
    const auto reaches = [&](std::uint32_t last) { return last > release || last == most_releases; };
    if (used_ <= other.used_)
        return std::ranges::any_of(slots_, [&](const Slot& slot) { return slot.last != 0 && reaches(other.slot_of(slot.address).last); });
    return std::ranges::any_of(other.slots_,
                               [&](const Slot& slot) { return slot.last != 0 && reaches(slot.last) && slot_of(slot.address).last != 0; });
}

BlockOrder::Entry& BlockOrder::add(std::uint32_t block) {
    const std::lock_guard lock(mutex_);
    auto& entry = entries_[block];
    if (!entry) entry = std::make_unique<Entry>();
    return *entry;
}

bool BlockOrder::ordered(std::uint32_t earlier, std::uint32_t release, Entry& self) {
    Entry* other = nullptr;
    {
        const std::lock_guard lock(mutex_);
        const auto found = entries_.find(earlier);
        if (found == entries_.end()) return false;
        other = found->second.get();
    }
    if (other == &self) return true;
    const std::scoped_lock lock(self.mutex, other->mutex);
    return self.releases.meets(other->releases, release);
}

}  // namespace simt::hazards
