// Device code of a program or of a library that it loads, and the kernels and variables in it.
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

class DeviceCode;

/// A kernel. Its address serves as cudaKernel_t, cudaFunction_t and CUfunction.
struct Kernel {
    Kernel(DeviceCode& its_module, std::string its_name) : module(&its_module), name(std::move(its_name)) {}

    DeviceCode* module;
    /// The mangled name.
    std::string name;
    /// Set by cudaFuncSetAttribute(); -1 until then.
    int dynamic_shared_limit = -1;
    int carveout = cudaSharedmemCarveoutDefault;
    int required_cluster_width = 0, required_cluster_height = 0, required_cluster_depth = 0;
    bool non_portable_cluster = false;
    int cluster_policy = 0;

    /// The kernel's number on the device that this thread uses. Loads the module.
    int number();
    FunctionInfo info();
    /// The most bytes of dynamic shared memory that a launch may ask for.
    std::size_t shared_limit();
    /// Forgets a device's number: the device was reset.
    void forget(int device) {
        numbers_.erase(device);
        dynamic_shared_limit = -1;
    }

private:
    std::map<int, int> numbers_;
};

/// Device code that is linked together. A device loads it when it first needs a part of it.
class DeviceCode {
public:
    /// @param containers of a program, which are read when they are needed
    explicit DeviceCode(std::vector<const void*> containers) : containers_(std::move(containers)) {}
    /// @param texts of PTX
    explicit DeviceCode(std::vector<std::string> texts) : texts_(std::move(texts)) {}
    ~DeviceCode();
    DeviceCode(const DeviceCode&) = delete;
    DeviceCode& operator=(const DeviceCode&) = delete;

    /// The module's number on the device that this thread uses. DeviceError if it cannot be loaded.
    int number();
    /// The kernel of this name, the same for each call. Whether the code has it is checked later.
    Kernel& kernel(const std::string& name);
    /// False if there is none.
    bool has_kernel(const std::string& name);
    std::vector<std::string> kernel_names();
    /// False if there is none.
    bool variable(const std::string& name, VariableInfo& info);
    /// A managed variable that the host reaches through `pointer`, which is set when the module is loaded.
    void add_managed(void** pointer, std::string name) { managed_.push_back({pointer, std::move(name)}); }
    bool has_managed() const { return !managed_.empty(); }
    /// Forgets a device's number: the device was reset.
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
    /// Why the module could not be loaded.
    std::optional<DeviceError> failure_;
};

/// Guards all modules and the registry.
std::recursive_mutex& module_mutex();

/// A `__device__`, `__constant__` or `__managed__` variable of the program.
struct RegisteredVariable {
    DeviceCode* module = nullptr;
    std::string name;
    std::size_t bytes = 0;
    /// Where host code keeps the address of a managed variable.
    void** host_pointer = nullptr;
};

/// The demangled name of a kernel without its parameters.
std::string readable_name(const std::string& mangled);

/// The modules, kernels and variables that the program's host code has registered.
class Registry {
public:
    static Registry& instance();

    DeviceCode& add_module(std::unique_ptr<DeviceCode> module);
    /// Removes a module with all of its kernels and variables.
    void remove_module(DeviceCode& module);
    bool holds(const DeviceCode* module) const;
    void add_kernel(const void* host_function, Kernel& kernel) { kernels_[host_function] = &kernel; }
    void add_variable(const void* host_variable, RegisteredVariable variable) { variables_[host_variable] = std::move(variable); }
    void add_handle(const Kernel& kernel) { handles_.insert(&kernel); }

    /// The kernel of a stub in host code, or the one whose handle this is. Null if it is neither.
    Kernel* kernel(const void* function) const;
    const RegisteredVariable* variable(const void* symbol) const;
    /// The managed variable that starts at this address.
    const RegisteredVariable* managed_variable(const void* address) const;
    /// Forgets what a device has loaded: the device was reset, and loads modules again when it needs them.
    void forget_loaded(int device);

private:
    std::map<const DeviceCode*, std::unique_ptr<DeviceCode>> modules_;
    std::map<const void*, Kernel*> kernels_;
    std::set<const void*> handles_;
    std::map<const void*, RegisteredVariable> variables_;
};

/// The kernel of a stub or a handle. Fails with cudaErrorInvalidDeviceFunction if there is none, or if the code does not have it.
Kernel& require_kernel(const void* function);

/// Address and size of a variable. Fails with cudaErrorInvalidSymbol if there is none.
VariableInfo require_variable(const void* symbol);

/// The PTX of an image that a program loads at run time: a fat binary, a wrapper of one, or a PTX text.
std::vector<std::string> texts_of_image(const void* image);
/// The PTX of the contents of a file.
std::vector<std::string> texts_of_image(std::span<const std::uint8_t> image);
/// Makes an image of several texts, which texts_of_image() separates again.
std::string linked_texts_image(const std::vector<std::string>& texts);

}  // namespace simt::calls
