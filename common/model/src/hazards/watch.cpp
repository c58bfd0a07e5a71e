#include "interpreter/watch.hpp"

#include <utility>

#include "device/address_space.hpp"
#include "device/links.hpp"
#include "hazards/block_reporter.hpp"
#include "hazards/launch_state.hpp"
#include "hazards/shared_watch.hpp"
#include "simt/rules.hpp"

namespace simt::hazards {

LaunchWatch::State::State(const LaunchInfo& launch_info, std::string kernel_name, Surroundings given, std::vector<Listener*> hearers)
    : info(launch_info),
      kernel(std::move(kernel_name)),
      surroundings(std::move(given)),
      listeners(std::move(hearers)),
      reports(surroundings.place_of),
      global(surroundings.single_threaded, surroundings.place_of, surroundings.range_of),
      orders_parts(surroundings.orders_parts) {}

Counters* LaunchWatch::State::lend_counters() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
        counters_.push_back(std::make_unique<Counters>(*surroundings.machine, surroundings.instructions));
        return counters_.back().get();
    }
    Counters* counters = idle_.back();
    idle_.pop_back();
    return counters;
}

void LaunchWatch::State::take_back(Counters* counters) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(counters);
    const Work work = std::exchange(counters->work, {});
    const LaunchWork own{work, work, work};
    if (work_) *work_ += own;
    else work_ = own;
}

LaunchWork LaunchWatch::State::work() const {
    LaunchWork work = work_.value_or(LaunchWork{});
    work.loaded_sectors = touched.count(TouchedSectors::loads);
    work.stored_sectors = touched.count(TouchedSectors::stores);
    return work;
}

LaunchWatch::LaunchWatch(const LaunchInfo& info, std::string kernel, Surroundings surroundings, std::vector<Listener*> listeners)
    : state_(std::make_unique<State>(info, std::move(kernel), std::move(surroundings), std::move(listeners))) {
    for (Listener* listener : state_->listeners) listener->launch_begins(state_->info);
}

LaunchWatch::~LaunchWatch() = default;

void LaunchWatch::report(HazardKind kind, const Extent& block, std::uint64_t block_number, std::span<const int> threads,
                         std::span<const std::uint32_t> program_counters, Message message) {
    Hazard hazard{kind, state_->kernel, block, {}, {}, std::move(message)};
    for (const int thread : threads) hazard.threads.push_back(state_->info.thread(thread));
    state_->reports.add(rank_of_block(block_number), block_number, program_counters, std::move(hazard));
}

void LaunchWatch::grid_barrier() { state_->global.grid_barrier(); }

LaunchCounts LaunchWatch::take_counts() {
    for (Listener* listener : state_->listeners) listener->launch_ends();
    LaunchCounts counts;
    counts.name = state_->kernel;
    counts.grid = state_->info.grid;
    counts.block = state_->info.block;
    counts.blocks = std::uint64_t{counts.grid.x} * counts.grid.y * counts.grid.z;
    counts.uncounted_blocks = state_->is_partial ? counts.blocks - state_->watched_blocks : 0;
    counts.shared_bytes = state_->surroundings.shared_bytes;
    Counters all(*state_->surroundings.machine, state_->surroundings.instructions);
    for (const auto& counters : state_->counters_) all.add(*counters);
    all.write(counts, state_->surroundings.place_of);
    counts.work = state_->work();
    return counts;
}

std::vector<Hazard> LaunchWatch::take_hazards() { return state_->reports.take(); }

struct BlockWatch::State {
    explicit State(LaunchWatch::State& of)
        : launch(of),
          reporter(of.reports, of.info, of.kernel),
          shared(reporter, of.surroundings.shared_bytes),
          global(of.global, reporter),
          marker(of.touched) {}

    LaunchWatch::State& launch;
    BlockReporter reporter;
    SharedWatch shared;
    GlobalWatch global;
    SectorMarker marker;
    Counters* counters = nullptr;

    /// The allocation of the last access to global memory, and its device.
    std::uint64_t last_allocation = 0;
    int last_owner = -1;

    /// Counts the traffic over a link if the memory belongs to another device.
    void count_link(std::uint64_t allocation, bool loads, std::uint64_t bytes, std::uint64_t sectors) {
        const int device = launch.surroundings.device;
        if (allocation != last_allocation) {
            memory::Allocation found;
            const bool owned = memory::AddressSpace::instance().find(allocation, found) && !found.host;
            last_allocation = allocation;
            last_owner = owned ? found.device : device;
        }
        memory::Links::instance().add(loads ? last_owner : device, loads ? device : last_owner, bytes, sectors);
    }

    void tell_which_block_runs() {
        if (launch.listeners.empty() || launch.running_block == reporter.block_number()) return;
        launch.running_block = reporter.block_number();
        for (Listener* listener : launch.listeners) listener->block_runs(launch.running_block);
    }
};

BlockWatch::BlockWatch(LaunchWatch& launch) : state_(std::make_unique<State>(*launch.state_)) {}

BlockWatch::~BlockWatch() {
    if (state_->counters) state_->launch.take_back(state_->counters);
}

void BlockWatch::begin_block(const Extent& index, std::uint64_t number) {
    State& state = *state_;
    const auto& watches = state.launch.surroundings.watches;
    is_watching_ = !watches || watches(number);
    if (!is_watching_) {
        state.launch.is_partial = true;
        return;
    }
    ++state.launch.watched_blocks;
    state.reporter.begin_block(index, number);
    const Extent& block = state.launch.info.block;
    state.shared.begin_block(static_cast<int>(block.x * block.y * block.z), state.launch.orders_parts);
    state.global.begin_block(number);
    if (!state.counters) state.counters = state.launch.lend_counters();
    for (Listener* listener : state.launch.listeners) listener->block_begins(index);
    state.tell_which_block_runs();
}

void BlockWatch::access(const WarpAccess& access) {
    if (access.space == Space::global && !access.evenly_spaced && is_watching_ && !state_->launch.is_partial)
        state_->global.fetch_entries(access);
    count_only(access);
    uncounted_access(access);
}

void BlockWatch::uncounted_access(const WarpAccess& access) {
    if (!is_watching_) return;
    if (access.space == Space::shared) state_->shared.access(access);
    else if (access.space == Space::global && !state_->launch.is_partial) state_->global.access(access);
}

std::uint32_t BlockWatch::begin_accesses(std::vector<WarpAccess> accesses) {
    return is_watching_ ? state_->shared.begin_accesses(std::move(accesses)) : 0;
}

void BlockWatch::end_accesses(std::uint32_t number, std::uint32_t lanes, std::uint32_t changed) {
    if (is_watching_) state_->shared.end_accesses(number, lanes, changed);
}

void BlockWatch::mark_written(std::uint64_t offset, std::uint64_t bytes) {
    if (is_watching_) state_->shared.mark_written(offset, bytes);
}

void BlockWatch::count_only(const WarpAccess& access) {
    if (!is_watching_) return;
    State& state = *state_;
    state.counters->count(access, state.reporter.block_number());
    if (access.space == Space::global) state.marker.mark(access);
    if (state.launch.surroundings.device >= 0 && access.space == Space::global) [[unlikely]]
        state.count_link(access.allocation, access.operation == Operation::load || access.operation == Operation::async_copy,
                         static_cast<std::uint64_t>(access.active_lanes()) * static_cast<std::uint64_t>(access.size),
                         static_cast<std::uint64_t>(global_cost(access, *state.launch.surroundings.machine).sectors));
    if (state.launch.listeners.empty()) [[likely]]
        return;
    state.tell_which_block_runs();
    for (Listener* listener : state.launch.listeners) listener->warp_access(access);
}

WatchedStore::WatchedStore(const BlockWatch& watch, const WarpAccess& access, std::uint32_t lanes) {
    if (!watch.is_watching_ || lanes == 0 || watch.state_->launch.surroundings.single_threaded) return;
    watch.state_->global.lock(access, lanes);
    watch_ = &watch;
}

void WatchedStore::unlock() { watch_->state_->global.unlock(); }

void BlockWatch::fetch_ahead(std::uint64_t address) {
    if (is_watching_ && !state_->launch.is_partial) state_->global.fetch_ahead(address);
}

void BlockWatch::fetch_lines(const WarpAccess& access, std::uint32_t lanes) {
    if (!is_watching_ || state_->launch.is_partial) return;
    for (const std::size_t lane : lanes_in(lanes)) state_->global.fetch_ahead(access.address[lane]);
}

void BlockWatch::count_bulk_copy(std::uint32_t program_counter, std::uint64_t address, std::uint64_t bytes, bool loads,
                                 std::uint64_t requests) {
    if (!is_watching_) return;
    state_->counters->count_bulk_copy(program_counter, address, bytes, requests);
    state_->marker.mark(address, bytes, loads ? TouchedSectors::loads : TouchedSectors::stores);
    if (state_->launch.surroundings.device >= 0 && bytes > 0) state_->count_link(address, loads, bytes, memory::sectors_of(address, bytes));
    state_->tell_which_block_runs();
    for (Listener* listener : state_->launch.listeners) listener->bulk_copy(address, bytes, loads, requests);
}

void BlockWatch::add_work(const Work& more) {
    if (is_watching_) state_->counters->work += more;
}

void BlockWatch::tell_cluster_access(int lanes) {
    if (!is_watching_) return;
    for (Listener* listener : state_->launch.listeners) listener->cluster_access(lanes);
}

void BlockWatch::tell_time() {
    if (!is_watching_) return;
    for (Listener* listener : state_->launch.listeners) listener->time_passes();
}

void BlockWatch::tell_executed(std::uint64_t instructions) {
    if (!is_watching_) return;
    for (Listener* listener : state_->launch.listeners) listener->executed(instructions);
}

void BlockWatch::block_barrier() {
    if (!is_watching_) return;
    ++state_->counters->barriers;
    ++state_->counters->work.barriers;
    state_->shared.end_interval();
    state_->tell_which_block_runs();
    for (Listener* listener : state_->launch.listeners) listener->block_barrier();
}

void BlockWatch::cluster_barrier() {
    if (!is_watching_) return;
    for (Listener* listener : state_->launch.listeners) listener->cluster_barrier();
}

void BlockWatch::part_barrier(std::span<const int> warps) {
    if (!is_watching_) return;
    ++state_->counters->barriers;
    state_->launch.orders_parts = true;
    state_->shared.part_barrier(warps);
    state_->tell_which_block_runs();
    for (Listener* listener : state_->launch.listeners) listener->part_barrier();
}

void BlockWatch::warp_barrier(int warp, std::uint32_t lanes) {
    if (!is_watching_) return;
    ++state_->counters->warp_barriers;
    state_->shared.warp_barrier(warp, lanes);
    for (Listener* listener : state_->launch.listeners) listener->warp_barrier(warp, lanes);
}

void BlockWatch::release(int warp, std::uint64_t object) {
    if (!is_watching_) return;
    state_->launch.orders_parts = true;
    state_->shared.release(warp, object);
}

void BlockWatch::acquire(int warp, std::uint64_t object) {
    if (is_watching_) state_->shared.acquire(warp, object);
}

void BlockWatch::phase_ends() {
    if (!is_watching_) return;
    state_->tell_which_block_runs();
    for (Listener* listener : state_->launch.listeners) listener->part_barrier();
}

void BlockWatch::global_release_acquire(std::uint64_t address) {
    if (is_watching_) state_->global.synchronize(address);
}

void BlockWatch::end_block() {
    if (!is_watching_) return;
    State& state = *state_;
    state.shared.end_interval();
    for (Listener* listener : state.launch.listeners) listener->block_ends();
    state.launch.take_back(std::exchange(state.counters, nullptr));
    // Other blocks of its cluster may go on, and pass barriers.
    is_watching_ = false;
}

void forget_global_memory(std::uint64_t address, std::size_t bytes) { GlobalShadow::instance().forget(address, bytes); }

}  // namespace simt::hazards
