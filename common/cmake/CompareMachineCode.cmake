# compare_with_machine_code(TARGET)
#
# After TARGET is linked its PTX is compared with the machine code that ptxas makes of it, and the facts that the counting model needs are
# put beside the program, as PROGRAM.exactness.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(compare_with_machine_code target)
    set(python ${PROJECT_SOURCE_DIR}/common/python)
    set(sources exactness.py machine_code.py ptx_accesses.py sass_accesses.py)
    list(TRANSFORM sources PREPEND ${python}/conflict_free/counting/)
    add_dependencies(${target} conflict_free_ptx)
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${sources})
    add_custom_command(TARGET ${target} POST_BUILD
        COMMAND ${Python3_EXECUTABLE} ${python}/conflict_free counting.exactness
                $<TARGET_FILE:${target}> $<TARGET_FILE:conflict_free_ptx>
                ${CMAKE_CUDA_COMPILER} $<TARGET_FILE:${target}>.exactness
        VERBATIM)
endfunction()
