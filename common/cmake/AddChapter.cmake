# add_chapter(SLUG [MACHINES NAME…] [SANITIZED_SIZES SIZE…] [PEERS transpose|sum|nearest|product] [LEAST_GPU CAPABILITY])
#
# Adds a chapter: the program chapters/SLUG/SLUG of the build folder, target chapter_SLUG, from SLUG.cu, with the headers
# *.cuh beside it that it includes, and its checks, which all run this program
#   chapter.SLUG.model      label cpu   under the model: kernels checked, counted, and held against their expectations, when the
#                                       build wrote the counts: the test says what that run has said
#   chapter.SLUG.model.NAME label cpu   the same on an older machine, for each of MACHINES
#   chapter.SLUG.gpu        label gpu   on a GPU: kernels checked and timed
#   chapter.SLUG.sanitizer  label gpu   kernels under each tool of compute-sanitizer, at SANITIZED_SIZES
# PEERS says what the chapter's kernels do, so that scripts/measure --peers times the libraries that do it too: they transpose a
# matrix, add up an array, find nearest neighbors, or multiply matrices. LEAST_GPU is for a program that GPUs before CAPABILITY, such
# as 9.0, have no instructions for: it is not compiled for them; 9.0a is for one that later GPUs have none for either.
# Checks that need a GPU are reported as skipped where there is none. The program's counts go to
# ${CMAKE_BINARY_DIR}/counts/SLUG.json, and SLUG.NAME.json for older machines, which the target `counts` brings up to date.
function(add_chapter slug)
    cmake_parse_arguments(PARSE_ARGV 1 chapter "" "PEERS;LEAST_GPU" "MACHINES;SANITIZED_SIZES")
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${slug}.cu)
    if(NOT EXISTS ${source})
        message(FATAL_ERROR "chapter ${slug}: ${slug}.cu is missing from ${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
    add_chapter_program(chapter_${slug} ${slug}.cu ${slug})
    add_dependencies(programs chapter_${slug})
    if(chapter_LEAST_GPU)
        compile_from_gpu(chapter_${slug} ${chapter_LEAST_GPU})
    endif()
    if(NOT chapter_SANITIZED_SIZES)
        # Small, not square, and not multiples of the tile.
        set(chapter_SANITIZED_SIZES 96x64 100x70 33x31 1x1)
    endif()
    check_chapter_counts(${slug} "${chapter_MACHINES}")
    add_test(NAME chapter.${slug}.gpu COMMAND chapter_${slug} --samples 5)
    add_test(NAME chapter.${slug}.sanitizer
             COMMAND ${CONFLICT_FREE_SANITIZE} $<TARGET_FILE:chapter_${slug}> ${chapter_SANITIZED_SIZES})
    runs_on_gpu(chapter.${slug}.gpu chapter.${slug}.sanitizer)
    if(chapter_PEERS)
        write_peers(${slug} ${chapter_PEERS})
    else()
        file(REMOVE ${CMAKE_CURRENT_BINARY_DIR}/peers.json)
    endif()
    set_property(GLOBAL APPEND PROPERTY CONFLICT_FREE_CHAPTERS ${slug})
endfunction()

# A program of a chapter, called NAME, that uses the harness.
function(add_chapter_program target source name)
    add_executable(${target} ${source})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name})
    target_link_libraries(${target} PRIVATE conflict_free_harness conflict_free_warnings)
    compare_with_machine_code(${target})
endfunction()

# Drops architectures older than a compute capability. If it ends with "a", such as 9.0a, the program uses instructions of
# that architecture alone, and is compiled for no other.
function(compile_from_gpu target capability)
    string(REPLACE "." "" least ${capability})
    string(REGEX MATCH "^[0-9]+" least_number ${least})
    set(architectures "")
    foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
        string(REGEX MATCH "^[0-9]+" number ${architecture})
        if(number EQUAL least_number)
            string(REPLACE ${number} ${least} architecture ${architecture})
            list(APPEND architectures ${architecture})
        elseif(number GREATER least_number AND NOT least MATCHES "a$")
            list(APPEND architectures ${architecture})
        endif()
    endforeach()
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
endfunction()

# Checks that run under the model.
function(runs_under_model)
    set_tests_properties(${ARGN} PROPERTIES LABELS cpu ENVIRONMENT "${CONFLICT_FREE_MODEL_FIRST}")
endfunction()

# Checks that need a GPU, each alone on it.
function(runs_on_gpu)
    set_tests_properties(${ARGN} PROPERTIES LABELS gpu SKIP_RETURN_CODE 77 RUN_SERIAL ON)
endfunction()

# Tells scripts/measure what libraries are asked to do beside a chapter's kernels.
function(write_peers slug subject)
    set(subjects transpose sum nearest product)
    if(NOT subject IN_LIST subjects)
        message(FATAL_ERROR "chapter ${slug}: PEERS ${subject} given, accepted: ${subjects}")
    endif()
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/peers.json CONTENT "{\"subject\": \"${subject}\"}\n")
endfunction()

# Runs a program that writes a file: CONFLICT_FREE_COUNTED FILE PROGRAM [ARGUMENT…]. A check or an expectation of the program that
# does not hold is no error: the file says so, the book marks it, and the test of the chapter fails.
set(CONFLICT_FREE_COUNTED ${CMAKE_CURRENT_LIST_DIR}/write_counts.sh)

function(check_chapter_counts slug machines)
    add_counts(chapter.${slug}.model ${slug} ${slug})
    foreach(machine IN LISTS machines)
        add_counts(chapter.${slug}.model.${machine} ${slug} ${slug}.${machine} --machine ${machine})
    endforeach()
endfunction()

# The counts of a chapter's program, run with further ARGUMENTS, in counts/NAME.json, and the test of what that run has checked.
function(add_counts test slug name)
    set(counts ${CMAKE_BINARY_DIR}/counts/${name}.json)
    add_custom_command(
        OUTPUT ${counts}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/counts
        COMMAND ${CONFLICT_FREE_UNDER_MODEL} ${CONFLICT_FREE_COUNTED} ${counts} $<TARGET_FILE:chapter_${slug}> --json ${counts} ${ARGN}
        DEPENDS chapter_${slug} ${CONFLICT_FREE_MODEL_LIBRARIES} ${CONFLICT_FREE_COUNTED}
        COMMENT "Counting ${name}"
        VERBATIM)
    add_custom_target(${name}_counts ALL DEPENDS ${counts})
    add_test(NAME ${test} COMMAND ${CONFLICT_FREE_COUNTED} --check ${counts})
    set_tests_properties(${test} PROPERTIES LABELS cpu)
    set_property(GLOBAL APPEND PROPERTY CONFLICT_FREE_COUNTS ${counts})
    if(NOT TARGET counts)
        add_custom_target(counts)
    endif()
    add_dependencies(counts ${name}_counts)
endfunction()

# Stops the configuration if a chapter directory was not added, or has no check.
function(check_every_chapter_is_added)
    get_property(added GLOBAL PROPERTY CONFLICT_FREE_CHAPTERS)
    file(GLOB directories RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/*)
    foreach(directory IN LISTS directories)
        if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${directory} AND NOT directory IN_LIST added)
            message(FATAL_ERROR "chapters/${directory} has no check: add_subdirectory(${directory}) in chapters/CMakeLists.txt "
                                "and add_chapter(${directory}) in its own are needed")
        endif()
    endforeach()
endfunction()
