// The device that executes PTX in this process.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "device/device.hpp"
#include "engine/checked_launch.hpp"
#include "interpreter/decode/program.hpp"
#include "interpreter/textures/textures.hpp"
#include "report/budget.hpp"

namespace simt {

/// The error of a launch whose grid or block no device accepts: cudaErrorInvalidConfiguration.
inline constexpr int error_invalid_configuration = 9;

namespace interpreter {
struct ChildWork;
struct Launch;
}  // namespace interpreter

class EngineDevice : public Device {
public:
    explicit EngineDevice(int ordinal) : ordinal_(ordinal) {}

    int load_module(const std::vector<std::string>& texts) override;
    void unload_module(int module) override;
    int find_function(int module, const std::string& name) override;
    FunctionInfo function(int function) override;
    bool find_variable(int module, const std::string& name, VariableInfo& info) override;
    std::vector<std::string> function_names(int module) override;

    DeviceAddress allocate(std::size_t bytes) override;
    bool release(DeviceAddress address) override;
    void map_host(void* memory, std::size_t bytes) override;
    bool unmap_host(void* memory) override;
    Range range_of(DeviceAddress address) override;
    void memory_info(std::size_t& free, std::size_t& total) override;
    void copy_in(DeviceAddress to, const void* from, std::size_t bytes) override;
    void copy_out(void* to, DeviceAddress from, std::size_t bytes) override;
    void copy_rows(const RowCopy& copy) override;
    void fill(DeviceAddress to, std::uint32_t value, int width, std::size_t count) override;

    int create_array(const ArrayShape& shape) override;
    bool destroy_array(int array) override;
    void copy_to_array(int array, const ArrayBox& box, const void* from, std::size_t pitch, std::size_t slice_pitch) override;
    void copy_from_array(int array, const ArrayBox& box, void* to, std::size_t pitch, std::size_t slice_pitch) override;
    std::uint64_t create_texture(const TextureRequest& request) override;
    bool destroy_texture(std::uint64_t handle) override;

    int launch(const LaunchRequest& request) override;
    int occupancy(int function, int block_threads, std::size_t dynamic_shared_bytes) override;
    const Machine& machine() const override;
    void set_limit(DeviceLimit limit, std::size_t bytes) override {
        if (limit == DeviceLimit::heap) heap_bytes_left_ = bytes;
    }
    void remove_heap() override { has_heap_ = false; }
    void set_printer(std::function<void(std::string_view)> printer) override;
    void note_error(const Message& message) override;
    void reset() override;

private:
    class Workspace;
    struct Kernel {
        int module, function;
        std::unique_ptr<interpreter::Program> program;
    };

    interpreter::LoadedModule& module(int number);
    Kernel& kernel(int number);
    interpreter::Program& program(int number);
    void place_variables(interpreter::LoadedModule& module);
    void initialize_variables(interpreter::LoadedModule& module);
    /// `is_known`: the launch was deferred, and its effect on the state of memory is known.
    int run(interpreter::Program& program, const CheckedLaunch& checked, const report::CountedPart& counted, bool is_known);
    /// A launch while no other one runs: by the host, or by a kernel that has ended.
    int launch_alone(const LaunchRequest& request);
    /// Runs the work that the threads of a launch have asked for. Returns the first error.
    int run_children(interpreter::Launch& launch);
    int launch_child(const interpreter::Launch& parent, interpreter::ChildWork& work);
    /// Number of the kernel that is a function of a module.
    int kernel_of(const interpreter::LoadedModule& module, int function);
    /// Executes the deferred launches (repeats.hpp), if there are any. Called before any access to memory.
    void settle();
    /// The same for a caller that holds the right to launch.
    void execute_put_off();
    /// Called before any change of memory that is not a launch.
    void change_memory();
    /// The effects of a launch.
    struct Effect {
        /// The state in which it found memory.
        std::uint64_t state = 0;
        int error = 0;
        /// Whether it printed something or had a hazard.
        bool is_noticed = false;
        /// Whether it accessed memory that the host can change unnoticed.
        bool met_host = false;
        double seconds = 0;
    };
    void note_effect(const interpreter::Launch& launch, const LaunchRequest& request, const Effect& effect);

    int ordinal_;
    /// The number of launches by kernels that led from a launch of the host to the running launch.
    int depth_ = 0;
    std::recursive_mutex mutex_;
    /// One launch runs at a time: the listeners and the report expect it.
    std::mutex launch_mutex_;
    std::map<int, std::unique_ptr<interpreter::LoadedModule>> modules_;
    int next_module_ = 0;
    ptx::Numbered<Kernel> kernels_;
    std::atomic<std::size_t> heap_bytes_left_{std::size_t{8} << 20};
    bool has_heap_ = true;
    std::function<void(std::string_view)> printer_;
    std::atomic<std::uint64_t> launches_{0};
};

/// The device number `ordinal` of this process, made when it is first asked for.
EngineDevice& engine_device(int ordinal);
/// The number of devices: `SIMT_DEVICES`, or 1 if it is not set.
int engine_device_count();

}  // namespace simt
