// The rule of global memory for the book's pages, used as bank_rule.cpp is: a page writes a question, calls answer() and reads what
// that returns. All numbers have 4 bytes, in the order in which they stand here; book/_static/sector_explorer.js knows this order.
//
// conflict_free/checking/page_rules.py compiles this file into book/_static/sector_rule.js.

#include <array>
#include <cstdint>

#include "rules/distinct_sectors.hpp"

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
    the_answer = {1, cost.sectors, cost.ideal_sectors};
    return &the_answer;
}
}
