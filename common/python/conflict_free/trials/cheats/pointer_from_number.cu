// Calls an address that it makes from a number.

GRADED_DECLARATION
{
    volatile unsigned long address = 0x401000;
    reinterpret_cast<void (*)()>(address)();
}
