#include "engine/engine.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "device/address_space.hpp"
#include "device/bounds.hpp"
#include "engine/repeats.hpp"
#include "interpreter/decode/fusion.hpp"
#include "interpreter/schedule/launch.hpp"
#include "interpreter/watch.hpp"
#include "report/progress.hpp"
#include "report/report.hpp"
#include "report/session.hpp"
#include "rules/partitions.hpp"

namespace simt {

namespace {

using memory::AddressSpace;
using memory::Allocation;

constexpr int error_too_many_resources = 701;

/// Whether blocks must run one after another, because their order shows in the counts or to listeners.
int workers_for(const interpreter::Program& program, const std::vector<Listener*>& listeners) {
    if (!listeners.empty() || program.orders_blocks) return 1;
    if (const char* wanted = std::getenv("SIMT_THREADS")) return std::max(std::atoi(wanted), 1);
    return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
}

void add_note(const FusedAccess& note, LaunchCounts& counts) {
    if (std::ranges::find(counts.fused, note) == counts.fused.end()) counts.fused.push_back(note);
}

/// The known differences between a kernel's machine code and its text.
void add_fusion(const interpreter::Program& program, LaunchCounts& counts) {
    for (const auto& code : program.codes) {
        if (!code) continue;
        const auto& function = program.module->functions[code->function];
        const std::uint64_t text = function.text->fingerprint;
        if (FusedAccess note{"", 0, "", "", interpreter::why_unknown(text)}; !note.why.empty()) {
            counts.exact = false;
            add_note(note, counts);
        }
        const interpreter::FunctionFusion* fusion = interpreter::find_fusion(text, code->name);
        if (!fusion) continue;
        counts.exact &= fusion->exact;
        for (const FusedAccess& note : fusion->notes) add_note(note, counts);
    }
}

/// The registers of a kernel, the bytes that it and the functions that it calls spill, and the warps that a multiprocessor holds.
void add_resources(const interpreter::Program& program, const Machine& machine, LaunchCounts& counts) {
    // Without a comparison, the limits of the machine code's own machine hold for every machine.
    const Machine* holder = machine.name == interpreter::machine_of_resources() ? &machine : nullptr;
    Resources all;
    for (const auto& code : program.codes) {
        if (!code) continue;
        const auto* fusion = interpreter::find_fusion(program.module->functions[code->function].text->fingerprint, code->name);
        const Resources* used = fusion ? &fusion->resources : interpreter::find_resources(code->name);
        if (!used) continue;
        if (!fusion && !holder) holder = &machines().front();
        all.registers = std::max(all.registers, used->registers);
        all.spilled_store_bytes += used->spilled_store_bytes;
        all.spilled_load_bytes += used->spilled_load_bytes;
    }
    if (!holder || all.registers == 0) return;
    holder->fill_occupancy(all, static_cast<int>(counts.block.x * counts.block.y * counts.block.z),
                           static_cast<std::int64_t>(counts.shared_bytes));
    counts.resources = all;
}

/// Notes the polls of a launch: the model's number of reads is not a GPU's.
void add_polls(const interpreter::Program& program, std::uint64_t polled, LaunchCounts& counts) {
    for (std::size_t n = 0; n < program.polls.size(); ++n) {
        if (!interpreter::has_bit(polled, n)) continue;
        const SourcePlace& place = program.polls[n];
        counts.exact = false;
        add_note({place.file, place.line, "", "", "threads look here until others have written: how often is a matter of time"}, counts);
    }
}

/// Notes the branches of a launch at which lanes diverged and the machine code differs.
void add_divergences(const interpreter::Program& program, std::uint64_t diverged, LaunchCounts& counts) {
    for (std::size_t n = 0; n < program.inexact_divergences.size(); ++n) {
        if (!interpreter::has_bit(diverged, n)) continue;
        counts.exact = false;
        add_note(program.inexact_divergences[n], counts);
    }
}

/// Notes the asynchronous copies of a launch whose lanes conflict: the rules of copy_rules.cpp do not know each GPU's wavefronts of these.
void add_conflicting_copies(LaunchCounts& counts) {
    for (const LineCounts& line : counts.lines) {
        if (line.space != Space::shared || line.operation != Operation::async_copy || line.shared.conflicts() == 0) continue;
        counts.exact = false;
        add_note({line.file, line.line, "", "", "lanes of the copy conflict: a GPU moves their data in an order that is not known"},
                 counts);
    }
}

/// Publishes the name of the running kernel during its lifetime.
class Announcement {
public:
    Announcement(interpreter::Launch& launch) {
        report::CurrentLaunch& current = report::current_launch();
        current.kernel = launch.program->name;
        current.info = launch.info;
        current.block = {0, 0, 0};
        current.place_of = [&launch](std::uint32_t program_counter) { return launch.place_of(program_counter); };
        current.running = true;
        current.stopped = &launch.stopped;
    }
    ~Announcement() {
        report::current_launch().stopped = nullptr;
        report::current_launch().running = false;
        report::current_launch().place_of = {};
    }
    Announcement(const Announcement&) = delete;
    Announcement& operator=(const Announcement&) = delete;
};

}  // namespace

interpreter::Program& EngineDevice::program(int number) {
    Kernel& of = kernel(number);
    if (!of.program) of.program = interpreter::decode(module(of.module), of.function);
    return *of.program;
}

EngineDevice::Kernel& EngineDevice::kernel(int number) {
    if (number < 0 || number >= static_cast<int>(kernels_.size()))
        throw DeviceError(98, {MessageCode::no_such_number, {{"object", "kernel"}, {"number", number}}});
    return kernels_[number];
}

const Machine& EngineDevice::machine() const { return current_machine(); }

void EngineDevice::set_printer(std::function<void(std::string_view)> printer) {
    const std::lock_guard lock(mutex_);
    printer_ = std::move(printer);
}

void EngineDevice::reset() {
    change_memory();
    const std::lock_guard lock(mutex_);
    AddressSpace::instance().reset();
}

int EngineDevice::occupancy(int function, int block_threads, std::size_t dynamic_shared_bytes) {
    const std::lock_guard lock(mutex_);
    const Machine& machine = current_machine();
    const std::size_t static_shared_bytes = program(function).static_shared_bytes;
    if (block_threads > machine.max_block_threads ||
        !has_room(static_cast<std::uint64_t>(machine.max_shared_bytes), static_shared_bytes, dynamic_shared_bytes))
        return 0;
    const auto shared = static_cast<std::int64_t>(static_shared_bytes + dynamic_shared_bytes);
    return std::max(machine.concurrent_blocks(block_threads, shared) / machine.multiprocessors, 1);
}

int EngineDevice::launch(const LaunchRequest& request) {
    const std::lock_guard lock(launch_mutex_);
    return launch_alone(request);
}

int EngineDevice::launch_alone(const LaunchRequest& request) {
    ++report::current_launch().number;
    interpreter::Program* decoded = nullptr;
    {
        const std::lock_guard lock(mutex_);
        decoded = &program(request.function);
    }
    const std::optional<CheckedLaunch> checked = CheckedLaunch::of(request, *decoded, current_machine());
    if (!checked) return error_invalid_configuration;
    report::Session& session = report::session();
    report::CountedPart counted;
    {
        const std::scoped_lock session_lock(session.mutex);
        counted = session.budget.begin({decoded->name, request.grid, request.block, checked->shared_bytes()});
    }
    // With several devices only launches that change nothing are deferred, since another device could read memory meanwhile.
    if (!counted.any() && Repeats::instance().puts_off(ordinal_, request, engine_device_count() == 1)) return 0;
    execute_put_off();
    return run(*decoded, *checked, counted, false);
}

/// The workspace of a cooperative launch during the launch: its size, and a barrier at which no block has arrived.
class EngineDevice::Workspace {
public:
    Workspace(EngineDevice& device, bool wanted) : device_(device) {
        if (!wanted) return;
        constexpr std::uint32_t bytes = 4096;
        address_ = device_.allocate(bytes);
        if (address_ == 0) throw DeviceError(2, MessageCode::no_memory_for_workspace);
        device_.fill(address_, 0, 1, bytes);
        device_.fill(address_, bytes, 4, 1);
    }
    ~Workspace() {
        if (address_) device_.release(address_);
    }
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    DeviceAddress address() const { return address_; }

private:
    EngineDevice& device_;
    DeviceAddress address_ = 0;
};

int EngineDevice::run(interpreter::Program& program, const CheckedLaunch& checked, const report::CountedPart& counted, bool is_known) {
    const LaunchRequest& request = checked.request();
    report::Session& session = report::session();
    interpreter::Launch launch;
    launch.program = &program;
    launch.machine = &current_machine();
    launch.info = {request.grid, request.block, request.dynamic_shared_bytes, program.static_shared_bytes, request.carveout};
    launch.cluster = checked.cluster();
    launch.explicit_cluster = request.cluster.x > 0;
    launch.cooperative = request.cooperative;
    launch.blocks = checked.blocks();
    launch.threads = checked.threads();
    launch.warps = (launch.threads + warp_size - 1) / warp_size;
    launch.shared_bytes = checked.shared_bytes();
    launch.grid_id = ++launches_;
    const Workspace workspace(*this, request.cooperative);
    launch.workspace = workspace.address();
    launch.parameters = request.parameters;
    launch.parameters.resize(std::max(launch.parameters.size(), program.parameter_bytes));
    launch.heap_bytes_left = &heap_bytes_left_;
    launch.has_heap = has_heap_;
    std::vector<Listener*> listeners;
    {
        const std::scoped_lock lock(session.mutex);
        listeners = session.listeners;
        launch.timeout = session.timeout;
    }
    std::optional<rules::Partitions> partitions;
    if (launch.machine->partitions > 0) {
        partitions.emplace(*launch.machine, [&launch] { return launch.shared_bytes; });
        listeners.push_back(&*partitions);
    }
    if (!counted.any()) listeners.clear();
    Effect effect{Repeats::instance().state()};
    const std::uint64_t found_in_host = AddressSpace::instance().found_in_host();
    const report::CountedPart::Clock::time_point begun = report::CountedPart::Clock::now();
    const Announcement announcement(launch);
    hazards::Surroundings surroundings;
    surroundings.machine = launch.machine;
    surroundings.place_of = [&launch](std::uint32_t program_counter) { return launch.place_of(program_counter); };
    surroundings.range_of = [](std::uint64_t address) {
        Allocation allocation;
        return AddressSpace::instance().find(address, allocation) && !allocation.freed ? std::pair{allocation.begin, allocation.bytes}
                                                                                       : std::pair{std::uint64_t{0}, std::size_t{0}};
    };
    surroundings.shared_bytes = launch.shared_bytes;
    if (engine_device_count() > 1) surroundings.device = ordinal_;
    surroundings.instructions = static_cast<std::uint32_t>(program.module->instruction_places.size());
    if (!counted.is_all()) surroundings.watches = [&counted](std::uint64_t block) { return counted.has(block); };
    const int workers = workers_for(program, listeners);
    surroundings.single_threaded = workers == 1;
    hazards::LaunchWatch watch(launch.info, program.name, surroundings, listeners);
    launch.watch = &watch;
    int error = 0;
    report::CountedPart::Clock::time_point budget_ends;
    {
        const std::scoped_lock lock(session.mutex);
        budget_ends = session.budget.ends();
    }
    report::Progress progress(program.name, launch.blocks, budget_ends);
    launch.progress = [&progress](std::uint64_t blocks) { progress.add(blocks); };
    try {
        interpreter::run_blocks(launch, workers);
    } catch (const interpreter::LaunchStopped& end) {
        error = end.error();
        launch.stopped = true;
        if (end.message()) session.add_error(*end.message());
    }
    if (counted.any()) {
        LaunchCounts counts = watch.take_counts();
        counts.stopped = launch.stopped;
        add_fusion(program, counts);
        add_resources(program, *launch.machine, counts);
        add_polls(program, launch.polled, counts);
        add_divergences(program, launch.diverged, counts);
        add_conflicting_copies(counts);
        if (partitions) counts.partitions = partitions->take();
        session.add(std::move(counts));
        const std::scoped_lock lock(session.mutex);
        for (const auto& text : program.module->texts) session.files.insert(text->files.begin(), text->files.end());
    }
    {
        const std::scoped_lock lock(session.mutex);
        session.budget.end(counted);
    }
    std::vector<Hazard> hazards = watch.take_hazards();
    effect.error = error;
    effect.is_noticed = !hazards.empty() || !launch.printed.empty();
    effect.met_host = AddressSpace::instance().found_in_host() != found_in_host;
    effect.seconds = std::chrono::duration<double>(report::CountedPart::Clock::now() - begun).count();
    if (!is_known) note_effect(launch, request, effect);
    for (Hazard& hazard : hazards) session.add(std::move(hazard));
    report::end_if_interrupted();
    for (const auto& [block, text] : launch.printed) {
        if (printer_) printer_(text);
        else std::fwrite(text.data(), 1, text.size(), stdout);
    }
    return error != 0 ? error : run_children(launch);
}

void EngineDevice::note_error(const Message& message) { report::session().add_error(message); }

EngineDevice& engine_device(int ordinal) {
    static std::mutex mutex;
    static auto& devices = *new std::map<int, std::unique_ptr<EngineDevice>>;
    const std::lock_guard lock(mutex);
    auto& found = devices[ordinal];
    if (!found) found = std::make_unique<EngineDevice>(ordinal);
    return *found;
}

int engine_device_count() {
    const char* wanted = std::getenv("SIMT_DEVICES");
    return wanted ? std::clamp(std::atoi(wanted), 1, 64) : 1;
}

}  // namespace simt
