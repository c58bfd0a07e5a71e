// Writes files without end.

#include <cstdio>

GRADED_DECLARATION
{
    static char block[1 << 16];
    for (int number = 0; number < 676; ++number) {
        char name[] = {'a', static_cast<char>('a' + number / 26 % 26), static_cast<char>('a' + number % 26), '\0'};
        FILE* file = std::fopen(name, "w");
        for (int i = 0; file && i < 1000; ++i) std::fwrite(block, 1, sizeof block, file);
    }
}
