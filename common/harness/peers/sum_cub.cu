// The sum of CUB, timed and checked as the kernels of the chapters are. scripts/measure --peers stores the text between a
// call's markers with its times.

#include <cmath>
#include <sstream>

#include <cub/device/device_reduce.cuh>

#include <conflict_free/array_chapter.hpp>
#include <conflict_free/error.hpp>

#include "peers.hpp"

using namespace conflict_free;

std::size_t temporary_bytes(std::size_t n) {
    std::size_t bytes = 0;
    CUDA_CHECK(
        cub::DeviceReduce::Sum(nullptr, bytes, static_cast<const float*>(nullptr), static_cast<float*>(nullptr), static_cast<int>(n)));
    return bytes;
}

/// Elements of the room that CUB asks for.
std::size_t temporary_length(std::size_t n) { return (temporary_bytes(n) + sizeof(float) - 1) / sizeof(float); }

void cub_device_reduce(const Arrays<float, float>& a) {
    // Queried once, as in a program that adds more than once.
    static int asked_for = -1;
    static std::size_t bytes = 0;
    if (asked_for != a.n) {
        bytes = temporary_bytes(static_cast<std::size_t>(a.n));
        asked_for = a.n;
    }
    // [cub_device_reduce]
    CUDA_CHECK(cub::DeviceReduce::Sum(a.scratch, bytes, a.input, a.output, a.n));
    // [/cub_device_reduce]
}

/// The largest error that rounding explains, with a margin. Sums of m random numbers from [-1, 1) lie about √(m/3) from 0, and an
/// addition there is off by about 2⁻²⁴ of that. A thread adds less than `row` numbers in a row; all its errors together, and
/// those of all threads, come to about 2⁻²⁴ √(n·row/18). A number that is lost or added twice moves the sum by half,
/// on average.
double explained_by_rounding(std::size_t n) {
    constexpr double row = 8192;
    return 0x1p-24 * std::sqrt(static_cast<double>(n) * row);
}

std::string sum_is_right(const ArrayKernels<float, float>::Written& written) {
    // The numbers are multiples of 2⁻²³ and at most 2³⁰, so that a double adds them without rounding.
    double exact = 0;
    for (const float number : written.input) exact += number;
    const double most = explained_by_rounding(written.input.size());
    // Written so that NaN fails.
    if (std::abs(written.output[0] - exact) <= most) return "";
    std::ostringstream text;
    text.precision(12);
    text << "the sum is " << written.output[0] << ", exactly " << exact << ", and rounding explains " << most;
    return text.str();
}

int main(int argc, char** argv) {
    Peers<ArrayChapter> peers("peers_sum", "How fast do libraries add up floats?");
    peers.lengths({1000003, 65536, 257, 1});
    peers.gpu_lengths({33554432});

    const std::string version =
        std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." + std::to_string(CUB_SUBMINOR_VERSION);
    peers.arrays<float, float>([](std::size_t) { return 1; }, temporary_length)
        .add_baseline(
            {.name = "cub_device_reduce", .launch = cub_device_reduce, .verify = sum_is_right, .library = Library{"CUB", version}});

    return peers.run(argc, argv);
}
