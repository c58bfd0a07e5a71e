// The rule of global memory for the book's pages, used as bank_rule.cpp is: a page writes a question, calls answer() and reads what
// that returns. All numbers have 4 bytes, in the order in which they stand here; book/_static/sector_explorer.js knows this order.
//
// conflict_free/checking/page_rules.py compiles this file into book/_static/sector_rule.js.

#include <array>
#include <cstdint>

#include "rules/distinct_sectors.hpp"
#include "rules/shared_service.hpp"

namespace {

struct Question {
    std::int32_t size;
    std::uint32_t active;
    std::array<std::uint32_t, simt::warp_size> address;
};

struct Answer {
    /// Zero if the size of the access does not divide each address: a GPU stops there with an error.
    std::int32_t is_aligned;
    std::int32_t sectors, ideal_sectors;
    /// The cycles of a load that finds its lines in the L1, by the rule of l1_cycles() in global_rules.cpp.
    std::int32_t l1_cycles;
};

Question the_question;
Answer the_answer;

}  // namespace

extern "C" {

[[clang::export_name("question")]] Question* question() { return &the_question; }

[[clang::export_name("answer")]] const Answer* answer() {
    simt::WarpAccess access{};
    access.space = simt::Space::global;
    access.size = the_question.size;
    access.active = the_question.active;
    for (std::size_t lane = 0; lane < simt::warp_size; ++lane) access.address[lane] = the_question.address[lane];
    the_answer = {};
    if (!simt::rules::is_aligned(access)) return &the_answer;
    const simt::GlobalCost cost = simt::rules::cost_of_elements(access);
    int l1_cycles = simt::rules::lookup_cycles(simt::rules::distinct_lines(access));
    std::uint64_t step;
    if (simt::rules::is_evenly_spaced(access, step)) {
        // The L1 of compute capability 9.0 has the banks of its shared memory.
        const simt::SharedMemory memory{.banks = 32,
                                        .bank_width = 4,
                                        .request_lanes = simt::warp_size,
                                        .words = simt::SharedWords::multicast,
                                        .wide = simt::WideShared::merging_phases,
                                        .extra_wavefronts_of_16_bytes = 0};
        const simt::rules::SharedAccess shared{simt::rules::SharedUse::load, access.size, access.active, access.address};
        const int wavefronts = simt::rules::serve_shared<simt::rules::AnyBanks>(shared, memory, [](auto&&...) {}).wavefronts;
        if (wavefronts > l1_cycles) l1_cycles = wavefronts;
    }
    the_answer = {1, cost.sectors, cost.ideal_sectors, l1_cycles};
    return &the_answer;
}
}
