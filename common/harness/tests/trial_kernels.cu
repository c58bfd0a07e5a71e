#include "trial_kernels.hpp"

namespace {

__global__ void right(float* output, const float* input, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = input[i];
}

__global__ void leaves_last(float* output, const float* input, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) output[i] = input[i];
}

__global__ void loads_wide_one_late(float* output, const float* input, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 8) reinterpret_cast<float4*>(output)[i] = *reinterpret_cast<const float4*>(input + 4 * i + 1);
}
constexpr int wide_load = __LINE__ - 2;

__global__ void stores_far_away(float* output, float* input, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) input[i] = 0;
    if (i < n) output[i + (std::size_t{1} << 30)] = 0;
}
constexpr int far_store = __LINE__ - 2;

__global__ void transposes_pitched(float* output, const float* input, int width, int height, int padding, int into_padding) {
    for (int i = threadIdx.x; i < width * height; i += blockDim.x)
        output[i % width * (height + padding) + i / width] = input[i / width * (width + padding) + i % width];
    if (into_padding && threadIdx.x == 0) output[height] = 0;
}

__global__ void doubled(int* output, const int* input, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = 2 * input[i];
}

__global__ void doubles_all_but_the_last(int* output, const int* input, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) output[i] = 2 * input[i];
}

__global__ void negated(float* output, const float* input, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = -input[i];
}

__global__ void doubled_far_away(int* output, const int* input, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i + (std::size_t{1} << 30)] = 2 * input[i];
}
constexpr int far_double = __LINE__ - 2;

__global__ void negated_again(float* output, const float* input, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = -input[i];
}

template <auto kernel> void launch(const conflict_free::Matrices<float>& m) {
    int n = m.width * m.height;
    kernel<<<(n + 127) / 128, 128>>>(m.output, m.input, n);
}

template <auto kernel, class Number> void launch(const conflict_free::Arrays<Number, Number>& a) {
    if (a.n > 0) kernel<<<(a.n + 31) / 32, 32>>>(a.output, a.input, a.n);
}

}  // namespace

namespace conflict_free {

const int line_of_wide_load = wide_load, line_of_far_store = far_store, line_of_far_double = far_double;

void launch_right(const Matrices<float>& m) { launch<right>(m); }
void launch_leaves_last(const Matrices<float>& m) { launch<leaves_last>(m); }
void launch_loads_wide_one_late(const Matrices<float>& m) { launch<loads_wide_one_late>(m); }

void launch_large_blocks(const Matrices<float>& m) {
    int n = m.width * m.height;
    right<<<(n + 1023) / 1024, 1024>>>(m.output, m.input, n);
}

void launch_too_large_blocks(const Matrices<float>& m) { right<<<1, 2048>>>(m.output, m.input, m.width * m.height); }

void launch_stores_far_away(const Matrices<float>& m) {
    stores_far_away<<<1, 128>>>(m.output, const_cast<float*>(m.input), m.width * m.height);
}

void launch_transposes_pitched(const Matrices<float>& m, bool into_padding) {
    transposes_pitched<<<1, 64>>>(m.output, m.input, m.width, m.height, m.row_padding, into_padding);
}

void launch_doubled(const Arrays<int, int>& a) { launch<doubled>(a); }
void launch_doubles_all_but_the_last(const Arrays<int, int>& a) { launch<doubles_all_but_the_last>(a); }
void launch_doubled_far_away(const Arrays<int, int>& a) { launch<doubled_far_away>(a); }
void launch_negated(const Arrays<float, float>& a) { launch<negated>(a); }

void launch_negated_again(const Arrays<float, float>& a) {
    if (a.n == 0) return;
    negated_again<<<(a.n + 31) / 32, 32>>>(a.scratch, a.input, a.n);
    negated_again<<<(a.n + 31) / 32, 32>>>(a.output, a.scratch, a.n);
}

}  // namespace conflict_free
