# A build of the model alone sets up what a surrounding project provides: C++20, warnings, packages, and CUDA's headers. No compiler
# of CUDA.

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/Warnings.cmake)

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.9 QUIET)
if(NOT nlohmann_json_FOUND)
    # The package for Python has the headers and nothing for CMake.
    find_path(NLOHMANN_JSON_HEADERS nlohmann/json.hpp PATH_SUFFIXES nlohmann_json/include REQUIRED)
    add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
    set_target_properties(nlohmann_json::nlohmann_json PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${NLOHMANN_JSON_HEADERS})
endif()

# The headers come from a toolkit or from its packages for Python.
find_path(CONFLICT_FREE_CUDA_HEADERS cuda_runtime_api.h
    HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES include nvidia/cu${CONFLICT_FREE_CUDA_MAJOR}/include)
if(NOT CONFLICT_FREE_CUDA_HEADERS)
    message(FATAL_ERROR "no cuda_runtime_api.h: set CONFLICT_FREE_CUDA_HEADERS to the folder include of CUDA ${CONFLICT_FREE_CUDA_VERSION}")
endif()
file(STRINGS ${CONFLICT_FREE_CUDA_HEADERS}/cuda_runtime_api.h runtime_version REGEX "#define CUDART_VERSION ")
math(EXPR wanted "100 * ${CONFLICT_FREE_CUDA_MAJOR} + ${CONFLICT_FREE_CUDA_MINOR}")
if(NOT runtime_version MATCHES " ${wanted}[0-9]$")
    message(FATAL_ERROR "${CONFLICT_FREE_CUDA_HEADERS}: got '${runtime_version}', accepted: CUDA ${CONFLICT_FREE_CUDA_VERSION}, "
                        "whose runtime the model knows")
endif()
set(CUDAToolkit_INCLUDE_DIRS ${CONFLICT_FREE_CUDA_HEADERS})
