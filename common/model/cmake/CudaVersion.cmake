# The version of CUDA whose compiler, headers and runtime the counting model knows. After a change, scripts/lock writes the
# requirements of pip and locks them anew.
set(CONFLICT_FREE_CUDA_VERSION 13.0)
# That of nvdisasm, which also shows the machine code of an older ptxas.
set(CONFLICT_FREE_NVDISASM_VERSION 13.2)

string(REPLACE "." ";" conflict_free_parts ${CONFLICT_FREE_CUDA_VERSION})
list(GET conflict_free_parts 0 CONFLICT_FREE_CUDA_MAJOR)
list(GET conflict_free_parts 1 CONFLICT_FREE_CUDA_MINOR)
