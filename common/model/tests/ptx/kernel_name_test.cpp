// Names of kernels as people write them.

#include "ptx/kernel_name.hpp"

#include <gtest/gtest.h>

namespace simt::ptx {
namespace {

TEST(KernelName, IsTheOneThatPeopleWrite) {
    struct Case { const char *mangled, *name; };
    for (const auto& [mangled, name] : std::initializer_list<Case>{
             {"_Z9transposeIfLi32EEvPT_PKS0_", "transpose<float, 32>"},
             {"_ZN2my4copyILb1EEEvPf", "copy<true>"},
             {"plain", "plain"},
             // Numba adds tags.
             {"_ZN8__main__4copyB2v1B8cw51cXTLE5ArrayIfLi1E1C7mutable7alignedE", "copy"},
             {"_ZN8__main__4copyB2v1E5ArrayIfLi1E1C7mutable7alignedE", "copy"},
             // The demangler understands none of these.
             {"_ZN2my9transposeI!!!", "transpose"},
             {"_Z9transposeI!", "transpose"},
             {"_ZN2my99transpose", "my"},
             {"_Z", "_Z"},
             {"_ZN", "_ZN"},
             {"_Z0", "_Z0"},
             {"_ZN1a1(E", "_ZN1a1(E"},
             {"", ""},
         })
        EXPECT_EQ(kernel_name(mangled), name) << mangled;
}

}  // namespace
}  // namespace simt::ptx
