# add_chapter_of_ranks(SLUG SOURCES FILE… [MODEL_SIZES SIZE…])
#
# Adds a chapter whose program runs on several GPUs, with NCCL: the program chapters/SLUG/SLUG of the build folder, target
# chapter_SLUG, from SLUG.cu and SOURCES, and its checks
#   chapter.SLUG.model.N  label cpu   under the model with N = 1, 2, 3 and 4 devices, at MODEL_SIZES
#   chapter.SLUG.failures label cpu   what check_failures.py of the chapter's folder breaks, where there is MPI
#   chapter.SLUG.gpu      label gpu   on all GPUs of this machine, a thread for each
# MPI starts a process for each GPU; without it one process has a thread for each. Without NCCL a message says that the
# chapter is left out. scripts/measure knows it by its file ranks.json.
function(add_chapter_of_ranks slug)
    cmake_parse_arguments(PARSE_ARGV 1 chapter "" "" "SOURCES;MODEL_SIZES")
    set_property(GLOBAL APPEND PROPERTY CONFLICT_FREE_CHAPTERS ${slug})
    find_package(Nccl MODULE)
    if(NOT Nccl_FOUND)
        file(REMOVE ${CMAKE_CURRENT_BINARY_DIR}/ranks.json)
        message(STATUS "Chapter ${slug} is left out: there is no NCCL; scripts/book installs it, NCCL_ROOT names its folder")
        return()
    endif()
    set(program chapter_${slug})
    add_executable(${program} ${slug}.cu ${chapter_SOURCES})
    add_dependencies(programs ${program})
    add_dependencies(${program} conflict_free_nccl)  # under the model the program loads this one
    set_target_properties(${program} PROPERTIES OUTPUT_NAME ${slug})
    target_include_directories(${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(${program} PRIVATE
        conflict_free_ranks CUDA::cudart Nccl::Nccl conflict_free_warnings)
    compare_with_machine_code(${program})
    list(TRANSFORM CONFLICT_FREE_MPIRUN REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE mpirun)
    list(JOIN mpirun ", " mpirun)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/ranks.json CONTENT "{\"nccl\": \"${Nccl_VERSION}\", \"mpirun\": [${mpirun}]}\n")
    list(TRANSFORM chapter_MODEL_SIZES PREPEND --size= OUTPUT_VARIABLE sizes)
    foreach(devices RANGE 1 4)
        set(name chapter.${slug}.model.${devices})
        add_test(NAME ${name} COMMAND ${program} --devices ${devices} ${sizes})
        runs_under_model(${name})
    endforeach()
    if(CONFLICT_FREE_MPIRUN)
        add_test(NAME chapter.${slug}.failures
            COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/check_failures.py $<TARGET_FILE:${program}> ${CONFLICT_FREE_MPIRUN})
        runs_under_model(chapter.${slug}.failures)
        # Its ranks must reach mpirun in time, so it gets the place of two tests. It waits for half a minute, so
        # it begins first: CTest begins with what others depend on, and two places at once are free then or at the end.
        set_tests_properties(chapter.${slug}.failures PROPERTIES COST 100 PROCESSORS 2)
    endif()
    add_test(NAME chapter.${slug}.gpu COMMAND ${program} ${sizes} --samples 5)
    runs_on_gpu(chapter.${slug}.gpu)
    set_tests_properties(chapter.${slug}.gpu PROPERTIES DEPENDS chapter.${slug}.failures)
endfunction()
