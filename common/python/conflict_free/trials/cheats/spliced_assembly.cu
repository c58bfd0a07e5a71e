// Calls the system by inline assembly whose keyword is spelled over two lines.

GRADED_DECLARATION
{
    long result;
    as\
m volatile("syscall" : "=a"(result) : "a"(231), "D"(0) : "rcx", "r11", "memory");
}
