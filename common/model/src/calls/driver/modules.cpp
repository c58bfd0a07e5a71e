// Modules, libraries, kernels and linking of the driver. A CUmodule, a CUlibrary and a cudaLibrary_t are one and the same,
// and so are a CUfunction, a CUkernel and a cudaKernel_t.

#include "calls/driver/forward.hpp"
#include "calls/runtime/libraries.hpp"

/// Texts to link. cuLinkComplete() hands out one image with all of them.
struct CUlinkState_st {
    std::vector<std::string> texts;
    std::string result;
};

namespace {

using namespace simt::calls;

int attribute_of(const void* function, CUfunction_attribute attribute) {
    cudaFuncAttributes all{};
    const cudaError_t error = cudaFuncGetAttributes(&all, function);
    require(error == cudaSuccess, error);
    switch (attribute) {
        case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return all.maxThreadsPerBlock;
        case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: return static_cast<int>(all.sharedSizeBytes);
        case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: return static_cast<int>(all.constSizeBytes);
        case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: return static_cast<int>(all.localSizeBytes);
        case CU_FUNC_ATTRIBUTE_NUM_REGS: return all.numRegs;
        case CU_FUNC_ATTRIBUTE_PTX_VERSION: return all.ptxVersion;
        case CU_FUNC_ATTRIBUTE_BINARY_VERSION: return all.binaryVersion;
        case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: return all.cacheModeCA;
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: return all.maxDynamicSharedSizeBytes;
        case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: return all.preferredShmemCarveout;
        case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: return all.clusterDimMustBeSet;
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: return all.requiredClusterWidth;
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: return all.requiredClusterHeight;
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: return all.requiredClusterDepth;
        case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: return all.nonPortableClusterSizeAllowed;
        case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: return all.clusterSchedulingPolicyPreference;
        default: fail(cudaErrorInvalidValue);
    }
}

}  // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    return forward(&cudaLibraryLoadData, module, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
    return cuModuleLoadData(module, image);
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) { return cuModuleLoadData(module, image); }

CUresult cuModuleLoad(CUmodule* module, const char* path) {
    return forward(&cudaLibraryLoadFromFile, module, path, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option*, void**, unsigned, CUlibraryOption*, void**, unsigned) {
    return forward(&cudaLibraryLoadData, library, code, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option*, void**, unsigned, CUlibraryOption*, void**, unsigned) {
    return forward(&cudaLibraryLoadFromFile, library, path, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

SIMT_FORWARD(1, cuModuleUnload, cudaLibraryUnload)
SIMT_FORWARD(1, cuLibraryUnload, cudaLibraryUnload)
SIMT_FORWARD(3, cuModuleGetFunction, cudaLibraryGetKernel)
SIMT_FORWARD(3, cuLibraryGetKernel, cudaLibraryGetKernel)
SIMT_FORWARD(2, cuModuleGetFunctionCount, cudaLibraryGetKernelCount)
SIMT_FORWARD(2, cuLibraryGetKernelCount, cudaLibraryGetKernelCount)
SIMT_FORWARD(3, cuModuleEnumerateFunctions, cudaLibraryEnumerateKernels)
SIMT_FORWARD(3, cuLibraryEnumerateKernels, cudaLibraryEnumerateKernels)
SIMT_FORWARD(4, cuModuleGetGlobal, cudaLibraryGetGlobal)
SIMT_FORWARD(4, cuLibraryGetGlobal, cudaLibraryGetGlobal)
SIMT_FORWARD(4, cuLibraryGetManaged, cudaLibraryGetManaged)

SIMT_DRIVER_ANSWER(cuModuleGetLoadingMode, (CUmoduleLoadingMode * mode), mode, CU_MODULE_LAZY_LOADING)

SIMT_DRIVER_ANSWER(cuLibraryGetModule, (CUmodule * module, CUlibrary library), module, reinterpret_cast<CUmodule>(&require_module(library)))

SIMT_DRIVER_ANSWER(cuKernelGetFunction, (CUfunction * function, CUkernel kernel), function,
                   reinterpret_cast<CUfunction>(&require_kernel(kernel)))

SIMT_DRIVER_ANSWER(cuKernelGetLibrary, (CUlibrary * library, CUkernel kernel), library,
                   reinterpret_cast<CUlibrary>(require_kernel(kernel).module))

SIMT_DRIVER_ANSWER(cuFuncGetModule, (CUmodule * module, CUfunction function), module,
                   reinterpret_cast<CUmodule>(require_kernel(function).module))

SIMT_FORWARD(2, cuKernelGetName, cudaFuncGetName)
SIMT_FORWARD(2, cuFuncGetName, cudaFuncGetName)
SIMT_FORWARD(4, cuKernelGetParamInfo, cudaFuncGetParamInfo)
SIMT_FORWARD(4, cuFuncGetParamInfo, cudaFuncGetParamInfo)
SIMT_DRIVER_ANSWER(cuFuncGetAttribute, (int* value, CUfunction_attribute attribute, CUfunction function), value,
                   attribute_of(function, attribute))

SIMT_DRIVER_ANSWER(cuKernelGetAttribute, (int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device), value,
                   (require_device(device), attribute_of(kernel, attribute)))

SIMT_FORWARD(3, cuFuncSetAttribute, cudaFuncSetAttribute)

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice) {
    return driver_call([&] { return cudaFuncSetAttribute(kernel, static_cast<cudaFuncAttribute>(attribute), value); });
}

// PyCUDA calls this before each cuLaunchKernel, whose own arguments count.
CUresult cuFuncSetBlockShape(CUfunction, int, int, int) { return CUDA_SUCCESS; }

SIMT_FORWARD(2, cuFuncSetCacheConfig, cudaFuncSetCacheConfig)

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig) {
    return driver_call([&] { require_kernel(function); });
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice) {
    return driver_call([&] { return cudaFuncSetCacheConfig(kernel, static_cast<cudaFuncCache>(config)); });
}

CUresult cuFuncLoad(CUfunction function) {
    return driver_call([&] { require_kernel(function).number(); });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
    return driver_call([&] {
        require(state != nullptr);
        require_kernel(function);
        *state = CU_FUNCTION_LOADING_STATE_LOADED;
    });
}

SIMT_DRIVER_ANSWER(cuLinkCreate, (unsigned, CUjit_option*, void**, CUlinkState* state), state, new CUlinkState_st)

// Libraries, such as libcudadevrt.a, are machine code. The model has functions of its own in their place, and names those that it lacks.
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, std::size_t bytes, const char*, unsigned, CUjit_option*,
                       void**) {
    return driver_call([&] {
        require(state && data && type != CU_JIT_INPUT_NVVM, static_cast<cudaError_t>(CUDA_ERROR_NO_BINARY_FOR_GPU));
        if (type == CU_JIT_INPUT_LIBRARY) return;
        for (std::string& text : texts_of_image(std::span(static_cast<const std::uint8_t*>(data), bytes)))
            state->texts.push_back(std::move(text));
    });
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned, CUjit_option*, void**) {
    return driver_call([&] {
        require(state && path);
        if (type == CU_JIT_INPUT_LIBRARY) return;
        for (std::string& text : texts_of_file(path)) state->texts.push_back(std::move(text));
    });
}

/// Hands out the texts in place of machine code: they are linked when they are loaded.
CUresult cuLinkComplete(CUlinkState state, void** image, std::size_t* bytes) {
    return driver_call([&] {
        require(state && image);
        state->result = linked_texts_image(state->texts);
        *image = state->result.data();
        if (bytes) *bytes = state->result.size();
    });
}

CUresult cuLinkDestroy(CUlinkState state) {
    return driver_call([&] {
        require(state != nullptr);
        delete state;
    });
}

}  // extern "C"
