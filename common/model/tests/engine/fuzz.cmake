# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT

# cmake -DPTX_OF=… -DFUZZ=… -DPROGRAMS=… -DFOLDER=… [-DSECONDS=…] [-DSEED=…] -P fuzz.cmake: lets the fuzzer change the PTX of programs.
if(NOT SECONDS)
    set(SECONDS 3)
endif()
if(NOT SEED)
    set(SEED 1)
endif()
file(REMOVE_RECURSE ${FOLDER}/seeds)
file(MAKE_DIRECTORY ${FOLDER}/seeds)
foreach(program IN LISTS PROGRAMS)
    execute_process(COMMAND ${PTX_OF} ${program} ${FOLDER}/seeds COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(GLOB seeds ${FOLDER}/seeds/*.ptx)
execute_process(COMMAND ${FUZZ} ${SECONDS} ${SEED} ${FOLDER}/tried.${SEED}.ptx ${seeds} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "model_fuzz ended with '${result}'; the text that it tried: ${FOLDER}/tried.${SEED}.ptx")
endif()
