// printf of kernels: the conversions of the C library, and none that would write or that the library does not know.

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "model_results.hpp"

namespace {

/// The format is no constant of the source, so that the compiler cannot look at it.
__global__ void print(const char* format, long long first, double second) { printf(format, first, second); }

/// A negative width by an argument.
__global__ void print_widths(const char* format) { printf(format, -6, 42, 3, 2.718281828); }

std::string printed(const char* format, bool with_widths = false) {
    char* text = nullptr;
    cudaMallocManaged(&text, std::strlen(format) + 1);
    std::strcpy(text, format);
    testing::internal::CaptureStdout();
    if (with_widths) print_widths<<<1, 1>>>(text);
    else print<<<1, 1>>>(text, 1234567890123, 2.5);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    std::fflush(stdout);
    cudaFree(text);
    return testing::internal::GetCapturedStdout();
}

TEST(Printing, HasTheConversionsOfTheLibrary) {
    EXPECT_EQ(printed("%lld and %g%%"), "1234567890123 and 2.5%");
    EXPECT_EQ(printed("%+20lld|%-10.3f|"), "      +1234567890123|2.500     |");
    EXPECT_EQ(printed("%#llx %e"), "0x11f71fb04cb 2.500000e+00");
    EXPECT_EQ(printed("[%*d] [%.*f]", true), "[42    ] [2.718]");
}

TEST(Printing, WritesNothingAndTakesNoOtherConversions) {
    EXPECT_EQ(printed("a%nb"), "a");
    EXPECT_EQ(printed("a%nld"), "a");
    EXPECT_EQ(printed("a%1$lld"), "a");
    EXPECT_EQ(printed("a%"), "a");
    EXPECT_EQ(printed("a%5.2"), "a");
}

TEST(Printing, BoundsWhatAConversionTakes) {
    EXPECT_EQ(printed("%99999999999lld").size(), 4095u);
    EXPECT_EQ(printed("%.2147483647lld").size(), 4095u);
    EXPECT_EQ(printed("%0000000000000000000005lld"), "1234567890123");
}

}  // namespace
