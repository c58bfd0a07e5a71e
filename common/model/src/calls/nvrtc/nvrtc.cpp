// Programs that compile kernels at run time call NVIDIA's libnvrtc, which makes machine code. The model's library of the same name
// makes NVIDIA's produce PTX with source lines instead, and returns the PTX in place of machine code: cuModuleLoad and similar
// functions accept both.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "calls/nvrtc/real_library.hpp"

// These types have the names of NVIDIA's nvrtc.h, which comes with a library of many megabytes and is not needed otherwise.
using nvrtcProgram = void*;
enum nvrtcResult : int { NVRTC_ERROR_INTERNAL_ERROR = 11 };
using std::size_t;

namespace {

template <class... Arguments> nvrtcResult forward(const char* name, Arguments... arguments) {
    const auto function = reinterpret_cast<nvrtcResult (*)(Arguments...)>(simt::nvrtc::real_function(name));
    return function ? function(arguments...) : NVRTC_ERROR_INTERNAL_ERROR;
}

bool is_architecture(std::string_view option) {
    for (const std::string_view name : {"--gpu-architecture", "-arch"})
        if (option == name || (option.starts_with(name) && option[name.size()] == '=')) return true;
    return false;
}

/// The program's options, changed to compile for compute_90, or for compute_90a if the program asks for it.
std::vector<std::string> options_for_model(int count, const char* const* options) {
    std::vector<std::string> kept;
    std::string architecture = "--gpu-architecture=compute_90";
    for (int i = 0; i < count; ++i) {
        const std::string option = options[i];
        if (!is_architecture(option)) {
            kept.push_back(option);
            continue;
        }
        const bool value_follows = option.find('=') == std::string::npos && i + 1 < count;
        const std::string value = value_follows ? options[++i] : option;
        if (value.ends_with("90a")) architecture = "--gpu-architecture=compute_90a";
    }
    kept.push_back(architecture);
    kept.emplace_back("-lineinfo");
    return kept;
}

}  // namespace

extern "C" {

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
    const std::vector<std::string> kept = options_for_model(count, options);
    std::vector<const char*> pointers;
    for (const std::string& option : kept) pointers.push_back(option.c_str());
    return forward<nvrtcProgram, int, const char* const*>("nvrtcCompileProgram", program, static_cast<int>(pointers.size()),
                                                          pointers.data());
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* bytes) { return forward("nvrtcGetPTXSize", program, bytes); }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* code) { return forward("nvrtcGetPTX", program, code); }

const char* nvrtcGetErrorString(nvrtcResult result) {
    const auto function = reinterpret_cast<const char* (*)(nvrtcResult)>(simt::nvrtc::real_function("nvrtcGetErrorString"));
    return function ? function(result) : "no libnvrtc of a CUDA toolkit was found";
}

nvrtcResult nvrtcVersion(int* major, int* minor) { return forward("nvrtcVersion", major, minor); }
nvrtcResult nvrtcGetNumSupportedArchs(int* count) { return forward("nvrtcGetNumSupportedArchs", count); }
nvrtcResult nvrtcGetSupportedArchs(int* architectures) { return forward("nvrtcGetSupportedArchs", architectures); }
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int headers, const char* const* texts,
                               const char* const* names) {
    return forward("nvrtcCreateProgram", program, source, name, headers, texts, names);
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) { return forward("nvrtcDestroyProgram", program); }
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* bytes) { return forward("nvrtcGetPTXSize", program, bytes); }
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* text) { return forward("nvrtcGetPTX", program, text); }
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t* bytes) { return forward("nvrtcGetLTOIRSize", program, bytes); }
nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char* code) { return forward("nvrtcGetLTOIR", program, code); }
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram program, size_t* bytes) { return forward("nvrtcGetOptiXIRSize", program, bytes); }
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram program, char* code) { return forward("nvrtcGetOptiXIR", program, code); }
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* bytes) { return forward("nvrtcGetProgramLogSize", program, bytes); }
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* text) { return forward("nvrtcGetProgramLog", program, text); }
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* name) { return forward("nvrtcAddNameExpression", program, name); }
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* name, const char** lowered) {
    return forward("nvrtcGetLoweredName", program, name, lowered);
}
nvrtcResult nvrtcGetPCHHeapSize(size_t* bytes) { return forward("nvrtcGetPCHHeapSize", bytes); }
nvrtcResult nvrtcSetPCHHeapSize(size_t bytes) { return forward("nvrtcSetPCHHeapSize", bytes); }
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram program) { return forward("nvrtcGetPCHCreateStatus", program); }
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t* bytes) {
    return forward("nvrtcGetPCHHeapSizeRequired", program, bytes);
}
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void*, void*), void* payload) {
    return forward("nvrtcSetFlowCallback", program, callback, payload);
}

}  // extern "C"
