# The assignment whose answers scripts/test grades; those of the others are a long series.
set(CONFLICT_FREE_SAMPLE_ASSIGNMENT naive)

# Grading runs these: the judge, and the libraries under which a submission runs.
set(CONFLICT_FREE_GRADING_TOOLS simt_judge conflict_free_cudart conflict_free_cuda conflict_free_model conflict_free_trial)

# Begins the command of a trial, whose name follows a dot.
set(CONFLICT_FREE_TRIALS ${CONFLICT_FREE_PYTHON} ${PROJECT_SOURCE_DIR}/common/python/conflict_free trials)

# write_grading_toolchain(FILE)
#
# Writes what scripts/grade needs to build a submission with its driver, and to run and judge it. The target
# `grading_toolchain` builds all that the file names.
function(write_grading_toolchain file)
    add_custom_target(grading_toolchain DEPENDS ${CONFLICT_FREE_GRADING_TOOLS})
    file(GENERATE OUTPUT ${file} CONTENT "{
  \"nvcc\": \"${CMAKE_CUDA_COMPILER}\",
  \"include_folders\": [\"${CMAKE_CURRENT_SOURCE_DIR}/include\"],
  \"libraries\": [\"$<TARGET_FILE:conflict_free_trial>\"],
  \"runtime\": \"$<TARGET_FILE_DIR:conflict_free_cudart>\",
  \"judge\": \"$<TARGET_FILE:simt_judge>\"
}
")
endfunction()

# add_assignment(SLUG)
#
# Says that a chapter has an assignment, which grade_assignments() grades.
function(add_assignment slug)
    set_property(GLOBAL APPEND PROPERTY CONFLICT_FREE_ASSIGNMENTS ${slug})
endfunction()

# grade_assignments()
#
# Grades all assignments, and the cheats. Call it from the last folder: gradings then begin after all other targets, and the book, which is
# rendered on one core, never waits for them.
function(grade_assignments)
    get_property(slugs GLOBAL PROPERTY CONFLICT_FREE_ASSIGNMENTS)
    grade_cheats(padding)  # they fit every assignment
    list(REVERSE slugs)  # the last chapters have the dearest
    foreach(slug IN LISTS slugs)
        grade_assignment(${slug})
    endforeach()
endfunction()

# grade_assignment(SLUG)
#
# Adds what tries the assignment in chapters/SLUG/assignment. Its starter, its solution and all its answers are graded into
# ${CMAKE_BINARY_DIR}/graded/SLUG.json, which the target `graded` brings up to date, and the check
#   assignment.SLUG         label cpu   each scores what task.toml says, and the release gives nothing away
# holds that file against task.toml. The target `draws` grades each answer under 200 draws of the hidden cases, which must
# all have the same result; the target `limits` takes each limit of task.toml away and looks for an answer that notices; the target `slack`
# measures how much room the thresholds leave above the dearest right answer, and the limit of time above the slowest one.
function(grade_assignment slug)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/chapters/${slug}/assignment/*)
    add_graded(${slug} ${slug} answers "Grading the answers of assignment ${slug}" ${files})
    foreach(trial IN ITEMS draws limits slack)
        if(NOT TARGET ${trial})
            add_custom_target(${trial})
        endif()
        add_custom_target(${slug}_${trial}
            COMMAND ${CONFLICT_FREE_TRIALS}.${trial} ${slug} --build-dir ${CMAKE_BINARY_DIR}
            COMMENT "Trying the ${trial} of assignment ${slug}"
            VERBATIM)
        add_dependencies(${slug}_${trial} grading_toolchain)
        add_dependencies(${trial} ${slug}_${trial})
    endforeach()
    add_test(NAME assignment.${slug} COMMAND ${CONFLICT_FREE_TRIALS}.answers check ${slug} --graded ${graded})
    set_tests_properties(assignment.${slug} PROPERTIES FIXTURES_REQUIRED ${slug}_graded LABELS cpu)
    if(NOT slug STREQUAL CONFLICT_FREE_SAMPLE_ASSIGNMENT)
        set_tests_properties(assignment.${slug} assignment.${slug}.graded PROPERTIES LABELS "cpu;long")
    endif()
endfunction()

# add_graded(NAME SLUG TRIAL COMMENT FILE…)
#
# Has trials.TRIAL grade FILEs for assignment SLUG into graded/NAME.json of the build folder, and sets the variable graded to that path.
# Makes its target NAME_graded, a part of the target `graded`, and the test assignment.NAME.graded, which brings it up to date.
function(add_graded name slug trial comment)
    set(file ${CMAKE_BINARY_DIR}/graded/${name}.json)
    set(graded ${file} PARENT_SCOPE)
    set(package ${PROJECT_SOURCE_DIR}/common/python/conflict_free)
    file(GLOB_RECURSE grader CONFIGURE_DEPENDS
         ${package}/grading/*.py ${package}/grading/*.json ${package}/trials/*.py ${package}/trials/*.cu* ${package}/trials/*.toml)
    add_custom_command(
        OUTPUT ${file}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/graded
        COMMAND ${CONFLICT_FREE_TRIALS}.${trial} grade ${slug} --build-dir ${CMAKE_BINARY_DIR} --output ${file}
        DEPENDS ${ARGN} ${grader} ${CONFLICT_FREE_GRADING_TOOLS}
        COMMENT ${comment}
        VERBATIM)
    if(NOT TARGET graded)
        add_custom_target(graded)
    endif()
    add_custom_target(${name}_graded DEPENDS ${file})
    add_dependencies(graded ${name}_graded)
    add_dependencies(${name}_graded grading_toolchain)
    add_test(NAME assignment.${name}.graded COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target ${name}_graded)
    set_tests_properties(assignment.${name}.graded PROPERTIES FIXTURES_SETUP ${name}_graded LABELS cpu RESOURCE_LOCK build_folder
        COST 30)
endfunction()

# grade_cheats(SLUG)
#
# Grades all cheats for an assignment, with and without text admission, into ${CMAKE_BINARY_DIR}/graded/cheats.json, a part of the
# target `graded`, and adds the check
#   assignments.cheats         label cpu   each has the outcome that trials/outcomes.toml and docs/grading.md name
#   assignments.cheats_in_sandbox          the same for outcomes that only the sandbox causes; skipped without a sandbox
function(grade_cheats slug)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/chapters/${slug}/assignment/*)
    list(FILTER files EXCLUDE REGEX "/answers(\\.toml)?$")
    add_graded(cheats ${slug} cheats "Grading the cheats" ${files})
    add_test(NAME assignments.cheats COMMAND ${CONFLICT_FREE_TRIALS}.cheats check --graded ${graded})
    add_test(NAME assignments.cheats_in_sandbox COMMAND ${CONFLICT_FREE_TRIALS}.cheats check --graded ${graded} --in-sandbox)
    set_tests_properties(assignments.cheats assignments.cheats_in_sandbox PROPERTIES FIXTURES_REQUIRED cheats_graded)
    set_tests_properties(assignments.cheats assignments.cheats_in_sandbox assignment.cheats.graded PROPERTIES LABELS "cpu;long")
    set_tests_properties(assignments.cheats_in_sandbox PROPERTIES SKIP_RETURN_CODE 77)
endfunction()
