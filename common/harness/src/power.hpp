// The power that the GPU takes, from NVML, the driver's library for its management.
#pragma once

#include <optional>

namespace conflict_free {

/// The power that the current device takes, in watts: in this moment, or over the last second on GPUs that report nothing else. Nothing if
/// NVML is missing or does not report it.
std::optional<double> read_watts();

}  // namespace conflict_free
