// Blocks on the cores of the host. Each host thread runs one cluster (or block) after another to its end. A cluster that only waits
// for others is set aside while another runs; as many are open at a time as a GPU has room for.

#include <time.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "device/address_space.hpp"
#include "device/host_memory.hpp"
#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter {

namespace {

/// Another block takes its turn after this many slices in a row without an effect.
constexpr int most_idle_slices = 4;
/// Threads of a cluster that waited for one another in this many slices in a row never go on.
constexpr int most_waiting_slices = 64;
/// The clock is read every `slices_between_looks` slices, but not more often than every `between_looks`.
constexpr int slices_between_looks = 16;
constexpr std::chrono::milliseconds between_looks{1};
/// A kernel counts as endless after this much processor time without the end of a block.
constexpr double most_seconds_of_block = 60;

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The blocks of one cluster, which run together.
class Cluster {
public:
    Cluster(Launch& launch, int size) {
        for (int rank = 0; rank < size; ++rank) blocks_.push_back(std::make_unique<Block>(launch));
        std::vector<Block*> all;
        for (const auto& block : blocks_) all.push_back(block.get());
        for (int rank = 0; rank < size; ++rank) {
            blocks_[static_cast<std::size_t>(rank)]->cluster = all;
            blocks_[static_cast<std::size_t>(rank)]->cluster_rank = rank;
        }
    }

    void begin(const std::vector<std::uint64_t>& numbers) {
        ended_.assign(blocks_.size(), false);
        waiting_slices_ = 0;
        for (std::size_t rank = 0; rank < blocks_.size(); ++rank) blocks_[rank]->begin(numbers[rank]);
    }

    /// Returns true once all blocks have ended.
    bool run_slice() {
        bool all = true;
        idle_ = looks_elsewhere_ = true;
        bool only_waits = true;
        for (std::size_t rank = 0; rank < blocks_.size(); ++rank) {
            if (ended_[rank]) continue;
            ended_[rank] = blocks_[rank]->run_slice();
            if (ended_[rank]) blocks_[rank]->complete_cluster_barrier();
            idle_ &= !ended_[rank] && blocks_[rank]->idle();
            only_waits &= !ended_[rank] && blocks_[rank]->only_waits();
            looks_elsewhere_ &= ended_[rank] || blocks_[rank]->looks_elsewhere();
            all &= ended_[rank];
        }
        waiting_slices_ = only_waits && !all ? waiting_slices_ + 1 : 0;
        if (waiting_slices_ > most_waiting_slices) report_stuck();
        return all;
    }

    bool idle() const { return idle_; }
    bool looks_elsewhere() const { return looks_elsewhere_; }
    bool let_waiting_lanes_go() {
        bool went = false;
        for (std::size_t rank = 0; rank < blocks_.size(); ++rank) went |= !ended_[rank] && blocks_[rank]->let_waiting_lanes_go();
        return went;
    }
    std::uint64_t first_number() const { return blocks_.front()->number; }
    const Block& front() const { return *blocks_.front(); }
    /// Replaces `outermost` if a warp's last slice ended in a loop around it.
    void find_loop(std::optional<LoopEnd>& outermost) const {
        for (const auto& block : blocks_)
            for (const auto& warp : block->warps)
                if (warp->loop_end && (!outermost || *warp->loop_end < *outermost)) outermost = warp->loop_end;
    }
    void end() {
        for (std::size_t rank = 0; rank < blocks_.size(); ++rank)
            if (!ended_[rank]) blocks_[rank]->end_watching();
    }

private:
    /// Only threads of the cluster can reach barriers in its shared memory.
    [[noreturn]] void report_stuck() {
        const auto waits = std::ranges::find(ended_, false) - ended_.begin();
        blocks_[static_cast<std::size_t>(waits)]->report_stuck();
    }

    std::vector<std::unique_ptr<Block>> blocks_;
    std::vector<bool> ended_;
    bool idle_ = false, looks_elsewhere_ = false;
    int waiting_slices_ = 0;
};

/// Hands out clusters in their order, several at a time if there are many: neighbors touch neighboring memory, which is slow to go back
/// and forth between cores.
class Supply {
public:
    /// The clusters that a host thread has taken and not begun.
    struct Share { std::uint64_t next = 0, end = 0; };

    Supply(const Launch& launch, int workers) : launch_(launch) {
        const Extent& c = launch.cluster;
        size_ = static_cast<int>(c.x * c.y * c.z);
        count_ = launch.blocks / static_cast<std::uint64_t>(size_);
        constexpr std::uint64_t most = 8, shares = 32;
        together_ = std::clamp<std::uint64_t>(count_ / (shares * static_cast<std::uint64_t>(std::max(workers, 1))), 1, most);
    }

    int cluster_size() const { return size_; }
    std::uint64_t count() const { return count_; }

    /// Returns the blocks of the next cluster by rank; nothing when there are no more.
    std::vector<std::uint64_t> next(Share& share) {
        if (share.next == share.end) {
            share.next = next_.fetch_add(together_);
            share.end = std::max(share.next, std::min(share.next + together_, count_));
        }
        if (share.next == share.end) return {};
        return numbers_of(share.next++);
    }

private:
    std::vector<std::uint64_t> numbers_of(std::uint64_t cluster) const {
        if (size_ == 1) return {cluster};
        const Extent& grid = launch_.info.grid;
        const Extent& c = launch_.cluster;
        const std::uint64_t across = grid.x / c.x, down = grid.y / c.y;
        const std::uint64_t x = cluster % across * c.x, y = cluster / across % down * c.y, z = cluster / across / down * c.z;
        std::vector<std::uint64_t> numbers;
        for (unsigned dz = 0; dz < c.z; ++dz)
            for (unsigned dy = 0; dy < c.y; ++dy)
                for (unsigned dx = 0; dx < c.x; ++dx) numbers.push_back(x + dx + grid.x * (y + dy + std::uint64_t{grid.y} * (z + dz)));
        return numbers;
    }

    const Launch& launch_;
    int size_ = 1;
    std::uint64_t count_ = 0, together_ = 1;
    std::atomic<std::uint64_t> next_{0};
};

/// One host thread's blocks.
class Worker {
public:
    Worker(Launch& launch, Supply& supply, std::size_t room)
        : launch_(launch), supply_(supply), room_(room), started_(processor_seconds()), progressed_(started_), worked_(started_) {}

    void run() {
        if (launch_.cooperative)
            while (start_another()) {}
        while (!launch_.stopped && (!resident_.empty() || start_another())) take_turn();
        for (const auto& cluster : resident_) cluster->end();
    }

private:
    bool start_another() {
        if (resident_.size() >= room_ && !launch_.cooperative) return false;
        const std::vector<std::uint64_t> numbers = supply_.next(share_);
        if (numbers.empty()) return false;
        std::unique_ptr<Cluster> cluster;
        if (spare_.empty()) {
            cluster = std::make_unique<Cluster>(launch_, supply_.cluster_size());
        } else {
            cluster = std::move(spare_.back());
            spare_.pop_back();
        }
        cluster->begin(numbers);
        resident_.push_back(std::move(cluster));
        return true;
    }

    /// Runs the first cluster until it ends or only waits; then the next has its turn.
    void take_turn() {
        auto cluster = std::move(resident_.front());
        resident_.pop_front();
        ++idle_turns_;
        for (int idle = 0; !launch_.stopped;) {
            bool ended = false;
            try {
                ended = cluster->run_slice();
                check_time_and_memory(*cluster);
            } catch (...) {
                cluster->end();
                throw;
            }
            if (ended) {
                idle_turns_ = 0;
                has_progressed_ = true;
                if (launch_.progress) launch_.progress(static_cast<std::uint64_t>(supply_.cluster_size()));
                spare_.push_back(std::move(cluster));
                return;
            }
            idle = cluster->idle() ? idle + 1 : 0;
            if (!cluster->idle()) idle_turns_ = 0;
            if (idle < most_idle_slices && !cluster->looks_elsewhere()) continue;
            resident_.push_back(std::move(cluster));
            if (start_another()) idle_turns_ = 0;
            if (idle_turns_ > resident_.size()) help_those_who_wait();
            return;
        }
        cluster->end();
    }

    /// Called when no block can go on: only lanes that wait for others of their warp can end the blocks' wait.
    void help_those_who_wait() {
        for (const auto& cluster : resident_) cluster->let_waiting_lanes_go();
        idle_turns_ = 0;
    }

    void check_time_and_memory(const Cluster& cluster) {
        works_ |= !cluster.idle();
        if (lasts_) cluster.find_loop(outermost_);
        if (++slices_ % slices_between_looks != 0) return;
        // Reading the processor time is a system call, which takes as long as several slices of a small block.
        const auto wall_time = std::chrono::steady_clock::now();
        if (wall_time < next_look_) return;
        next_look_ = wall_time + between_looks;
        if (std::optional<Message> message = memory::no_memory_left()) {
            message->fields.insert(message->fields.end(), {{"kernel", launch_.program->name}, {"block", cluster.front().index}});
            throw LaunchStopped(error_out_of_memory, std::move(message));
        }
        const double now = processor_seconds();
        if (std::exchange(works_, false)) worked_ = now;
        if (std::exchange(has_progressed_, false)) progressed_ = now;
        const double limit = launch_.timeout ? launch_.timeout->count() : most_seconds_of_block;
        lasts_ = now - progressed_ > limit / 2;
        if (!lasts_) outermost_.reset();
        if (now - (launch_.timeout ? started_ : progressed_) < limit) return;
        const bool waits = launch_.polled != 0 && now - worked_ > limit / 2;
        std::array<char, 24> seconds{};
        std::snprintf(seconds.data(), seconds.size(), "%g", limit);
        Message message(waits             ? MessageCode::waits_in_vain
                        : launch_.timeout ? MessageCode::kernel_does_not_end
                                          : MessageCode::block_does_not_end,
                        {{"kernel", launch_.program->name}, {"block", cluster.front().index}, {"seconds", seconds.data()}});
        if (waits) {
            const SourcePlace& look = launch_.program->polls[first_lane(launch_.polled.load())];
            if (look.line > 0) message.fields.insert(message.fields.end(), {{"file", look.file}, {"line", look.line}});
        } else if (outermost_) {
            message = launch_.with_line(std::move(message), outermost_->program_counter);
        }
        throw LaunchStopped(error_timeout, std::move(message));
    }

    Launch& launch_;
    Supply& supply_;
    Supply::Share share_;
    std::size_t room_;
    double started_;
    /// Processor time when the first block began, or at the first reading of the clock after one ended.
    double progressed_;
    /// Whether a block has ended since the last reading.
    bool has_progressed_ = false;
    /// Whether no block has ended for half of the limit.
    bool lasts_ = false;
    /// The outermost loop of those that went on since then: loops around it have ended none of their iterations.
    std::optional<LoopEnd> outermost_;
    /// Processor time, to the last reading of the clock, when a block last did something that another thread could notice.
    double worked_;
    /// Whether some block did so since the last reading of the clock.
    bool works_ = false;
    int slices_ = 0;
    std::chrono::steady_clock::time_point next_look_;
    /// The number of turns in a row without an effect that another thread could notice.
    std::size_t idle_turns_ = 0;
    std::deque<std::unique_ptr<Cluster>> resident_;
    std::vector<std::unique_ptr<Cluster>> spare_;
};

}  // namespace

void run_blocks(Launch& launch, int workers) {
    Supply supply(launch, workers);
    const auto count = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(std::max(workers, 1)), supply.count()));
    const int resident = launch.machine->concurrent_blocks(launch.threads, static_cast<std::int64_t>(launch.shared_bytes));
    const auto room = static_cast<std::size_t>(std::max(resident / supply.cluster_size() / std::max(count, 1), 1));
    std::mutex mutex;
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            Worker(launch, supply, room).run();
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            launch.stopped = true;
        }
    };
    std::vector<std::jthread> others;
    for (int i = 1; i < count; ++i) others.emplace_back(work);
    work();
    others.clear();
    if (failure) std::rethrow_exception(failure);
}

void Launch::print(std::uint64_t block, std::string_view text) {
    const std::lock_guard lock(print_mutex);
    printed[block] += text;
}

std::uint64_t Launch::allocate(std::uint64_t bytes) {
    std::size_t left = heap_bytes_left->load();
    do {
        if (left < bytes) return 0;
    } while (!heap_bytes_left->compare_exchange_weak(left, left - bytes));
    return memory::AddressSpace::instance().allocate(bytes);
}

void Launch::release(std::uint64_t address) {
    memory::Allocation allocation;
    if (memory::AddressSpace::instance().find(address, allocation) && !allocation.freed) *heap_bytes_left += allocation.bytes;
    memory::AddressSpace::instance().release(address);
    ++releases;
}

Message Launch::message_of(const Warp& warp, std::size_t lane, MessageCode code, std::initializer_list<MessageField> fields) const {
    Message message(code, {{"kernel", program->name}, {"block", warp.block->index}, {"thread", info.thread(warp.thread_of(lane))}});
    message.fields.insert(message.fields.end(), fields);
    return message;
}

Message Launch::with_line(Message message, std::uint32_t program_counter) const {
    if (const SourcePlace place = place_of(program_counter); place.line > 0)
        message.fields.insert(message.fields.end(), {{"file", place.file}, {"line", place.line}});
    return message;
}

SourcePlace Launch::place_of(std::uint32_t program_counter) const { return program->module->instruction_places[program_counter].place; }

Extent Launch::block_index(std::uint64_t number) const {
    return {static_cast<unsigned>(number % info.grid.x), static_cast<unsigned>(number / info.grid.x % info.grid.y),
            static_cast<unsigned>(number / info.grid.x / info.grid.y)};
}

}  // namespace simt::interpreter
