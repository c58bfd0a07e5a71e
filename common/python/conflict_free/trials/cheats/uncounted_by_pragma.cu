// Asks the compiler for other code than all others get.

#pragma GCC optimize("O3", "omit-frame-pointer")

GRADED_SOLUTION
