// The state that the parts of the model share between launches.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/budget.hpp"
#include "simt/model.hpp"

namespace simt::report {

/// The model's state: the machine, the listeners, the counts, the hazards and the errors.
struct Session {
    /// Lock this to read or change the members below. A launch does not hold it while its listeners run. Recursive, because a signal can
    /// interrupt the thread that holds it.
    std::recursive_mutex mutex;
    const Machine* machine = &machines().front();
    std::vector<Listener*> listeners;
    std::vector<LaunchCounts> launches;
    std::vector<Hazard> hazards;
    /// The errors that stopped kernels and are not hazards, such as a time-out.
    std::vector<Message> errors;
    /// The paths of the launched kernels' source files, as the compiler got them.
    std::set<std::string> files;
    /// Decides how much of the launches is counted.
    Budget budget;
    /// The most processor time that a kernel may take, if there is a limit.
    std::optional<std::chrono::duration<double>> timeout;
    /// The most time for which the program may run, if there is a limit.
    std::optional<std::chrono::duration<double>> time_limit;

    /// Adds a hazard, unless there is one of the same kind on the same lines of the same kernel.
    void add(Hazard hazard);
    void add(LaunchCounts counts);
    void add_error(Message message);
};

Session& session();

/// The running launch, for reports. The device sets it before the launch's first event. While there are listeners, one launch runs
/// at a time.
struct CurrentLaunch {
    std::string kernel;
    LaunchInfo info;
    Extent block;
    /// Set while a kernel runs.
    bool running = false;
    /// The number of launches so far, with deferred ones.
    std::atomic<std::uint64_t> number{0};
    /// Ends the kernel's blocks, so that what they have counted is kept; null while none runs.
    std::atomic<std::atomic<bool>*> stopped{nullptr};
    std::function<SourcePlace(std::uint32_t program_counter)> place_of;
};

CurrentLaunch& current_launch();

}  // namespace simt::report
