# The files that cmake --install --component ConflictFree installs and that a package for Python holds: the libraries, the header for
# tests, and the package for CMake.

add_custom_target(conflict_free_installed DEPENDS ${model_targets} conflict_free_ptx)
install(TARGETS ${model_targets}
    LIBRARY DESTINATION lib COMPONENT ConflictFree NAMELINK_SKIP)
install(TARGETS conflict_free_ptx RUNTIME DESTINATION lib COMPONENT ConflictFree)
install(FILES include/conflict_free/testing.hpp DESTINATION include/conflict_free COMPONENT ConflictFree)
install(FILES include/simt/interface.h include/simt/counts.def DESTINATION include/simt COMPONENT ConflictFree)
install(FILES report.schema.json rates.json DESTINATION share/conflict_free COMPONENT ConflictFree)
install(FILES cmake/ConflictFreeConfig.cmake cmake/ConflictFreeAddTest.cmake cmake/CudaVersion.cmake
    DESTINATION lib/cmake/ConflictFree COMPONENT ConflictFree)
