#include "device/links.hpp"

#include "simt/warp_size.hpp"

namespace simt::memory {

namespace {

bool is_device(int number) { return number >= 0 && number < most_devices; }

}  // namespace

Links& Links::instance() {
    static Links& instance = *new Links;
    return instance;
}

void Links::add(int from, int to, std::uint64_t bytes, std::uint64_t sectors) {
    if (from == to || !is_device(from) || !is_device(to)) return;
    Link& link = links_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
    link.bytes += bytes;
    link.sectors += sectors;
}

std::uint64_t Links::bytes(int from, int to) const {
    std::uint64_t sum = 0;
    for (const LinkCounts& link : all())
        if ((from < 0 || link.from == from) && (to < 0 || link.to == to)) sum += link.bytes;
    return sum;
}

std::vector<LinkCounts> Links::all() const {
    std::vector<LinkCounts> found;
    for (int from = 0; from < most_devices; ++from)
        for (int to = 0; to < most_devices; ++to) {
            const Link& link = links_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
            if (link.bytes > 0) found.push_back({from, to, link.bytes, link.sectors});
        }
    return found;
}

std::uint64_t sectors_of(std::uint64_t address, std::uint64_t bytes) {
    return bytes == 0 ? 0 : (address + bytes - 1) / sector_bytes - address / sector_bytes + 1;
}

}  // namespace simt::memory
