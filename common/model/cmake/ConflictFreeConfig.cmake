# find_package(ConflictFree): counts the memory accesses of CUDA programs without a GPU.
#
#   ConflictFree::testing       the header conflict_free/testing.hpp, for tests that look at counts
#   ConflictFree::cudart        the model's CUDA runtime; its folder, first in LD_LIBRARY_PATH, puts a program under the model
#   ConflictFree_LIBRARY_DIR    that folder
#   ConflictFree_INCLUDE_DIR    the folder of the headers
#   CONFLICT_FREE_COMMAND       the command conflict-free
#   conflict_free_add_test()    see ConflictFreeAddTest.cmake

get_filename_component(conflict_free_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(ConflictFree_LIBRARY_DIR ${conflict_free_prefix}/lib)
set(ConflictFree_INCLUDE_DIR ${conflict_free_prefix}/include)
include(${CMAKE_CURRENT_LIST_DIR}/CudaVersion.cmake)
set(conflict_free_runtime libcudart.so.${CONFLICT_FREE_CUDA_MAJOR})
if(NOT EXISTS ${ConflictFree_LIBRARY_DIR}/${conflict_free_runtime})
    set(ConflictFree_FOUND FALSE)
    set(ConflictFree_NOT_FOUND_MESSAGE "${ConflictFree_LIBRARY_DIR} has no ${conflict_free_runtime}; install conflict-free anew")
    return()
endif()

if(NOT TARGET ConflictFree::testing)
    add_library(ConflictFree::testing INTERFACE IMPORTED)
    set_target_properties(ConflictFree::testing PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES ${ConflictFree_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}")
    add_library(ConflictFree::cudart SHARED IMPORTED)
    set_target_properties(ConflictFree::cudart PROPERTIES IMPORTED_LOCATION ${ConflictFree_LIBRARY_DIR}/${conflict_free_runtime})
endif()

# Beside the Python that has this package installed, else wherever programs are looked for.
find_program(CONFLICT_FREE_COMMAND conflict-free HINTS ${conflict_free_prefix}/../../../../../bin)
mark_as_advanced(CONFLICT_FREE_COMMAND)
include(${CMAKE_CURRENT_LIST_DIR}/ConflictFreeAddTest.cmake)
