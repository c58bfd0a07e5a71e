# conflict_free_add_test(TARGET [NAME name] [FAIL_IF expression...] [ARGUMENTS argument...])
#
# A test that runs a CUDA program under the counting model. It fails if the program does, if there is a hazard, and if an
# expression holds for the counts of any launch, such as "shared_load.conflicts > 0". The expressions are those of
# conflict-free run --fail-if. The test is called conflict_free.TARGET, or by its NAME.
#
# The target gets PTX for compute_90, source lines, and the shared CUDA runtime, which the model replaces. Libraries of
# the project that have kernels need the same: CMAKE_CUDA_ARCHITECTURES 90-virtual.
function(conflict_free_add_test target)
    cmake_parse_arguments(PARSE_ARGV 1 given "" "NAME" "FAIL_IF;ARGUMENTS")
    if(given_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "conflict_free_add_test(${target}): got '${given_UNPARSED_ARGUMENTS}', accepted: NAME, FAIL_IF, ARGUMENTS")
    endif()
    if(given_KEYWORDS_MISSING_VALUES)
        message(FATAL_ERROR "conflict_free_add_test(${target}): ${given_KEYWORDS_MISSING_VALUES} has no value")
    endif()
    if(NOT TARGET ${target})
        message(FATAL_ERROR "conflict_free_add_test(${target}): got no target, accepted: a program of add_executable")
    endif()
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "EXECUTABLE")
        message(FATAL_ERROR "conflict_free_add_test(${target}): got a target of type ${type}, accepted: a program of add_executable")
    endif()
    if(NOT CONFLICT_FREE_COMMAND)
        message(FATAL_ERROR "conflict_free_add_test(${target}): no command conflict-free; pip install has it, or set CONFLICT_FREE_COMMAND")
    endif()

    get_target_property(architectures ${target} CUDA_ARCHITECTURES)
    if(NOT architectures)
        set(architectures "")
    endif()
    list(APPEND architectures 90-virtual)
    list(REMOVE_DUPLICATES architectures)
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}" CUDA_RUNTIME_LIBRARY Shared)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
    # LD_LIBRARY_PATH, with the model's folder, overrides the program's RUNPATH.
    target_link_options(${target} PRIVATE LINKER:--enable-new-dtags)

    set(conditions "")
    foreach(condition IN LISTS given_FAIL_IF)
        list(APPEND conditions --fail-if "${condition}")
    endforeach()
    if(NOT given_NAME)
        set(given_NAME conflict_free.${target})
    endif()
    add_test(NAME ${given_NAME} COMMAND ${CONFLICT_FREE_COMMAND} run ${conditions} $<TARGET_FILE:${target}> ${given_ARGUMENTS})
endfunction()
