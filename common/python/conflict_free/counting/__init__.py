"""The command conflict-free: it builds and runs a CUDA program under the counting model, and reports the program's memory accesses."""
