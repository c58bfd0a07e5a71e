#include "conflict_free/trial.hpp"

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <utility>

#include "conflict_free/error.hpp"
#include "simt/trial.h"

namespace conflict_free {

namespace {

constexpr int usage_error = 2;
constexpr int no_gpu = 77;
constexpr int warm_up_calls = 3;

[[noreturn]] void end(int exit_code, const std::string& message) {
    std::fprintf(stderr, "error: %s\n", message.c_str());
    std::_Exit(exit_code);
}

std::vector<unsigned char> read_bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    if (!in) end(usage_error, path + " cannot be read");
    std::vector<unsigned char> data(static_cast<std::size_t>(in.tellg()));
    in.seekg(0);
    in.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
    if (!in) end(usage_error, path + " cannot be read");
    return data;
}

void write_bytes(const std::string& path, const void* data, std::size_t bytes) {
    std::ofstream out(path, std::ios::binary);
    out.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    out.close();
    if (!out) end(usage_error, path + " cannot be written");
}

/// A function of the model by its name; null on a GPU.
template <class Function> Function* judge_function(const char* name) { return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name)); }
#define JUDGE(function) judge_function<decltype(function)>(#function)

bool has_judge() {
    const auto asked = JUDGE(simt_trial_has_judge);
    return asked && asked() != 0;
}

}  // namespace

int Trial::each(int argc, char** argv, const std::function<void(Trial&)>& body) {
    if (!has_judge()) {
        Trial trial(argc, argv);
        body(trial);
        trial.finish();
        return trial.failure_.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    for (bool goes_on = true; goes_on;) {
        Trial trial;
        body(trial);
        const bool failed = !trial.failure_.empty();
        goes_on = JUDGE(simt_trial_finish)(failed ? trial.failure_.c_str() : nullptr) != 0;
        if (failed) return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

Trial::Trial(int argc, char** argv) : judged_(false) {
    if (argc != 3 && !(argc == 5 && std::strcmp(argv[3], "--samples") == 0 && (samples_ = std::atoi(argv[4])) > 0))
        end(usage_error, "arguments: CASE OUTPUT [--samples N] is accepted, with an N of 1 or more");
    case_folder_ = argv[1];
    output_folder_ = argv[2];
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) end(no_gpu, "no CUDA-capable device is detected");
    read_case();
}

Trial::~Trial() {
    if (judged_) return;
    for (const Buffer& buffer : buffers_) cudaFree(buffer.device);
}

void Trial::read_case() {
    const std::string path = case_folder_ + "/case.txt";
    std::ifstream in(path);
    std::string kind, name;
    while (in >> kind >> name) {
        const bool is_buffer = kind == "input" || kind == "output";
        if (!is_buffer && (kind != "integer" || !(in >> integers_[name]))) end(usage_error, path + ": '" + kind + "' is not understood");
    }
    if (integers_.empty()) end(usage_error, path + " has no parameters, or cannot be read");
}

int Trial::integer(const std::string& name) const {
    int value = 0;
    const auto found = integers_.find(name);
    if (judged_ ? JUDGE(simt_trial_integer)(name.c_str(), &value) != 0 : found == integers_.end())
        end(usage_error, "the case has no parameter " + name);
    return judged_ ? value : found->second;
}

void* Trial::add_input(const std::string& name, std::size_t element_bytes) {
    void* const device = add(name, false);
    if (buffers_.back().bytes % element_bytes != 0) end(usage_error, name + ".bin is not a whole number of elements");
    return device;
}

void* Trial::add_output(const std::string& name, std::size_t bytes) {
    void* const device = add(name, true);
    const std::size_t given = buffers_.back().bytes;
    if (given != bytes) end(usage_error, name + ".bin has " + std::to_string(given) + " bytes, the driver wants " + std::to_string(bytes));
    return device;
}

void* Trial::add(const std::string& name, bool is_output) {
    Buffer buffer{name, nullptr, 0, {}, is_output};
    if (judged_) {
        if (JUDGE(simt_trial_buffer)(name.c_str(), &buffer.device, &buffer.bytes) != 0) end(usage_error, "the case has no data " + name);
        buffers_.push_back(std::move(buffer));
        return buffers_.back().device;
    }
    buffer.initial = read_bytes(case_folder_ + "/" + name + ".bin");
    buffer.bytes = buffer.initial.size();
    if (!buffer.initial.empty()) {
        CUDA_CHECK(cudaMalloc(&buffer.device, buffer.initial.size()));
        CUDA_CHECK(cudaMemcpy(buffer.device, buffer.initial.data(), buffer.initial.size(), cudaMemcpyHostToDevice));
    }
    buffers_.push_back(std::move(buffer));
    return buffers_.back().device;
}

void Trial::restore() const {
    for (const Buffer& buffer : buffers_)
        if (buffer.device) CUDA_CHECK(cudaMemcpy(buffer.device, buffer.initial.data(), buffer.initial.size(), cudaMemcpyHostToDevice));
}

void Trial::call(const std::function<void()>& function) {
    function();
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
}

double Trial::sample_ms(const std::function<void()>& function) {
    restore();
    cudaEvent_t begin{}, end{};
    CUDA_CHECK(cudaEventCreate(&begin));
    CUDA_CHECK(cudaEventCreate(&end));
    CUDA_CHECK(cudaEventRecord(begin));
    function();
    CUDA_CHECK(cudaEventRecord(end));
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
    CUDA_CHECK(cudaEventDestroy(begin));
    CUDA_CHECK(cudaEventDestroy(end));
    // The function may have used streams of its own.
    CUDA_CHECK(cudaDeviceSynchronize());
    return ms;
}

void Trial::run(const std::function<void()>& function) {
    try {
        call(function);
        if (samples_ == 0) return;
        for (int i = 1; i < warm_up_calls; ++i) call(function);
        for (int i = 0; i < samples_; ++i) times_ms_.push_back(sample_ms(function));
    } catch (const std::exception& error) {
        failure_ = error.what();
    }
}

void Trial::write_outputs() const {
    for (const Buffer& buffer : buffers_) {
        if (!buffer.is_output) continue;
        std::vector<unsigned char> data(buffer.initial.size());
        if (buffer.device) CUDA_CHECK(cudaMemcpy(data.data(), buffer.device, data.size(), cudaMemcpyDeviceToHost));
        write_bytes(output_folder_ + "/" + buffer.name + ".bin", data.data(), data.size());
    }
}

void Trial::finish() {
    try {
        if (failure_.empty()) write_outputs();
    } catch (const std::exception& error) {
        failure_ = error.what();
    }
    std::string times;
    for (const double ms : times_ms_) times += std::to_string(ms) + "\n";
    if (samples_ > 0) write_bytes(output_folder_ + "/times.txt", times.data(), times.size());
    const std::string outcome = (failure_.empty() ? "finished" : failure_) + "\n";
    write_bytes(output_folder_ + "/outcome.txt", outcome.data(), outcome.size());
}

}  // namespace conflict_free
