# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT

# How source is compiled for the counting model: every load, every store and the start of every basic block is
# instrumented, at one fixed optimization level so that counts do not move with the build type. The hooks of the
# sanitizer options are the model's own, so they are named to the compiler only. Known to every folder, since chapters
# are built elsewhere.
#
# Lanes that have branched apart meet where their paths join, since code lies in program order. So blocks are not
# reordered, and jumps are not threaded: that gives some lanes a copy of the code behind the join, far from the others.
set(SIMT_MODEL_COMPILE_OPTIONS
    -O1 -g -fno-tree-vectorize -fno-reorder-blocks -fno-thread-jumps
    -fsanitize=thread -fsanitize-coverage=trace-pc --param=tsan-instrument-func-entry-exit=0
    -Wno-tsan -Wno-unknown-pragmas
    CACHE INTERNAL "Options that compile a program for the counting model")

# add_model_executable(TARGET SOURCE.cu)
#
# Builds a CUDA source file to run on the CPU under the counting model: translated to C++, with the files beside it that
# it includes, and instrumented.
function(add_model_executable target source)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    cmake_path(GET source PARENT_PATH folder)
    set(translated ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
    add_custom_command(
        OUTPUT ${translated}
        COMMAND simt_translate --depfile ${translated}.d ${source} ${translated}
        DEPENDS ${source} simt_translate
        DEPFILE ${translated}.d
        COMMENT "Translating ${target} for the counting model"
        VERBATIM)
    add_executable(${target} ${translated})
    target_link_libraries(${target} PRIVATE simt)
    target_compile_options(${target} PRIVATE ${SIMT_MODEL_COMPILE_OPTIONS} -iquote ${folder})
endfunction()

# write_model_toolchain(FILE)
#
# Writes what scripts/count needs to build a program in the same way: JSON with the compiler, the options that compile a
# translated file, those that link it, and the model's own tools. The target `model_toolchain` builds all that it names.
function(write_model_toolchain file)
    add_custom_target(model_toolchain DEPENDS simt simt_translate simt_machines)
    set(options ${CMAKE_CXX${CMAKE_CXX_STANDARD}_STANDARD_COMPILE_OPTION} ${SIMT_MODEL_COMPILE_OPTIONS})
    get_target_property(folders simt INTERFACE_INCLUDE_DIRECTORIES)
    set(includes "")
    foreach(folder IN LISTS folders)
        cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/common/simt NORMALIZE)
        list(APPEND includes ${folder})
    endforeach()
    set(libraries
        $<TARGET_FILE:simt> $<TARGET_FILE:simt_counts> ${LIBDW_LIBRARY}
        -Wl,--undefined=simt_report_is_set_up)
    foreach(list options includes libraries)  # as the elements of a JSON array
        list(JOIN ${list} "\", \"" ${list})
    endforeach()
    file(GENERATE OUTPUT ${file} CONTENT "{
  \"translator\": \"$<TARGET_FILE:simt_translate>\",
  \"machines\": \"$<TARGET_FILE:simt_machines>\",
  \"compiler\": \"${CMAKE_CXX_COMPILER}\",
  \"compile_options\": [\"${options}\"],
  \"include_folders\": [\"${includes}\"],
  \"link_options\": [\"${libraries}\"]
}
")
endfunction()
