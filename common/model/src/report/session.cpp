#include "report/session.hpp"

#include <algorithm>
#include <utility>

namespace simt {

namespace report {

namespace {

/// Takes the records since the last call.
template <class Records> Records taken(Records& records) {
    const std::scoped_lock lock(session().mutex);
    return std::exchange(records, {});
}

}  // namespace

Session& session() {
    // Never destroyed: programs launch and report until their very end.
    static Session& instance = *new Session;
    return instance;
}

CurrentLaunch& current_launch() {
    static CurrentLaunch& instance = *new CurrentLaunch;
    return instance;
}

void Session::add(Hazard hazard) {
    const std::scoped_lock lock(mutex);
    const auto same = [&](const Hazard& other) {
        return other.kind == hazard.kind && other.kernel == hazard.kernel && std::ranges::is_permutation(other.lines, hazard.lines);
    };
    if (std::ranges::none_of(hazards, same)) hazards.push_back(std::move(hazard));
}

void Session::add(LaunchCounts counts) {
    const std::scoped_lock lock(mutex);
    launches.push_back(std::move(counts));
}

void Session::add_error(Message message) {
    const std::scoped_lock lock(mutex);
    errors.push_back(std::move(message));
}

}  // namespace report

using report::session;

void set_machine(const Machine& machine) {
    const std::scoped_lock lock(session().mutex);
    session().machine = &machine;
}

const Machine& current_machine() {
    const std::scoped_lock lock(session().mutex);
    return *session().machine;
}

std::vector<LaunchCounts> take_launches() { return report::taken(session().launches); }
std::vector<Hazard> take_hazards() { return report::taken(session().hazards); }
std::vector<Message> take_errors() { return report::taken(session().errors); }

SourcePlace source_place(std::uint32_t program_counter) {
    const auto& place_of = report::current_launch().place_of;
    return place_of ? place_of(program_counter) : SourcePlace{};
}

void add_listener(Listener& listener) {
    const std::scoped_lock lock(session().mutex);
    session().listeners.push_back(&listener);
}

void remove_listener(Listener& listener) {
    const std::scoped_lock lock(session().mutex);
    std::erase(session().listeners, &listener);
}

}  // namespace simt
