// The host code that all subjects of the mutation test share: random input, device memory, a check, a command line.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace subject {

/// One problem to solve. A subject with one dimension uses `width` only.
struct Problem {
    int width = 0, height = 1;
    std::mt19937* random = nullptr;

    /// Whole numbers from 0 to `bound` − 1.
    std::vector<int> random_values(int count, int bound) const
    {
        std::vector<int> values(static_cast<std::size_t>(count));
        for (int& value : values) value = static_cast<int>((*random)() % static_cast<unsigned>(bound));
        return values;
    }
};

/// Device memory that the object owns. Until an upload, it holds a value that no subject computes.
template <class T>
class DeviceArray {
public:
    explicit DeviceArray(int count) : count_(static_cast<std::size_t>(count))
    {
        cudaMalloc(&data_, count_ * sizeof(T));
        cudaMemset(data_, 0xA5, count_ * sizeof(T));
    }
    ~DeviceArray() { release(); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    /// Copies as many elements as both sides hold.
    void upload(const std::vector<T>& values)
    {
        cudaMemcpy(data_, values.data(), sizeof(T) * (values.size() < count_ ? values.size() : count_), cudaMemcpyHostToDevice);
    }
    std::vector<T> download() const
    {
        std::vector<T> values(count_);
        cudaMemcpy(values.data(), data_, sizeof(T) * count_, cudaMemcpyDeviceToHost);
        return values;
    }
    /// Frees the memory; data() does not change.
    void release()
    {
        if (!released_) cudaFree(data_);
        released_ = true;
    }
    T* data() const { return data_; }

private:
    std::size_t count_;
    T* data_ = nullptr;
    bool released_ = false;
};

/// Whether the kernels ran without an error and `seen` equals the result of a plain loop on the host.
inline bool agree(const std::vector<int>& seen, const std::vector<int>& expected)
{
    if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
        std::printf("%s\n", cudaGetErrorString(error));
        return false;
    }
    if (seen.size() != expected.size()) {
        std::printf("%zu results, not %zu\n", seen.size(), expected.size());
        return false;
    }
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (seen[i] != expected[i]) {
            std::printf("result %zu is %d, not %d\n", i, seen[i], expected[i]);
            return false;
        }
    return true;
}

/// The columns of a matrix as rows.
inline std::vector<int> transposed(const std::vector<int>& input, int width, int height)
{
    std::vector<int> output(input.size());
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) output[x * height + y] = input[y * width + x];
    return output;
}

inline int divide_up(int value, int unit) { return (value + unit - 1) / unit; }

/// Solves a problem for each size on the command line: SEED, then sizes such as 100 or 33x31. Returns 0 if all results
/// are right, 1 if one is wrong, 2 if the command line is.
inline int run(int argc, char** argv, bool (*solve)(const Problem&))
{
    if (argc < 3) {
        std::printf("usage: %s SEED SIZE...\n", argv[0]);
        return 2;
    }
    std::mt19937 random(static_cast<unsigned>(std::atoi(argv[1])));
    bool right = true;
    for (int i = 2; i < argc; ++i) {
        Problem problem;
        problem.random = &random;
        if (std::sscanf(argv[i], "%dx%d", &problem.width, &problem.height) < 1 || problem.width < 1 || problem.height < 1) {
            std::printf("size: '%s' given, WIDTH or WIDTHxHEIGHT above 0 accepted\n", argv[i]);
            return 2;
        }
        if (!solve(problem)) {
            std::printf("size %s: wrong\n", argv[i]);
            right = false;
        }
    }
    return right ? 0 : 1;
}

}  // namespace subject
