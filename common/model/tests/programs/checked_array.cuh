// The check of an array of the device, which programs on asynchronous copies share.
#pragma once

#include <cstdio>

#include "../device_array.cuh"

/// Compares elements `first` to `end` with expected(index). Returns whether they are right, and prints the first that is not.
template <class Expected> bool check(const char* what, const DeviceArray<int>& array, int first, int end, Expected expected) {
    const cudaError_t error = cudaDeviceSynchronize();
    const std::vector<int> result = array.host();
    for (int i = first; i < end; ++i)
        if (error != cudaSuccess || result[i] != expected(i)) {
            std::printf("%s: %d at %d, expected %d (%s)\n", what, result[i], i, expected(i), cudaGetErrorString(error));
            return false;
        }
    return true;
}
