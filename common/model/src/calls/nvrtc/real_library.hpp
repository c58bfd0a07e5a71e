// NVIDIA's compiler library, which the model's calls.
#pragma once

namespace simt::nvrtc {

/// A function of NVIDIA's `libnvrtc`. Searches the other folders of `LD_LIBRARY_PATH`, `CUDA_PATH`, `CUDA_HOME`,
/// `/usr/local/cuda` and the folders of the system. Null, after one line on stderr, if there is no such library.
void* real_function(const char* name);

}  // namespace simt::nvrtc
