// Functions that CUDA 13 does not declare, and the first forms of functions whose newer forms do the same. Libraries such as cuFFT look
// functions up by these names, and stop if one is missing. This file does not include the driver's header, whose macros turn these names into those of the newer forms.

extern "C" {

int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease(int device) { return cuDevicePrimaryCtxRelease_v2(device); }

int cuCtxCreate_v4(void** context, void* parameters, unsigned flags, int device);
int cuCtxCreate_v2(void** context, unsigned flags, int device) { return cuCtxCreate_v4(context, nullptr, flags, device); }
int cuCtxCreate_v3(void** context, void*, int, unsigned flags, int device) { return cuCtxCreate_v4(context, nullptr, flags, device); }

int cuEventElapsedTime_v2(float* milliseconds, void* start, void* end);
int cuEventElapsedTime(float* milliseconds, void* start, void* end) { return cuEventElapsedTime_v2(milliseconds, start, end); }

// CUDA 13 has no configuration files of the profiler.
int cuProfilerInitialize(const char*, const char*, int) { return 0; }

}  // extern "C"
