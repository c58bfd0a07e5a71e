// Includes a file of the machine.

#include "/etc/passwd"

GRADED_SOLUTION
