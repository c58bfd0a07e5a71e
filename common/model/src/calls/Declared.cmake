# Reads the names of the functions and errors that the toolkit's headers declare, and makes four files of them:
#   unsupported.cpp  a weak definition of each, which says that the model does not have it. A definition of ours wins at link time.
#   per_thread.txt   options of the linker that give NAME_ptsz and NAME_ptds the address of NAME. Programs whose default stream is
#                    each thread's own call these. All work is done when its call returns, so both do the same.
#   forms.inc        the versions of CUDA that brought the forms of the driver's functions: one line for each form, as cuGetProcAddress is asked.
#   driver_errors.inc  SIMT_CASE(NAME) for each error of the driver

# read_declared(NAMES VARIANTS MARK PREFIX PER_THREAD HEADER…): functions whose declarations have MARK before a name that begins with
# PREFIX, and those that macros name: newer forms, and in VARIANTS the ones that PER_THREAD marks.
function(read_declared names variants mark prefix per_thread)
    set(name "${prefix}[A-Z][A-Za-z0-9_]*")
    foreach(header IN LISTS ARGN)
        set(path ${headers}/${header})
        if(NOT EXISTS ${path})
            continue()  # packages for Python leave some headers of graphics out
        endif()
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
        file(READ ${path} text)
        string(REGEX MATCHALL "${mark} +${name} *\\(" declared "${text}")
        string(REGEX MATCHALL "#define +${name} +${name}" renamed "${text}")
        string(REGEX MATCHALL "${per_thread}_PT(DS|SZ)\\(${name}\\)" marked "${text}")
        list(TRANSFORM declared REPLACE "^.* (${name}) *\\($" "\\1")
        list(TRANSFORM renamed REPLACE "^.* " "")
        list(TRANSFORM marked REPLACE "^${per_thread}_(PTDS|PTSZ)\\((${name})\\)$" "\\2 \\1")
        list(APPEND found ${declared} ${renamed})
        list(APPEND found_variants ${marked})
    endforeach()
    list(TRANSFORM found_variants REPLACE " .*$" "" OUTPUT_VARIABLE originals)
    list(APPEND found ${originals})
    list(FILTER found EXCLUDE REGEX "WGL|_pt[ds][sz]$")  # functions of Windows, and the variants themselves
    list(REMOVE_DUPLICATES found)
    list(SORT found)
    list(REMOVE_DUPLICATES found_variants)
    set(${names} ${found} PARENT_SCOPE)
    set(${variants} ${found_variants} PARENT_SCOPE)
endfunction()

list(GET CUDAToolkit_INCLUDE_DIRS 0 headers)  # further folders are those of CCCL
read_declared(of_runtime variants_of_runtime CUDARTAPI cuda __CUDART_API
    cuda_runtime_api.h cuda_gl_interop.h cuda_egl_interop.h cuda_vdpau_interop.h cuda_profiler_api.h)
read_declared(of_driver variants_of_driver CUDAAPI cu __CUDA_API cuda.h cudaGL.h cudaEGL.h cudaVDPAU.h cudaProfiler.h)
# They are in the library and in no header.
list(APPEND of_runtime __cudaGetProcAddress)
list(APPEND variants_of_runtime "__cudaLaunchKernel PTSZ" "cudaGetDriverEntryPoint PTSZ")

list(TRANSFORM of_runtime REPLACE "(.+)" "SIMT_UNSUPPORTED(unsupported, \\1)\n")
list(TRANSFORM of_driver REPLACE "(.+)" "SIMT_UNSUPPORTED(unsupported_in_driver, \\1)\n")
list(JOIN of_runtime "" of_runtime)
list(JOIN of_driver "" of_driver)
file(CONFIGURE OUTPUT unsupported.cpp CONTENT "#include \"calls/runtime/unsupported.hpp\"\n\n${of_runtime}${of_driver}" @ONLY)

set(variants ${variants_of_runtime} ${variants_of_driver})
list(TRANSFORM variants REPLACE "(.+) (.+)" "--defsym=\\1_\\2=\\1\n")
list(JOIN variants "" variants)
string(REPLACE "_PTSZ=" "_ptsz=" variants "${variants}")
string(REPLACE "_PTDS=" "_ptds=" variants "${variants}")
file(CONFIGURE OUTPUT per_thread.txt CONTENT "${variants}" @ONLY)

set(typedefs ${headers}/cudaTypedefs.h)
set(forms "")
if(EXISTS ${typedefs})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${typedefs})
    file(READ ${typedefs} text)
    string(REGEX MATCHALL "PFN_cu[A-Za-z0-9]+_v[0-9]+" forms "${text}")
    list(REMOVE_DUPLICATES forms)
    list(TRANSFORM forms REPLACE "PFN_(.+)_v(.+)" "{\"\\1\", \\2},\n")
    list(JOIN forms "" forms)
endif()
file(CONFIGURE OUTPUT forms.inc CONTENT "${forms}" @ONLY)

file(READ ${headers}/cuda.h text)
string(REGEX MATCHALL "CUDA_(SUCCESS|ERROR_[A-Z0-9_]+) +=" errors "${text}")
list(TRANSFORM errors REPLACE "(.+[^ ]) +=" "SIMT_CASE(\\1)\n")
list(JOIN errors "" errors)
file(CONFIGURE OUTPUT driver_errors.inc CONTENT "${errors}" @ONLY)
