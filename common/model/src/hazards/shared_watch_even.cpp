// Accesses of all lanes to evenly spaced words, the most common accesses. If the cells of the words are all in one of a few states,
// they are tested and changed together. The outcome is the same as by the rules of shared_watch.cpp, word by word.

#include <array>
#include <cstring>

#include "hazards/shared_watch.hpp"
#include "rules/lanes.hpp"

namespace simt::hazards {

namespace {

/// The fields of a cell in their order: write, read, read_lanes, other_read.
using Fields = std::array<std::int32_t, 4>;
/// The fields of one cell, and of four consecutive cells, as vectors of the processor.
using OneCell = std::int32_t __attribute__((vector_size(16)));
using FourCells = std::int32_t __attribute__((vector_size(64)));

constexpr std::int32_t all = -1;

template <class Cells> constexpr std::size_t cells_of = sizeof(Cells) / sizeof(Fields);

/// The addition to a field of a lane's cell if the field depends on the lane.
constexpr std::array<Fields, warp_size> make_lane_fields() {
    std::array<Fields, warp_size> fields{};
    for (std::int32_t lane = 0; lane < warp_size; ++lane)
        fields[static_cast<std::size_t>(lane)] = {lane, 0, static_cast<std::int32_t>(1u << lane), lane};
    return fields;
}
alignas(64) constexpr auto lane_fields = make_lane_fields();

/// All bits of one field, in each of four cells.
constexpr std::array<Fields, 4> make_masks(std::size_t field) {
    Fields one{};
    one[field] = all;
    return {one, one, one, one};
}
alignas(64) constexpr std::array<std::array<Fields, 4>, 4> masks{make_masks(0), make_masks(1), make_masks(2), make_masks(3)};

/// Several cells with the same fields.
template <class Cells> [[gnu::always_inline]] inline void spread(const Fields& one, Cells& to) {
    to = Cells{};
    for (std::size_t field = 0; field < one.size(); ++field) {
        Cells mask;
        std::memcpy(&mask, &masks[field], sizeof mask);
        to |= (Cells{} + one[field]) & mask;
    }
}

/// The cells of all lanes' words.
struct Words {
    unsigned char* cells;
    std::uint8_t* written;
    /// The distance in words from one lane to the next, and the words of a lane.
    std::ptrdiff_t stride;
    int of_lane;

    bool are_a_row() const { return stride == 1; }
    /// Calls `visit(word, lane)` with each word, counted from the first word of the first lane, and with its lane.
    template <class Visit> [[gnu::always_inline]] void for_each(Visit&& visit) const {
        std::ptrdiff_t first = 0;
        if (of_lane == 1) {
#pragma GCC unroll 8
            for (std::size_t lane = 0; lane < warp_size; ++lane, first += stride) visit(first, lane);
        } else {
            for (std::size_t lane = 0; lane < warp_size; ++lane, first += stride)
                for (std::ptrdiff_t word = first; word < first + of_lane; ++word) visit(word, lane);
        }
    }
    /// Calls `visit(cells, lane)` with as many cells at a time as Cells has; the first of them belongs to the lane.
    template <class Cells, class Visit> [[gnu::always_inline]] void for_each_cell(Visit&& visit) const {
        if constexpr (cells_of<Cells> > 1)
            for (std::size_t lane = 0; lane < warp_size; lane += cells_of<Cells>) visit(cells + lane * sizeof(Fields), lane);
        else
            for_each([&](std::ptrdiff_t word, std::size_t lane)
                         __attribute__((always_inline)) { visit(cells + word * static_cast<std::ptrdiff_t>(sizeof(Fields)), lane); });
    }
};

/// The expected state of cells: `fields`, plus what the lane adds to the fields in `of_lane`. Fields in `counts` must have this value;
/// the others must not exceed `limit`.
struct State {
    Fields fields{}, of_lane{}, counts{}, limit{};

    void expect(std::size_t number, std::int32_t value, std::int32_t with_lane) {
        fields[number] = value;
        of_lane[number] = with_lane;
        counts[number] = all;
        limit[number] = INT32_MAX;
    }
};

/// True if all cells have the expected state, for a state in which no field needs a certain value.
template <class Cells> bool are_within_limit(const Words& words, const State& state) {
    Cells limit, wrong{};
    spread(state.limit, limit);
    words.for_each_cell<Cells>([&](const unsigned char* at, std::size_t) __attribute__((always_inline)) {
        Cells cells;
        std::memcpy(&cells, at, sizeof cells);
        wrong |= cells > limit;
    });
    std::int32_t any = 0;
    for (std::size_t i = 0; i < sizeof wrong / sizeof any; ++i) any |= wrong[i];
    return any == 0;
}

template <class Cells> bool are_so(const Words& words, const State& state) {
    if (state.counts == Fields{}) return are_within_limit<Cells>(words, state);
    Cells fields, of_lane, counts, limit, wrong{};
    spread(state.fields, fields);
    spread(state.of_lane, of_lane);
    spread(state.counts, counts);
    spread(state.limit, limit);
    words.for_each_cell<Cells>([&](const unsigned char* at, std::size_t lane) __attribute__((always_inline)) {
        Cells cells, lanes;
        std::memcpy(&cells, at, sizeof cells);
        std::memcpy(&lanes, &lane_fields[lane], sizeof lanes);
        wrong |= ((cells ^ (fields | (lanes & of_lane))) & counts) | (cells > limit);
    });
    std::int32_t any = 0;
    for (std::size_t i = 0; i < sizeof wrong / sizeof any; ++i) any |= wrong[i];
    return any == 0;
}

/// A change of cells: bits outside `keep` become 0, then `fields` and what the lane adds to the fields in `of_lane` are put in.
struct Change { Fields keep{}, fields{}, of_lane{}; };

template <class Cells> void make(const Words& words, const Change& change) {
    Cells keep, fields, of_lane;
    spread(change.keep, keep);
    spread(change.fields, fields);
    spread(change.of_lane, of_lane);
    const auto new_fields = [&](std::size_t lane, Cells& cells) __attribute__((always_inline)) {
        std::memcpy(&cells, &lane_fields[lane], sizeof cells);
        cells = (cells & of_lane) | fields;
    };
    if (change.keep == Fields{})
        return words.for_each_cell<Cells>([&](unsigned char* at, std::size_t lane) __attribute__((always_inline)) {
            Cells cells;
            new_fields(lane, cells);
            std::memcpy(at, &cells, sizeof cells);
        });
    words.for_each_cell<Cells>([&](unsigned char* at, std::size_t lane) __attribute__((always_inline)) {
        Cells old, cells;
        std::memcpy(&old, at, sizeof old);
        new_fields(lane, cells);
        cells |= old & keep;
        std::memcpy(at, &cells, sizeof cells);
    });
}

bool are_so(const Words& words, const State& state) {
    return words.are_a_row() ? are_so<FourCells>(words, state) : are_so<OneCell>(words, state);
}
void make(const Words& words, const Change& change) { words.are_a_row() ? make<FourCells>(words, change) : make<OneCell>(words, change); }

/// The bits in `written` that all words have, and those that any word has. Each byte says so of some of the words.
struct Bytes {
    std::uint64_t common = UINT64_MAX, any = 0;

    void add(std::uint64_t bits) {
        common &= bits;
        any |= bits;
    }
    bool are_all_written() const { return (common & all_of_eight) == all_of_eight; }
    bool are_read_before() const { return (any & ~all_of_eight) != 0; }

private:
    static constexpr std::uint64_t all_of_eight = all_bytes * (UINT64_MAX / UINT8_MAX);
};

Bytes bytes_of(const Words& words) {
    Bytes bytes;
    if (words.are_a_row()) {
        for (std::size_t lane = 0; lane < warp_size; lane += 8) {
            std::uint64_t eight;
            std::memcpy(&eight, words.written + lane, sizeof eight);
            bytes.add(eight);
        }
    } else {
        words.for_each([&](std::ptrdiff_t word, std::size_t) { bytes.add(words.written[word]); });
        bytes.common |= ~std::uint64_t{UINT8_MAX};
    }
    return bytes;
}

void set_written(const Words& words) {
    if (words.are_a_row()) std::memset(words.written, all_bytes, warp_size);
    else words.for_each([&](std::ptrdiff_t word, std::size_t) { words.written[word] = all_bytes; });
}

std::int32_t field(std::uint32_t value) { return static_cast<std::int32_t>(value); }

}  // namespace

bool SharedWatch::access_together(const Current& current) {
    static_assert(sizeof(Cell) == sizeof(Fields));
    const WarpAccess& access = current.access;
    std::uint64_t step;
    if (access.operation == Operation::atomic || !rules::is_evenly_spaced(access, step)) return false;
    const auto first = static_cast<std::size_t>(access.address[0] / 4);
    const Words words{reinterpret_cast<unsigned char*>(&words_[first]), &written_[first], static_cast<std::ptrdiff_t>(step) / 4,
                      access.size / 4};
    const bool loads = access.operation == Operation::load;
    if (step == 0) return loads && words.of_lane == 1 && load_one_word(first, current);
    const Bytes bytes = bytes_of(words);
    if (loads ? !bytes.are_all_written() : bytes.are_read_before()) return false;

    const Cell& cell = words_[first];
    const auto start = field(interval_start_), record = field(current.record);
    State state{.limit = {start, start, INT32_MAX, INT32_MAX}};
    if (is_of_interval(cell.write)) {
        // Each lane stored its own word earlier in the interval.
        if (cell.write % warp_size != 0 || !is_of_warp(cell.write, current) || record_of(cell.write).lasts()) return false;
        state.expect(0, field(cell.write), all);
    }
    const bool was_read = is_of_interval(cell.read), by_own_warp = was_read && is_of_warp(cell.read, current);
    if (was_read) state.expect(1, field(cell.read), 0);
    // Fields of earlier intervals need not be kept.
    const std::int32_t kept_write = is_of_interval(cell.write) ? all : 0, kept_read = was_read ? all : 0;
    Change change;
    if (!loads) {
        // Only each lane's own load.
        if (was_read && (!by_own_warp || record_of(cell.read).lasts())) return false;
        if (was_read) {
            state.expect(2, 0, all);
            state.expect(3, 0, 0);
        }
        change = {{0, kept_read, kept_read, kept_read}, {record, 0, 0, 0}, {all, 0, 0, 0}};
    } else if (!was_read) {
        change = {{kept_write, 0, 0, 0}, {0, record, 0, 0}, {0, 0, all, 0}};
    } else if (by_own_warp) {
        if (record_of(cell.read).stamp != current.stamp) return false;
        change = {{kept_write, 0, all, all}, {0, record, 0, 0}, {0, 0, all, 0}};
    } else {
        if (orders_parts_) return false;
        change = {{kept_write, all, all, 0}, {0, 0, 0, record}, {0, 0, 0, all}};
    }
    if (!are_so(words, state)) return false;
    make(words, change);
    if (!loads) set_written(words);
    return true;
}

bool SharedWatch::load_one_word(std::size_t word, const Current& current) {
    Cell& cell = words_[word];
    if (is_of_interval(cell.write) || (written_[word] & all_bytes) != all_bytes) return false;
    if (!is_of_interval(cell.read)) {
        cell = {cell.write, current.record, UINT32_MAX, 0};
        return true;
    }
    if (orders_parts_ || is_of_warp(cell.read, current)) return false;
    cell.other_read = current.record + warp_size - 1;
    return true;
}

}  // namespace simt::hazards
