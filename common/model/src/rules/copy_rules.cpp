// Asynchronous copies (cp.async) from global to shared memory. The costs of the two sides depend on each other.
//
// Compute capability 9.0, measured (tests/hardware/h200_features.json):
//
// Through the L1 (cp.async.ca) the global side is a load. In shared memory a phase is as long as that of a load of this width.
// Its data come from banks of the L1 and go to banks of shared memory. A bank on either side serves its lanes one after another,
// even those with one word: a phase takes as many wavefronts as the fullest bank on either side has lanes. If lanes conflict on
// both sides, the copy takes more. The model then makes rounds: a round has one lane of each bank of shared memory, and takes as
// many wavefronts as its fullest bank of the L1 has lanes. The GPU does not always count the same.
//
// Past the L1 (cp.async.cg, 16 bytes): of several lanes that write one address, the last one writes. Each sector of 32 bytes in
// shared memory is requested once from each line of 128 bytes that its data come from: these requests are the counted sectors. Data
// move from a line of 128 bytes to a row of 128 bytes. A transfer is what one sector of the line gives one sector of the row; its
// kind is which halves of the sector move, and whether they change places. Transfers of one kind share a wavefront if the exclusive
// or of the numbers of their two sectors has the same last bit, and if its second bit is the same for all transfers from even
// sectors, and for all from odd sectors. If several lanes read the same 16 bytes, a few copies cost more on the GPU, because of the
// order in which it takes transfers.

#include <algorithm>
#include <array>

#include "rules/shared_service.hpp"
#include "simt/rules.hpp"

namespace simt {

namespace {

using Addresses = std::array<std::uint64_t, warp_size>;

constexpr std::uint64_t half_bytes = 16, line_bytes = 128;

/// Lanes by the bank of each address, of one phase.
class BankCounts {
public:
    explicit BankCounts(std::uint64_t size) : size_(size) {}
    /// Adds a lane, and returns the number of lanes of its bank so far.
    int add(std::uint64_t address) { return ++lanes_[address % line_bytes / size_]; }

private:
    std::uint64_t size_;
    std::array<int, line_bytes> lanes_{};
};

/// The wavefronts of the lanes of one phase of a copy through the L1.
int wavefronts_of_phase(const WarpAccess& access, const Addresses& from, std::uint32_t lanes) {
    const auto size = static_cast<std::uint64_t>(access.size);
    int wavefronts = 0;
    for (std::uint32_t left = lanes; left;) {
        BankCounts sources(size), destinations(size);
        int most = 0;
        std::uint32_t round = 0;
        for (const std::size_t lane : lanes_in(left)) {
            if (destinations.add(access.address[lane]) > 1) continue;
            round |= 1u << lane;
            most = std::max(most, sources.add(from[lane]));
        }
        left &= ~round;
        wavefronts += most;
    }
    return wavefronts;
}

/// For each address, the last lane that writes to it.
std::uint32_t lanes_that_stay(const Addresses& to, std::uint32_t active) {
    std::uint32_t staying = active;
    for (const std::size_t lane : lanes_in(active)) {
        for (const std::size_t before : lanes_in(staying & ((1u << lane) - 1))) {
            if (to[before] == to[lane]) staying &= ~(1u << before);
        }
    }
    return staying;
}

/// The data that a sector of a line gives a sector of a row.
struct Transfer {
    std::uint64_t line = 0, row = 0;
    unsigned from = 0, to = 0, halves = 0;
    bool is_swapped = false;

    bool is_of(const Transfer& other) const {
        return line == other.line && row == other.row && from == other.from && to == other.to && is_swapped == other.is_swapped;
    }
    /// Whether a wavefront could hold both, apart from the condition on the second bit.
    bool is_like(const Transfer& other) const {
        return line == other.line && row == other.row && halves == other.halves && is_swapped == other.is_swapped &&
               ((from ^ to ^ other.from ^ other.to) & 1) == 0;
    }
};

struct Transfers {
    std::array<Transfer, warp_size> all;
    std::size_t count = 0;

    void add(std::uint64_t from, std::uint64_t to) {
        Transfer transfer{from / line_bytes,
                          to / line_bytes,
                          static_cast<unsigned>(from % line_bytes / sector_bytes),
                          static_cast<unsigned>(to % line_bytes / sector_bytes),
                          0,
                          ((from ^ to) & half_bytes) != 0};
        std::size_t i = 0;
        while (i < count && !all[i].is_of(transfer)) ++i;
        if (i == count) all[count++] = transfer;
        all[i].halves |= to & half_bytes ? 2 : 1;
    }

    int wavefronts() const {
        std::uint32_t left = count == warp_size ? ~0u : (1u << count) - 1;
        int wavefronts = 0;
        while (left) {
            const Transfer& first = all[static_cast<std::size_t>(std::countr_zero(left))];
            // Indexed by the last bit of the number of the sector in the line, and by the second bit of the exclusive or.
            bool has[2][2] = {};
            for (const std::size_t i : lanes_in(left)) {
                if (!all[i].is_like(first)) continue;
                left &= ~(1u << i);
                has[all[i].from & 1][(all[i].from ^ all[i].to) >> 1] = true;
            }
            wavefronts += std::max(has[0][0] + has[0][1], has[1][0] + has[1][1]);
        }
        return wavefronts;
    }
};

}  // namespace

SharedCost copy_cost(const WarpAccess& access, const Machine& machine) {
    const int phase_lanes = rules::phase_lanes(machine.shared, access.size);
    const Addresses& from = access.other_side ? *access.other_side : access.address;
    SharedCost cost{0, 0};
    for (int first = 0; first < warp_size; first += phase_lanes) {
        const std::uint32_t lanes = access.active & lane_group(first, phase_lanes);
        if (!lanes) continue;
        cost.ideal_wavefronts += 1;
        if (!access.past_l1) cost.wavefronts += wavefronts_of_phase(access, from, lanes);
    }
    if (!access.past_l1) return cost;
    Transfers transfers;
    for (const std::size_t lane : lanes_in(lanes_that_stay(access.address, access.active))) transfers.add(from[lane], access.address[lane]);
    cost.wavefronts = transfers.wavefronts();
    cost.ideal_wavefronts = std::min(cost.ideal_wavefronts, cost.wavefronts);
    return cost;
}

GlobalCost copy_past_l1_cost(const WarpAccess& access) {
    const Addresses& to = *access.other_side;
    std::array<std::pair<std::uint64_t, std::uint64_t>, warp_size> moved;
    std::array<std::uint64_t, warp_size> read;
    std::size_t count = 0, lanes = 0;
    for (const std::size_t lane : lanes_in(access.active)) read[lanes++] = access.address[lane];
    for (const std::size_t lane : lanes_in(lanes_that_stay(to, access.active)))
        moved[count++] = {access.address[lane] / line_bytes, to[lane] / sector_bytes};
    const auto distinct = [](auto& values, std::size_t n) {
        const auto end = values.begin() + static_cast<std::ptrdiff_t>(n);
        std::sort(values.begin(), end);
        return static_cast<int>(std::unique(values.begin(), end) - values.begin());
    };
    const int bytes = distinct(read, lanes) * access.size;
    return {distinct(moved, count), (bytes + sector_bytes - 1) / sector_bytes};
}

}  // namespace simt
