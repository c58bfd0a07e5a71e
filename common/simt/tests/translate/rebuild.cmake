# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT

# cmake -DFOLDER=… -DMODULE=… -DTRANSLATOR=… -DGENERATOR=… -DCOMPILER=… -P rebuild.cmake: a program of the model is built
# again when a header changes that it includes, or one that this one includes.

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE exit_code OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(NOT exit_code EQUAL 0)
        message(FATAL_ERROR "${ARGN} ended with ${exit_code}:\n${said}")
    endif()
endfunction()

function(build_and_expect wanted)
    run(${CMAKE_COMMAND} --build ${FOLDER}/build)
    execute_process(COMMAND ${FOLDER}/build/program RESULT_VARIABLE value)
    if(NOT value EQUAL wanted)
        message(FATAL_ERROR "the program has the value ${value}, its headers have ${wanted}")
    endif()
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(WRITE ${FOLDER}/CMakeLists.txt "cmake_minimum_required(VERSION 3.24)
project(rebuild LANGUAGES CXX)
add_executable(simt_translate IMPORTED)
set_target_properties(simt_translate PROPERTIES IMPORTED_LOCATION \"${TRANSLATOR}\")
add_library(simt INTERFACE)
target_include_directories(simt INTERFACE \${CMAKE_CURRENT_SOURCE_DIR})
include(\"${MODULE}\")
set(SIMT_MODEL_COMPILE_OPTIONS -O0)
add_model_executable(program program.cu)
")
file(WRITE ${FOLDER}/cuda_runtime.h "")  # what every translation includes
file(WRITE ${FOLDER}/program.cu "#include \"value.cuh\"\nint main() { return value(); }\n")
file(WRITE ${FOLDER}/value.cuh "#include \"digit.cuh\"\ninline int value() { return 10 + DIGIT; }\n")
file(WRITE ${FOLDER}/digit.cuh "#define DIGIT 1\n")

run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${FOLDER} -B ${FOLDER}/build -DCMAKE_CXX_COMPILER=${COMPILER})
build_and_expect(11)
file(WRITE ${FOLDER}/value.cuh "#include \"digit.cuh\"\ninline int value() { return 20 + DIGIT; }\n")
build_and_expect(21)
file(WRITE ${FOLDER}/digit.cuh "#define DIGIT 2\n")
build_and_expect(22)
