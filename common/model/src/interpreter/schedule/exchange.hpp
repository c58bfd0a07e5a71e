// The end of a wait of lanes of a warp for one another.
#pragma once

#include <algorithm>

#include "interpreter/schedule/warp.hpp"

namespace simt::interpreter {

/// Whether lanes of the warp wait for other lanes of it.
inline bool has_warp_barriers(const Warp& warp) {
    return std::ranges::any_of(warp.stalled, [](const WarpSplit& split) { return split.wait == Wait::warp_barrier; });
}

/// Lets lanes go on once all of them have reached one warp-level operation. Returns whether there were any.
bool release_warp_barriers(Warp& warp);

}  // namespace simt::interpreter
