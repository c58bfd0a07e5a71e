// Arrays in the device's memory, for tests and for the programs that use one feature of CUDA.
#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime.h>

/// Device memory that lives as long as the object.
template <class T> class DeviceArray {
public:
    explicit DeviceArray(std::size_t count) : count_(count) { cudaMalloc(&data, count * sizeof(T)); }
    explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { write(values); }
    DeviceArray(const DeviceArray&) = delete;
    ~DeviceArray() { cudaFree(data); }

    operator T*() const { return data; }
    void fill(int byte) { cudaMemset(data, byte, count_ * sizeof(T)); }
    void write(const std::vector<T>& values) { cudaMemcpy(data, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice); }
    std::vector<T> host() const {
        std::vector<T> values(count_);
        cudaMemcpy(values.data(), data, count_ * sizeof(T), cudaMemcpyDeviceToHost);
        return values;
    }

    T* data = nullptr;

private:
    std::size_t count_;
};
