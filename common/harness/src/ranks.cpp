#include "conflict_free/ranks.hpp"

#include <cuda_runtime.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <mutex>
#include <thread>

#include "conflict_free/error.hpp"
#include "model.hpp"

#ifdef CONFLICT_FREE_HAS_MPI
#include <mpi.h>
#endif

namespace conflict_free {

namespace {

/// The longest time of a step. Most steps take less than a second, the set-up of NCCL a few: a step that takes longer is stuck.
constexpr unsigned patience_seconds = 30;

// The message of the alarm, made in advance: a signal handler must not format text.
std::array<char, 256> last_line;

void give_up(int) {
    const auto written = ::write(STDERR_FILENO, last_line.data(), std::char_traits<char>::length(last_line.data()));
    ::_exit(written > 0 ? 1 : 2);
}

/// A number that mpirun, of Open MPI or of MPICH, or srun sets in the environment.
int number_told(std::initializer_list<const char*> names, int otherwise) {
    for (const char* name : names)
        if (const char* value = std::getenv(name)) return std::atoi(value);
    return otherwise;
}

int devices_there() {
    int count = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    return count;
}

/// The model's first hazard as the reason for a failed call; empty on a GPU.
std::string found_by_model() {
    if (!model::is_there()) return "";
    const model::Report report = model::take_report();
    return report.hazards.empty() ? "" : "; the model found a hazard: " + report.hazards.front().message.text();
}

/// The place of a GPU on its bus. Unlike a device number, it is the same in all processes.
struct BusId {
    std::array<char, 32> text{};
    bool operator==(const BusId&) const = default;
};

}  // namespace

Ranks::Ranks(std::string program, int argc, char** argv) : program_(std::move(program)) {
    processes_ = std::max(number_told({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}, 1), 1);
    if (processes_ > 1) {
        process_ = number_told({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}, 0);
        join(argc, argv);
        return;
    }
    // Loading a kernel at its first launch waits for running kernels. If one of them waits for another GPU whose thread waits for the
    // loading, the program hangs.
    ::setenv("CUDA_MODULE_LOADING", "EAGER", 0);
}

void Ranks::join([[maybe_unused]] int argc, [[maybe_unused]] char** argv) {
#ifdef CONFLICT_FREE_HAS_MPI
    allow("the start of all ranks");
    // Threads call MPI one at a time: the first that fails ends all processes.
    int level = 0, joined = 0, on_host = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &process_);
    MPI_Comm_size(MPI_COMM_WORLD, &joined);
    if (joined != processes_)
        fail(process_, "MPI joins " + std::to_string(joined) + " of " + std::to_string(processes_) +
                           " processes: start them by the mpirun of the MPI that the program was built with, or by srun --mpi=pmix");
    MPI_Comm host = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &on_host);
    if (on_host != processes_) fail(process_, "not all ranks are on its host, and the memory of other hosts' GPUs is out of reach");
    std::string arguments;
    for (int i = 1; i < argc; ++i) arguments += (i > 1 ? " " : "") + std::string(argv[i]);
    const std::size_t mine = std::hash<std::string>()(arguments);
    if (gather(std::vector{mine}).front() != mine) fail(process_, "it was called with '" + arguments + "', and rank 0 with something else");
    // CUDA's first call must find the rank's own GPU.
    int there = 0;
    if (cudaGetDeviceCount(&there) == cudaSuccess && there > 0) CUDA_CHECK(cudaSetDevice(process_ % there));
#else
    fail(process_, "mpirun or srun has started " + std::to_string(processes_) + " processes, and the program was built without MPI");
#endif
}

std::string Ranks::speaker() const { return program_ + (processes_ > 1 ? ": rank " + std::to_string(process_) : ""); }

void Ranks::take(int devices) {
    if (processes_ > 1)
        throw UsageError("--devices: got '" + std::to_string(devices) + "', accepted: nothing where mpirun or srun starts a process a GPU");
    devices_ = devices;
    // The model reads the variable when it is first asked for its devices.
    ::setenv("SIMT_DEVICES", std::to_string(devices).c_str(), 1);
}

int Ranks::count() const {
    if (processes_ > 1) return processes_;
    const int there = devices_there();
    if (devices_ > there)
        throw UsageError("--devices: got '" + std::to_string(devices_) + "', accepted: at most " + std::to_string(there) +
                         ", which are there");
    return devices_ > 0 ? devices_ : there;
}

void Ranks::open() {
    std::vector<BusId> buses(static_cast<std::size_t>(here()));
    each("the set-up of its GPU", [&](int i) {
        int device = 0;
        CUDA_CHECK(cudaGetDevice(&device));
        std::array<char, 32>& text = buses[static_cast<std::size_t>(i)].text;
        CUDA_CHECK(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device));
        // Processes exchange handles to reach each other's memory.
        for (int other = 0; other < here(); ++other)
            if (other != i) CUDA_CHECK(cudaDeviceEnablePeerAccess(other, 0));
    });
    const std::vector<BusId> all = gather(buses);
    const auto same = std::ranges::find(all, buses.front()) - all.begin();
    if (same < process_)
        fail(process_, "it has the same GPU as rank " + std::to_string(same) + ": start as many processes as there are GPUs, " +
                           std::to_string(devices_there()));
    each("the set-up of all GPUs", [](int) {});
}

void Ranks::each(const std::string& what, const std::function<void(int)>& work) const {
    allow(what);
    const int devices = devices_there();
    std::vector<std::thread> threads;
    for (int i = 0; i < here(); ++i)
        threads.emplace_back([this, &work, i, devices] {
            try {
                CUDA_CHECK(cudaSetDevice((process_ + i) % devices));
                work(i);
            } catch (const std::exception& error) {
                fail(process_ + i, error.what() + found_by_model());
            }
        });
    for (std::thread& thread : threads) thread.join();
    gather(std::vector<char>(threads.size()));
}

void Ranks::gather([[maybe_unused]] const void* mine, [[maybe_unused]] void* all, [[maybe_unused]] std::size_t bytes) const {
#ifdef CONFLICT_FREE_HAS_MPI
    const int length = static_cast<int>(bytes);
    MPI_Allgather(mine, length, MPI_BYTE, all, length, MPI_BYTE, MPI_COMM_WORLD);
#endif
}

std::vector<void*> Ranks::share(const std::vector<void*>& of_here) const {
    // The threads of a process share their addresses.
    if (processes_ == 1) return of_here;
    std::vector<cudaIpcMemHandle_t> mine(1);
    std::vector<void*> addresses(static_cast<std::size_t>(processes_));
    each("sharing memory", [&](int) { CUDA_CHECK(cudaIpcGetMemHandle(&mine.front(), of_here.front())); });
    const std::vector<cudaIpcMemHandle_t> handles = gather(mine);
    each("reaching the memory of others", [&](int) {
        for (std::size_t rank = 0; rank < addresses.size(); ++rank)
            if (static_cast<int>(rank) == process_) addresses[rank] = of_here.front();
            else CUDA_CHECK(cudaIpcOpenMemHandle(&addresses[rank], handles[rank], cudaIpcMemLazyEnablePeerAccess));
    });
    return addresses;
}

void Ranks::unshare(const std::vector<void*>& shared) const {
    if (processes_ == 1) return;
    each("letting go of the memory of others", [&](int) {
        for (std::size_t rank = 0; rank < shared.size(); ++rank)
            if (static_cast<int>(rank) != process_) CUDA_CHECK(cudaIpcCloseMemHandle(shared[rank]));
    });
}

void Ranks::allow(const std::string& what) const {
    if (processes_ == 1) return;
    // No alarm may occur while its message changes.
    ::alarm(0);
    std::snprintf(last_line.data(), last_line.size(), "%s: %s did not end within %u seconds\n", speaker().c_str(), what.c_str(),
                  patience_seconds);
    std::signal(SIGALRM, give_up);
    ::alarm(patience_seconds);
}

void Ranks::fail(int rank, const std::string& reason) const {
    // Only the first thread of a process that fails prints its reason.
    static std::mutex last_word;
    last_word.lock();
    std::fprintf(stderr, "%s: rank %d: %s\n", program_.c_str(), rank, reason.c_str());
#ifdef CONFLICT_FREE_HAS_MPI
    if (processes_ > 1) MPI_Abort(MPI_COMM_WORLD, 1);
#endif
    ::_exit(1);
}

int Ranks::end([[maybe_unused]] int exit_code) const {
#ifdef CONFLICT_FREE_HAS_MPI
    if (processes_ == 1) return exit_code;
    // A wrong result is known to all processes. If one process alone fails to start, the others wait for it: it must end them.
    if (exit_code > 1) MPI_Abort(MPI_COMM_WORLD, exit_code);
    MPI_Finalize();
    ::alarm(0);
#endif
    return exit_code;
}

}  // namespace conflict_free
