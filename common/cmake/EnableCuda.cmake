# Enables CUDA. Every CUDA source is compiled once, as its users would: with the PTX that the counting model executes and
# that newer GPUs compile, with lines, and with the code of the GPUs in CONFLICT_FREE_GPUS. Programs link the shared runtime;
# the model has a runtime of its own.

set(CONFLICT_FREE_GPUS AUTO CACHE STRING
    "Compute capabilities to compile for beside PTX, such as 8.0;9.0; AUTO: those of the GPUs of this machine")
include(${CMAKE_CURRENT_LIST_DIR}/../model/cmake/CudaVersion.cmake)
set(CONFLICT_FREE_LEAST_GPU 7.5)

# The architectures to compile for, in `out`.
function(find_architectures out)
    set(gpus ${CONFLICT_FREE_GPUS})
    if(gpus STREQUAL "AUTO")
        execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
            RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_QUIET)
        set(gpus "")
        if(NOT failed)
            string(REGEX MATCHALL "[0-9]+[.][0-9]+" gpus "${said}")
        endif()
    endif()
    list(REMOVE_DUPLICATES gpus)
    set(architectures 90-virtual)
    foreach(gpu IN LISTS gpus)
        if(NOT gpu MATCHES "^[0-9]+[.][0-9]$")
            message(FATAL_ERROR "CONFLICT_FREE_GPUS: got '${gpu}', accepted: AUTO, or compute capabilities such as 9.0")
        elseif(gpu VERSION_LESS CONFLICT_FREE_LEAST_GPU)
            message(STATUS "Compute capability ${gpu} is left out: this compiler's GPUs have ${CONFLICT_FREE_LEAST_GPU} or later")
        else()
            string(REPLACE "." "" architecture ${gpu})
            list(APPEND architectures ${architecture}-real)
        endif()
    endforeach()
    set(${out} ${architectures} PARENT_SCOPE)
endfunction()

find_architectures(CMAKE_CUDA_ARCHITECTURES)
# The compiler of the wheels, which scripts/book installs where the system has none.
set(nvcc_of_wheels ${PROJECT_SOURCE_DIR}/.cuda/toolkit/nvidia/cu${CONFLICT_FREE_CUDA_MAJOR}/bin/nvcc)
find_program(CONFLICT_FREE_NVCC nvcc PATHS /usr/local/cuda/bin)
mark_as_advanced(CONFLICT_FREE_NVCC)
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND NOT CONFLICT_FREE_NVCC AND EXISTS ${nvcc_of_wheels})
    set(CMAKE_CUDA_COMPILER ${nvcc_of_wheels} CACHE FILEPATH "CUDA compiler")
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "no CUDA compiler: set CMAKE_CUDA_COMPILER to an nvcc of ${CONFLICT_FREE_CUDA_VERSION}; scripts/book installs one")
endif()
enable_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER_VERSION MATCHES "^${CONFLICT_FREE_CUDA_VERSION}[.]")
    message(FATAL_ERROR "${CMAKE_CUDA_COMPILER} is of version ${CMAKE_CUDA_COMPILER_VERSION}, accepted: "
                        "${CONFLICT_FREE_CUDA_VERSION}, whose PTX and whose runtime the counting model knows")
endif()
find_package(CUDAToolkit REQUIRED)

if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    # The CMake of Debian 12 does not know nvcc's option for C++20.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
# <cmath> of g++ reads Bessel functions and their like from a header that takes a tenth of the time of compiling. With the header's
# own guard defined it stays out.
add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-lineinfo;-D_GLIBCXX_BITS_SPECFUN_H>")
# LD_LIBRARY_PATH overrides the program's RUNPATH.
add_link_options(LINKER:--enable-new-dtags)
# The compiler of the wheels lies where no loader looks.
set(CMAKE_BUILD_RPATH ${CUDAToolkit_LIBRARY_DIR})
message(STATUS "CUDA programs are compiled for: ${CMAKE_CUDA_ARCHITECTURES}")

# The folder of the model's libraries, and the words before a command that run it under the model. A check has CONFLICT_FREE_MODEL_FIRST in
# its environment instead.
set(CONFLICT_FREE_MODEL_FOLDER ${CMAKE_BINARY_DIR}/common/model/lib)
set(CONFLICT_FREE_MODEL_FIRST LD_LIBRARY_PATH=${CONFLICT_FREE_MODEL_FOLDER})
if(NOT "$ENV{LD_LIBRARY_PATH}" STREQUAL "")
    string(APPEND CONFLICT_FREE_MODEL_FIRST ":$ENV{LD_LIBRARY_PATH}")
endif()
set(CONFLICT_FREE_UNDER_MODEL ${CMAKE_COMMAND} -E env ${CONFLICT_FREE_MODEL_FIRST})
# The targets that make the model; what is counted depends on them.
set(CONFLICT_FREE_MODEL_LIBRARIES conflict_free_cudart conflict_free_cuda conflict_free_model)
