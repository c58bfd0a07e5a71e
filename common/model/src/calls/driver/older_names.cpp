// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The first forms of functions whose newer forms do the same. Libraries such as cuFFT look functions up by these names, and stop
// if one is missing. This file does not include the driver's header, whose macros turn these names into those of the newer forms.

extern "C" {

int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease(int device) { return cuDevicePrimaryCtxRelease_v2(device); }

int cuEventElapsedTime_v2(float* milliseconds, void* start, void* end);
int cuEventElapsedTime(float* milliseconds, void* start, void* end) { return cuEventElapsedTime_v2(milliseconds, start, end); }

}  // extern "C"
