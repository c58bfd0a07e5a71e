# conflict_free_warnings: link to it for the warnings that our own code is compiled with.
add_library(conflict_free_warnings INTERFACE)
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND warnings -Wno-restrict)  # false alarms on std::string + in GCC 12
endif()
target_compile_options(conflict_free_warnings INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>"
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
