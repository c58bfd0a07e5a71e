# compile_together(TARGET): the compiler takes twelve of the target's files at a time, since it spends most of its time for a small file
# on headers. Names in unnamed namespaces must then differ between files.
function(compile_together target)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
endfunction()

# add_room(NAME [TOGETHER] [EXCEPT FOLDERS] [OPTIONS OPTION…] [LINKS TARGET…] [PRECOMPILED HEADER…] [PRECOMPILED_WITH TARGET])
# A room of the model: the sources of src/NAME as the object library simt_NAME ("/" of the name as "_"). EXCEPT: without those of these
# folders in it, as a regular expression. TOGETHER: see compile_together().
# Its headers are included as "NAME/FILE.hpp", and only a target that links the room finds them: each room is reached through a
# folder of the build in which it stands alone.
function(add_room name)
    cmake_parse_arguments(PARSE_ARGV 1 room "TOGETHER" "EXCEPT;PRECOMPILED_WITH" "OPTIONS;LINKS;PRECOMPILED")
    string(REPLACE "/" "_" target simt_${name})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*/*.cpp)
    list(REMOVE_ITEM sources ${counts_sources})
    if(room_EXCEPT)
        list(FILTER sources EXCLUDE REGEX "/${name}/(${room_EXCEPT})/")
    endif()
    add_library(${target} OBJECT ${sources})
    if(NOT name MATCHES "/")
        set(alone ${CMAKE_CURRENT_BINARY_DIR}/rooms/${name})
        file(MAKE_DIRECTORY ${alone})
        file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${name} ${alone}/${name} SYMBOLIC)
        target_include_directories(${target} PUBLIC ${alone})
    endif()
    target_link_libraries(${target} PUBLIC ${room_LINKS} PRIVATE conflict_free_warnings)
    target_compile_options(${target} PRIVATE ${room_OPTIONS})
    if(room_PRECOMPILED_WITH)
        target_precompile_headers(${target} REUSE_FROM ${room_PRECOMPILED_WITH})
    elseif(NOT room_TOGETHER OR room_PRECOMPILED)
        target_precompile_headers(${target} PRIVATE ${precompiled_headers} ${room_PRECOMPILED})
    endif()
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    if(room_TOGETHER)
        compile_together(${target})
    endif()
endfunction()
