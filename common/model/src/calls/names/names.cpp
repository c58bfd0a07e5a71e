// The contents of the libraries whose names programs load as the CUDA runtime and the driver. The model's runtime and driver lie in one
// library with a name of its own, and call each other inside it: a process may have loaded NVIDIA's runtime before, as packages for
// Python do, and the model must not call that one.

extern "C" {
extern const int conflict_free_is_cudart, conflict_free_is_cuda, conflict_free_is_nvJitLink;
const int conflict_free_is_cudart = 1, conflict_free_is_cuda = 1, conflict_free_is_nvJitLink = 1;

/// Every function of nvJitLink that NVIDIA's libraries need in order to load, by the names that CMakeLists.txt gives it: an error of theirs.
int conflict_free_refuse_to_link();
int conflict_free_refuse_to_link() { return 6; }  // NVJITLINK_ERROR_INTERNAL
}
