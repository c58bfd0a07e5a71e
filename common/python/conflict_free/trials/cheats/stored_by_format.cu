// Lets printf store a number.

#include <cstdio>

GRADED_DECLARATION
{
    int count = 0;
    const char* volatile format = "four%n";
    std::printf(format, &count);
}
