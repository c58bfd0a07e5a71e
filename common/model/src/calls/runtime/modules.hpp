// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Device code of a program or of a library that it loads, and the kernels and variables in it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "calls/runtime/calls.hpp"

namespace simt::calls {

class Module;

/// A kernel. Its address serves as cudaKernel_t, cudaFunction_t and CUfunction.
struct Kernel {
    Kernel(Module& its_module, std::string its_name) : module(&its_module), name(std::move(its_name)) {}

    Module* module;
    /// Mangled.
    std::string name;
    /// What cudaFuncSetAttribute() has asked for; -1 where it has not.
    int dynamic_shared_limit = -1;
    int carveout = cudaSharedmemCarveoutDefault;
    int required_cluster_width = 0, required_cluster_height = 0, required_cluster_depth = 0;
    bool non_portable_cluster = false;
    int cluster_policy = 0;

    /// Its number on the device that this thread uses. Loads the module.
    int number();
    FunctionInfo info();
    /// Bytes of dynamic shared memory that a launch may ask for.
    std::size_t shared_limit();
    /// Forgets what was loaded on a device, as that has.
    void forget(int device)
    {
        numbers_.erase(device);
        dynamic_shared_limit = -1;
    }

private:
    std::map<int, int> numbers_;
};

/// Device code that is linked together. It is loaded on a device when something of it is first needed there.
class Module {
public:
    /// Containers of a program, read when they are needed.
    explicit Module(std::vector<const void*> containers) : containers_(std::move(containers)) {}
    /// PTX texts.
    explicit Module(std::vector<std::string> texts) : texts_(std::move(texts)) {}
    ~Module();
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    /// Its number on the device that this thread uses. DeviceError if it cannot be loaded.
    int number();
    /// The kernel of this name, the same for each call. Not looked for in the code yet.
    Kernel& kernel(const std::string& name);
    /// False if there is none.
    bool has_kernel(const std::string& name);
    std::vector<std::string> kernel_names();
    /// False if there is none.
    bool variable(const std::string& name, VariableInfo& info);
    /// A managed variable that the host reaches through `pointer`, which is set when the module is loaded.
    void add_managed(void** pointer, std::string name) { managed_.push_back({pointer, std::move(name)}); }
    bool has_managed() const { return !managed_.empty(); }
    /// Forgets what was loaded on a device, as that has.
    void forget(int device);

private:
    struct Managed {
        void** pointer;
        std::string name;
    };

    void read_containers();
    void set_managed_pointers(int number);

    std::vector<const void*> containers_;
    std::vector<std::string> texts_;
    std::map<int, int> numbers_;
    std::map<std::string, std::unique_ptr<Kernel>> kernels_;
    std::vector<Managed> managed_;
    /// Why the module cannot be loaded, once that is known.
    std::optional<DeviceError> failure_;
};

/// Guards all modules, and what is registered.
std::recursive_mutex& module_mutex();

/// A `__device__`, `__constant__` or `__managed__` variable of the program.
struct Variable {
    Module* module = nullptr;
    std::string name;
    std::size_t bytes = 0;
    /// Where host code keeps the address of a managed variable.
    void** host_pointer = nullptr;
};

/// The name of a kernel for people: without its parameters.
std::string readable_name(const std::string& mangled);

/// What the program's own host code has made known.
class Registry {
public:
    static Registry& instance();

    Module& add_module(std::unique_ptr<Module> module);
    /// Removes it with all of its kernels and variables.
    void remove_module(Module& module);
    bool holds(const Module* module) const;
    void add_kernel(const void* host_function, Kernel& kernel) { kernels_[host_function] = &kernel; }
    void add_variable(const void* host_variable, Variable variable) { variables_[host_variable] = std::move(variable); }
    void add_handle(const Kernel& kernel) { handles_.insert(&kernel); }

    /// The kernel of a stub in host code, or the one whose handle this is. Null if it is neither.
    Kernel* kernel(const void* function) const;
    const Variable* variable(const void* symbol) const;
    /// The managed variable that starts at this address.
    const Variable* managed_variable(const void* address) const;
    /// Everything is loaded again when it is next needed: the device has forgotten all.
    void forget_loaded(int device);

private:
    std::map<const Module*, std::unique_ptr<Module>> modules_;
    std::map<const void*, Kernel*> kernels_;
    std::set<const void*> handles_;
    std::map<const void*, Variable> variables_;
};

/// The kernel of a stub or a handle. Fails with cudaErrorInvalidDeviceFunction if there is none, or if its code has it not.
Kernel& require_kernel(const void* function);

/// Address and size of a variable. Fails with cudaErrorInvalidSymbol if there is none.
VariableInfo require_variable(const void* symbol);

/// The PTX of what a program hands over at run time: a fat binary, a wrapper of one, or a PTX text.
std::vector<std::string> texts_of_image(const void* image);
/// The same of the contents of a file.
std::vector<std::string> texts_of_image(std::span<const std::uint8_t> image);
/// An image of several texts, which texts_of_image() takes apart again.
std::string linked_texts_image(const std::vector<std::string>& texts);

}  // namespace simt::calls
