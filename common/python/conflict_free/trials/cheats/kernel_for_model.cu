// Shows the model a kernel that a GPU never gets.

#ifdef CONFLICT_FREE_SIMT
GRADED_SOLUTION
#else
#error "a GPU gets another one"
#endif
