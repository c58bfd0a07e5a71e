# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT

# cmake -DPROGRAM=… -DREPORT=… -P run.cmake: runs a program of the model, which must succeed without a hazard.

execute_process(COMMAND ${CMAKE_COMMAND} -E env SIMT_REPORT=${REPORT} ${PROGRAM} RESULT_VARIABLE exit_code)
if(NOT exit_code EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ended with ${exit_code}")
endif()
file(READ ${REPORT} report)
foreach(list hazards errors)
    string(JSON count LENGTH ${report} ${list})
    if(NOT count EQUAL 0)
        string(JSON found GET ${report} ${list})
        message(FATAL_ERROR "${list}: ${found}")
    endif()
endforeach()
string(JSON launches LENGTH ${report} kernels)
if(launches EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} has launched no kernel")
endif()
