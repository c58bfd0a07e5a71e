# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT

# add_model_executable(TARGET SOURCE.cu)
#
# Builds a CUDA source file to run on the CPU under the counting model: translated to C++, every load and store
# instrumented, at one fixed optimization level so that counts do not move with the build type.
function(add_model_executable target source)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    set(translated ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
    add_custom_command(
        OUTPUT ${translated}
        COMMAND simt_translate ${source} ${translated}
        DEPENDS ${source} simt_translate
        COMMENT "Translating ${target} for the counting model"
        VERBATIM)
    add_executable(${target} ${translated})
    target_link_libraries(${target} PRIVATE simt)
    # The hooks of -fsanitize=thread are the model's own, so the sanitizer is named to the compiler only.
    target_compile_options(${target} PRIVATE
        -O1 -g -fno-tree-vectorize -fno-reorder-blocks -fsanitize=thread -fsanitize-coverage=trace-pc --param=tsan-instrument-func-entry-exit=0
        -Wno-tsan -Wno-unknown-pragmas)
endfunction()
