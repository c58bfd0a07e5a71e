// Which blocks of a launch have ordered their accesses through atomic accesses to a common address.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace simt::hazards {

/// The addresses through which a block has released its accesses, and acquired those of others.
///
/// The accesses of a block before an atomic access are ordered before the accesses of another block after an atomic access to the
/// same address. This class does not know which of the two accesses came first; its callers do.
class BlockReleases {
public:
    /// The greatest number of a release. If a block makes more releases, all its accesses count as ordered.
    static constexpr std::uint32_t most_releases = UINT16_MAX;

    void add(std::uint64_t address);
    /// Releases so far.
    std::uint32_t count() const { return count_; }
    /// True if both blocks have accessed a common address, `other` after it had made `release` releases.
    bool meets(const BlockReleases& other, std::uint32_t release) const;

private:
    struct Slot {
        std::uint64_t address = 0;
        /// Number of the last release through the address, counted from 1; 0 in a slot that is not used.
        std::uint32_t last = 0;
    };
    const Slot& slot_of(std::uint64_t address) const;
    void grow();

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
    std::uint32_t count_ = 0;
};

/// The releases of all blocks of a launch. Safe to use from several host threads, one for each block.
class BlockOrder {
public:
    struct Entry {
        std::mutex mutex;
        BlockReleases releases;
    };
    /// Adds a block that makes its first release.
    Entry& add(std::uint32_t block);
    /// True if the accesses of `earlier` after `release` releases are ordered before the accesses that the block of `self` makes now.
    bool ordered(std::uint32_t earlier, std::uint32_t release, Entry& self);

private:
    std::mutex mutex_;
    std::unordered_map<std::uint32_t, std::unique_ptr<Entry>> entries_;
};

}  // namespace simt::hazards
