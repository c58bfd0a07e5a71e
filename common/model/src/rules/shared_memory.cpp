#include "simt/shared_memory.hpp"

#include "simt/warp_size.hpp"

namespace simt {

namespace {

// This file builds no texts, because the book's pages run it without a library.
static_assert(most_banks == 64 && most_bank_width == 16 && warp_size == 32);

bool is_within(int number, int least, int most) { return least <= number && number <= most; }

/// True for the machine on which the rule for merging phases was measured. The rule covers no other halves and quarters of a request.
std::optional<Impossible> why_not_merging(const SharedMemory& memory) {
    if (memory.banks != 32) return Impossible{"banks of shared memory where phases merge", memory.banks, "32"};
    if (memory.bank_width != 4) return Impossible{"bytes of a bank's word where phases merge", memory.bank_width, "4"};
    if (memory.request_lanes != warp_size) return Impossible{"lanes of a shared request where phases merge", memory.request_lanes, "32"};
    return {};
}

/// Steps that serve one word and one lane of each other bank need accesses that are split, and a bank for each lane.
std::optional<Impossible> why_not_one_broadcast(const SharedMemory& memory) {
    const int wide = static_cast<int>(memory.wide);
    if (memory.wide != WideShared::split_into_words)
        return Impossible{"rule of wide accesses where one word is broadcast", wide, "2 (split_into_words)"};
    if (memory.request_lanes > memory.banks)
        return Impossible{"lanes of a shared request where one word is broadcast", memory.request_lanes, "at most as many as banks"};
    return {};
}

}  // namespace

std::optional<Impossible> why_impossible(const SharedMemory& memory) {
    if (!is_within(memory.banks, 1, most_banks)) return Impossible{"banks of shared memory", memory.banks, "1 to 64"};
    if (!is_within(memory.bank_width, 1, most_bank_width)) return Impossible{"bytes of a bank's word", memory.bank_width, "1 to 16"};
    if (!is_within(memory.request_lanes, 1, warp_size)) return Impossible{"lanes of a shared request", memory.request_lanes, "1 to 32"};
    if (memory.extra_wavefronts_of_16_bytes < 0)
        return Impossible{"extra wavefronts of 16 bytes", memory.extra_wavefronts_of_16_bytes, "0 or more"};
    const int words = static_cast<int>(memory.words), wide = static_cast<int>(memory.wide);
    if (memory.words == SharedWords::one_broadcast) return why_not_one_broadcast(memory);
    if (memory.words != SharedWords::multicast) return Impossible{"rule of shared words", words, "0 (multicast), 1 (one_broadcast)"};
    if (memory.wide == WideShared::merging_phases) return why_not_merging(memory);
    if (memory.wide != WideShared::phases) return Impossible{"rule of wide accesses", wide, "0 (phases), 1 (merging_phases)"};
    return {};
}

}  // namespace simt
