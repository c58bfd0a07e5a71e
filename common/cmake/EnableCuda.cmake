# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT

# Enables CUDA as CONFLICT_FREE_CUDA asks for it, and sets CONFLICT_FREE_HAS_CUDA.
# Without a GPU on this machine the programs are compiled for all major architectures, since they will run elsewhere.

set(CONFLICT_FREE_HAS_CUDA OFF)
if(NOT CONFLICT_FREE_CUDA STREQUAL "OFF")
    include(CheckLanguage)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
        if(EXISTS /dev/nvidiactl)
            set(CMAKE_CUDA_ARCHITECTURES native)
        else()
            set(CMAKE_CUDA_ARCHITECTURES all-major)
        endif()
    endif()
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        enable_language(CUDA)
        find_package(CUDAToolkit REQUIRED)
        if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
            # The CMake of Debian 12 does not know nvcc's option for C++20.
            set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
            set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
        endif()
        set(CMAKE_CUDA_STANDARD 20)
        set(CMAKE_CUDA_STANDARD_REQUIRED ON)
        set(CONFLICT_FREE_HAS_CUDA ON)
    elseif(CONFLICT_FREE_CUDA STREQUAL "ON")
        message(FATAL_ERROR "CONFLICT_FREE_CUDA is ON and no CUDA compiler was found; set CMAKE_CUDA_COMPILER or use the preset cpu")
    endif()
endif()
message(STATUS "GPU builds of the chapters: ${CONFLICT_FREE_HAS_CUDA}")
