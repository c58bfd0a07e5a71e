// The rule of shared memory for the book's pages: a module of WebAssembly, which needs nothing of its surroundings. A page writes
// a question to where question() says, calls answer(), and reads what that returns. All numbers have 4 bytes, in the order in
// which they stand here; book/_static/bank_explorer.js knows this order and nothing else.
//
// conflict_free/checking/page_rules.py compiles this file into book/_static/bank_rule.js.

#include <array>
#include <cstdint>

#include "rules/shared_service.hpp"

namespace {

struct Question {
    std::int32_t banks, bank_width, request_lanes, words, wide, extra_wavefronts_of_16_bytes;
    std::int32_t is_load, size;
    std::uint32_t active;
    std::array<std::uint32_t, simt::warp_size> address;
};

struct Served {
    std::int32_t wavefront, lane;
    std::uint32_t word;
};

struct Answer {
    /// Why the machine is impossible: addresses of the number's name and of what is accepted, which end with a zero, and the number given.
    /// All are zero for a possible machine, and only then is the rest valid.
    const char* what;
    std::int32_t given;
    const char* accepted;
    std::int32_t wavefronts, ideal_wavefronts;
    /// How many of `served` there are.
    std::int32_t count;
    std::array<Served, std::size_t{simt::warp_size} * simt::most_access_bytes> served;
};

Question the_question;
Answer the_answer;

simt::SharedMemory memory_of(const Question& question) {
    return {.banks = question.banks,
            .bank_width = question.bank_width,
            .request_lanes = question.request_lanes,
            .words = static_cast<simt::SharedWords>(question.words),
            .wide = static_cast<simt::WideShared>(question.wide),
            .extra_wavefronts_of_16_bytes = question.extra_wavefronts_of_16_bytes};
}

}  // namespace

extern "C" {

[[clang::export_name("question")]] Question* question() { return &the_question; }

[[clang::export_name("answer")]] const Answer* answer() {
    using namespace simt::rules;
    const simt::SharedMemory memory = memory_of(the_question);
    Answer& told = the_answer;
    told = {};
    if (const auto impossible = simt::why_impossible(memory)) {
        told.what = impossible->what, told.given = impossible->given, told.accepted = impossible->accepted;
        return &told;
    }
    std::array<std::uint64_t, simt::warp_size> address;
    for (const std::size_t lane : simt::lanes_in(~0u)) address[lane] = the_question.address[lane];
    const SharedUse use = the_question.is_load ? SharedUse::load : SharedUse::store;
    const auto list = [&](int wavefront, std::size_t lane, std::uint64_t word) {
        told.served[static_cast<std::size_t>(told.count++)] = {wavefront, static_cast<std::int32_t>(lane),
                                                               static_cast<std::uint32_t>(word)};
    };
    const SharedAccess access{use, the_question.size, the_question.active, address};
    const simt::SharedCost cost = serve_shared<AnyBanks>(access, memory, list);
    told.wavefronts = cost.wavefronts, told.ideal_wavefronts = cost.ideal_wavefronts;
    return &told;
}
}
