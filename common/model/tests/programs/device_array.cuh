// Arrays in the device's memory, for programs that use one feature of CUDA.
#pragma once

#include <cstdio>
#include <vector>

template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t count) : count_(count) { cudaMalloc(&data_, count * sizeof(T)); }
    explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { write(values); }
    DeviceArray(const DeviceArray&) = delete;
    ~DeviceArray() { cudaFree(data_); }

    T* data() const { return data_; }
    operator T*() const { return data_; }
    void fill(int byte) { cudaMemset(data_, byte, count_ * sizeof(T)); }
    void write(const std::vector<T>& values) { cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice); }
    std::vector<T> read() const
    {
        std::vector<T> values(count_);
        cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
        return values;
    }

private:
    T* data_ = nullptr;
    std::size_t count_;
};

/// Compares elements `first` to `end` with expected(index). Returns whether they are right, and prints the first that is not.
template <class Expected>
bool check(const char* what, const DeviceArray<int>& array, int first, int end, Expected expected)
{
    const cudaError_t error = cudaDeviceSynchronize();
    const std::vector<int> result = array.read();
    for (int i = first; i < end; ++i)
        if (error != cudaSuccess || result[i] != expected(i)) {
            std::printf("%s: %d at %d, expected %d (%s)\n", what, result[i], i, expected(i), cudaGetErrorString(error));
            return false;
        }
    return true;
}
