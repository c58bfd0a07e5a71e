// Prints without end.

#include <cstdio>

GRADED_DECLARATION
{
    for (;;) std::printf("more and more and more and more and more and more and more and more\n");
}
