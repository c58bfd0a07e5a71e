// Includes a file by a macro; here the file includes itself.

#ifndef AGAIN
#define AGAIN
#include __FILE__
GRADED_SOLUTION
#endif
