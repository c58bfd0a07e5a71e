# find_package(Nccl)
#
# NCCL, from the first place that has it: the folder that NCCL_ROOT names, the wheel that scripts/book installs into .cuda, the
# package `nvidia.nccl` of this machine's python3, and the system's folders. Sets Nccl_FOUND and Nccl_VERSION, and makes the
# target Nccl::Nccl.
set(nccl_wheels ${PROJECT_SOURCE_DIR}/.cuda/nccl/nvidia/nccl)
find_package(Python3 QUIET COMPONENTS Interpreter)
foreach(python IN ITEMS python3 ${Python3_EXECUTABLE})
    execute_process(COMMAND ${python} -c "import nvidia.nccl; print(list(nvidia.nccl.__path__)[0])"
        OUTPUT_VARIABLE nccl_of_python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(nccl_of_python)
        list(APPEND nccl_wheels ${nccl_of_python})
    endif()
endforeach()
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ENV NCCL_ROOT ${nccl_wheels} PATH_SUFFIXES include)
# A wheel has the library under the name that programs load it by.
find_library(NCCL_LIBRARY NAMES libnccl.so.2 nccl HINTS ENV NCCL_ROOT ${nccl_wheels} PATH_SUFFIXES lib lib64)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
if(NCCL_INCLUDE_DIR)
    file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h nccl_lines REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) [0-9]+")
    string(REGEX REPLACE "[^0-9]*([0-9]+);[^0-9]*([0-9]+);[^0-9]*([0-9]+).*" "\\1.\\2.\\3" Nccl_VERSION "${nccl_lines}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Nccl REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR Nccl_VERSION)
if(Nccl_FOUND AND NOT TARGET Nccl::Nccl)
    add_library(Nccl::Nccl UNKNOWN IMPORTED)
    set_target_properties(Nccl::Nccl PROPERTIES IMPORTED_LOCATION ${NCCL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
endif()
