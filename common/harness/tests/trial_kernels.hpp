// Kernels, right and wrong ones, of the chapters that the tests make. They are a file of their own, so that nvcc has nothing else of
// the tests to compile.
#pragma once

#include <conflict_free/array_chapter.hpp>
#include <conflict_free/matrix_chapter.hpp>

namespace conflict_free {

/// @name Kernels on matrices: each copies one, except for the fault in its name
/// @{
void launch_right(const Matrices<float>& m);
void launch_leaves_last(const Matrices<float>& m);
/// In blocks of 1024 threads.
void launch_large_blocks(const Matrices<float>& m);
/// In blocks that no machine takes.
void launch_too_large_blocks(const Matrices<float>& m);
/// Loads 16 bytes at a time, all misaligned.
void launch_loads_wide_one_late(const Matrices<float>& m);
extern const int line_of_wide_load;
/// Stores outside, and spoils its input, too.
void launch_stores_far_away(const Matrices<float>& m);
extern const int line_of_far_store;
/// Transposes padded rows, and may write into their padding.
void launch_transposes_pitched(const Matrices<float>& m, bool into_padding);
/// @}

/// @name Kernels on arrays
/// @{
void launch_doubled(const Arrays<int, int>& a);
void launch_doubles_all_but_the_last(const Arrays<int, int>& a);
void launch_doubled_far_away(const Arrays<int, int>& a);
extern const int line_of_far_double;
void launch_negated(const Arrays<float, float>& a);
/// One launch negates into the scratch, a second one out of it.
void launch_negated_again(const Arrays<float, float>& a);
/// @}

}  // namespace conflict_free
