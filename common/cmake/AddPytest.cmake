# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT

# add_pytest(NAME PARTS ENVIRONMENT ARGUMENT...)
#
# Adds the test NAME, which runs pytest with the arguments. With several PARTS it is as many tests, NAME.1, NAME.2, and so on, which
# CTest spreads over the cores, and none of which is long. NAME_tests are the names.
function(add_pytest name parts environment)
    set(tests)
    foreach(part RANGE 1 ${parts})
        set(test ${name})
        set(share)
        if(parts GREATER 1)
            set(test ${name}.${part})
            set(share --splits ${parts} --group ${part})
        endif()
        add_test(NAME ${test} COMMAND ${CONFLICT_FREE_PYTHON} -m pytest -q -p no:cacheprovider ${share} ${ARGN})
        set_tests_properties(${test} PROPERTIES ENVIRONMENT "${environment}" LABELS cpu)
        list(APPEND tests ${test})
    endforeach()
    set(${name}_tests ${tests} PARENT_SCOPE)
endfunction()
