// The functions of the counting model for a program that runs under it.
#pragma once

#include <string>
#include <vector>

#include "simt/counts.hpp"
#include "simt/hazard.hpp"

namespace conflict_free::model {

/// True if this program runs with the model's CUDA runtime.
/// @throws std::runtime_error for a model of another version
bool is_there();

/// @name Under the model
/// These may be called if is_there().
/// @{
/// The name of the machine whose rules apply.
std::string machine();

/// Chooses the machine of later launches.
/// @throws UsageError for an unknown name
void choose_machine(const std::string& name);

/// The counts and findings of the model since the last call.
struct Report {
    std::vector<simt::LaunchCounts> launches;
    std::vector<simt::Hazard> hazards;
    /// Errors that stopped kernels and are no hazards, one line each.
    std::vector<simt::Message> errors;
    /// False if the user had the model count fewer than all launches and blocks.
    bool all_counted = true;
};
Report take_report();

/// Bytes that devices have sent each other since the program began.
std::uint64_t link_bytes();
/// @}

}  // namespace conflict_free::model
