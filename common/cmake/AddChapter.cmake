# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT

# add_chapter(SLUG [MACHINES NAME…] [SANITIZED_SIZES SIZE…] [PEERS transpose|sum|nearest]
#             [GPU_ONLY ARCHITECTURE LEAST_TOOLKIT VERSION])
#
# Adds a chapter: the programs SLUG_model (CPU, counting model) and SLUG_gpu (where CUDA is enabled) from SLUG.cu, with
# the headers *.cuh beside it that it includes, and their checks
#   chapter.SLUG.model      label cpu   kernels checked, counted, and held against their expectations
#   chapter.SLUG.model.NAME label cpu   the same on an older machine, for each of MACHINES
#   chapter.SLUG.gpu        label gpu   kernels checked and timed
#   chapter.SLUG.sanitizer  label gpu   kernels under each tool of compute-sanitizer, at SANITIZED_SIZES
# PEERS says what the chapter's kernels on floats do, so that scripts/measure --peers times the libraries that do it too: they
# transpose a matrix, add up an array, or find nearest neighbors.
# Checks that need a GPU are reported as skipped where there is none. The model program's results go to
# ${CMAKE_BINARY_DIR}/counts/SLUG.json, and SLUG.NAME.json for older machines, which the target `counts` brings up to date.
#
# GPU_ONLY is for a chapter about what the model cannot run. It has no model program and no counts: its file of counts has
# no rows. Its GPU program is compiled for ARCHITECTURE, such as 90, and those after it, by a toolkit of VERSION or later;
# its checks are reported as skipped where it is not built.
function(add_chapter slug)
    cmake_parse_arguments(PARSE_ARGV 1 chapter "" "PEERS;GPU_ONLY;LEAST_TOOLKIT" "MACHINES;SANITIZED_SIZES")
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${slug}.cu)
    if(NOT EXISTS ${source})
        message(FATAL_ERROR "chapter ${slug}: ${slug}.cu is missing from ${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
    set(with_gpu ${CONFLICT_FREE_HAS_CUDA})
    file(REMOVE ${CMAKE_CURRENT_BINARY_DIR}/not_built.txt)
    if(chapter_GPU_ONLY)
        write_no_counts(${slug})
        if(with_gpu AND CUDAToolkit_VERSION VERSION_LESS chapter_LEAST_TOOLKIT)
            set(with_gpu OFF)
        endif()
        if(NOT with_gpu)
            skip_chapter_gpu(${slug} "it needs a toolkit of CUDA ${chapter_LEAST_TOOLKIT} or later to be built")
        endif()
    elseif(CONFLICT_FREE_MODEL)
        add_chapter_model(${slug} ${source} "${chapter_MACHINES}")
    endif()
    if(with_gpu)
        if(NOT chapter_SANITIZED_SIZES)
            # Small, not square, and not multiples of the tile.
            set(chapter_SANITIZED_SIZES 96x64 100x70 33x31 1x1)
        endif()
        add_chapter_gpu(${slug} ${source} "${chapter_SANITIZED_SIZES}")
        if(chapter_GPU_ONLY)
            set_target_properties(${slug}_gpu PROPERTIES CUDA_ARCHITECTURES ${chapter_GPU_ONLY})
        endif()
    endif()
    if(chapter_PEERS)
        write_peers(${slug} ${chapter_PEERS})
    else()
        file(REMOVE ${CMAKE_CURRENT_BINARY_DIR}/peers.json)
    endif()
    set_property(GLOBAL APPEND PROPERTY CONFLICT_FREE_CHAPTERS ${slug})
endfunction()

# Tells scripts/measure what libraries are asked to do beside a chapter's kernels.
function(write_peers slug subject)
    set(subjects transpose sum nearest)
    if(NOT subject IN_LIST subjects)
        message(FATAL_ERROR "chapter ${slug}: PEERS ${subject} given, accepted: ${subjects}")
    endif()
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/peers.json CONTENT "{\"subject\": \"${subject}\"}\n")
endfunction()

function(add_chapter_model slug source machines)
    add_model_executable(${slug}_model ${source})
    target_link_libraries(${slug}_model PRIVATE conflict_free_model)
    add_test(NAME chapter.${slug}.model COMMAND ${slug}_model)
    set_tests_properties(chapter.${slug}.model PROPERTIES LABELS cpu)
    add_counts(${slug} ${slug})
    foreach(machine IN LISTS machines)
        add_test(NAME chapter.${slug}.model.${machine} COMMAND ${slug}_model --machine ${machine})
        set_tests_properties(chapter.${slug}.model.${machine} PROPERTIES LABELS cpu)
        add_counts(${slug} ${slug}.${machine} --machine ${machine})
    endforeach()
endfunction()

# The counts of SLUG_model, run with further ARGUMENTS, in counts/NAME.json.
function(add_counts slug name)
    set(counts ${CMAKE_BINARY_DIR}/counts/${name}.json)
    add_custom_command(
        OUTPUT ${counts}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/counts
        COMMAND ${slug}_model --json ${counts} ${ARGN}
        DEPENDS ${slug}_model
        COMMENT "Counting ${name}"
        VERBATIM)
    add_custom_target(${name}_counts DEPENDS ${counts})
    set_property(GLOBAL APPEND PROPERTY CONFLICT_FREE_COUNTS ${counts})
    if(NOT TARGET counts)
        add_custom_target(counts)
    endif()
    add_dependencies(counts ${name}_counts)
endfunction()

function(add_chapter_gpu slug source sanitized_sizes)
    add_executable(${slug}_gpu ${source})
    target_link_libraries(${slug}_gpu PRIVATE conflict_free_gpu conflict_free_warnings)
    target_compile_options(${slug}_gpu PRIVATE -lineinfo)
    add_test(NAME chapter.${slug}.gpu COMMAND ${slug}_gpu --samples 5)
    add_test(NAME chapter.${slug}.sanitizer
             COMMAND ${CONFLICT_FREE_SANITIZE} $<TARGET_FILE:${slug}_gpu> ${sanitized_sizes})
    set_tests_properties(chapter.${slug}.gpu chapter.${slug}.sanitizer PROPERTIES
        LABELS gpu SKIP_RETURN_CODE 77 RUN_SERIAL ON)
endfunction()

# The counts of a chapter that the model cannot run: none.
function(write_no_counts slug)
    set(counts ${CMAKE_BINARY_DIR}/counts/${slug}.json)
    file(CONFIGURE OUTPUT ${counts} @ONLY CONTENT
        "{\"schema\": 1, \"slug\": \"@slug@\", \"build\": \"model\", \"machine\": \"none\", \"seed\": 0, \"rows\": []}\n")
    set_property(GLOBAL APPEND PROPERTY CONFLICT_FREE_COUNTS ${counts})
endfunction()

# The checks of a GPU program that is not built, reported as skipped. scripts/measure reads the reason.
function(skip_chapter_gpu slug reason)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/not_built.txt "${reason}\n")
    foreach(check IN ITEMS gpu sanitizer)
        add_test(NAME chapter.${slug}.${check} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${reason}")
        set_tests_properties(chapter.${slug}.${check} PROPERTIES LABELS gpu SKIP_REGULAR_EXPRESSION "^skipped: ")
    endforeach()
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
    if(NOT CONFLICT_FREE_MODEL AND NOT CONFLICT_FREE_HAS_CUDA)
        message(FATAL_ERROR "neither the counting model nor CUDA is enabled: no chapter would be checked")
    endif()
endfunction()
