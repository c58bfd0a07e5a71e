# add_pytest(NAME PARTS ENVIRONMENT [KEEP_FOLDER] [LONG PARTS] ARGUMENT…)
#
# Adds the test NAME, which runs pytest with the arguments. With several PARTS it is as many tests, NAME.1, NAME.2, and so on, which
# CTest spreads over the cores, and none of which is long. With KEEP_FOLDER each has the same folder for its files in every run, so that
# programs of the same files are not compiled again. With LONG those with the marker `long` are tests of their own, NAME.long.1 and so
# on, with the label `long`.
function(add_pytest name parts environment)
    cmake_parse_arguments(PARSE_ARGV 3 pytest KEEP_FOLDER LONG "")
    if(pytest_LONG)
        add_pytest_parts(${name} ${parts} -m "not long")
        set(tests)
        add_pytest_parts(${name}.long ${pytest_LONG} -m long)
        set_tests_properties(${tests} PROPERTIES LABELS "cpu;long" COST 60)
    else()
        add_pytest_parts(${name} ${parts})
    endif()
endfunction()

# The parts of add_pytest(), whose variables it uses.
macro(add_pytest_parts name parts)
    foreach(part RANGE 1 ${parts})
        set(test ${name})
        set(share)
        set(folder)
        if(${parts} GREATER 1)
            set(test ${name}.${part})
            set(share --splits ${parts} --group ${part})
        endif()
        if(pytest_KEEP_FOLDER)
            # pytest makes the last folder of this path only.
            file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/pytest)
            set(folder --basetemp ${CMAKE_BINARY_DIR}/pytest/${test})
        endif()
        add_test(NAME ${test} COMMAND ${CONFLICT_FREE_PYTHON} -m pytest -q -p no:cacheprovider ${share} ${ARGN}
                 ${folder} ${pytest_UNPARSED_ARGUMENTS})
        # They begin first, so that none of them runs alone at the end: CTest knows the times of tests after it has run them once.
        set_tests_properties(${test} PROPERTIES ENVIRONMENT "${environment}" LABELS cpu COST 30)
        list(APPEND tests ${test})
    endforeach()
endmacro()
