#include "conflict_free/chapter.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "backend.hpp"
#include "conflict_free/error.hpp"
#include "options.hpp"
#include "report.hpp"

namespace conflict_free {

namespace {

constexpr int exit_check_failed = 1;
constexpr int exit_usage = 2;
constexpr int exit_no_device = 77;

/// From this many results on, the power of a product is measured: at smaller sizes the GPU is not full.
constexpr std::size_t least_elements_for_power = std::size_t{2048} * 2048;

std::string gibibytes(std::size_t bytes) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << static_cast<double>(bytes) / (1 << 30) << " GiB";
    return text.str();
}

std::size_t free_device_bytes() {
    std::size_t free = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return free;
}

}  // namespace

/// One run of a chapter program.
class ChapterRun {
public:
    ChapterRun(Chapter& chapter, const Options& options) : chapter_(chapter), options_(options) {}

    int run();

private:
    std::vector<Size> wanted_sizes() const;
    bool fits(Size size) const;
    bool is_asked_for(const Chapter::RegisteredKernel& kernel) const;
    bool is_left_out(const Chapter::RegisteredKernel& kernel) const;
    bool is_wanted(const Chapter::RegisteredKernel& kernel, Size size) const;
    bool is_only_for_others(Size size) const;
    bool is_timed(Size size) const;
    std::string accepted_sizes_text() const;
    void check_traffic_sizes() const;
    void run_size(Size size);
    Row run_kernel(Size size, int kernel, int sets);
    void prepare_again(Size size, int sets);
    void judge(Row& row, const Chapter::RegisteredKernel& kernel) const;
    int report(const Heading& heading, JsonFile* file) const;

    Chapter& chapter_;
    const Options& options_;
    std::vector<Row> rows_;
};

int ChapterRun::run() {
    check_traffic_sizes();
    if (options_.machine) backend::choose_machine(*options_.machine);
    std::optional<JsonFile> file;
    if (options_.json_file) file.emplace(*options_.json_file);
    if (const std::string reason = backend::missing_device(); !reason.empty()) {
        std::cerr << chapter_.speaker() << ": neither a GPU nor the counting model is there: " << reason
                  << "; for the model, begin LD_LIBRARY_PATH with the folder common/model/lib of the build folder\n";
        return exit_no_device;
    }
    if (const std::string reason = chapter_.unsuitable(backend::compute_capability()); !reason.empty()) {
        std::cerr << chapter_.slug() << ": " << backend::machine() << ": " << reason << "\n";
        return exit_no_device;
    }
    if (backend::takes_times() && options_.machine)
        std::cerr << chapter_.slug() << ": --machine has no effect on a GPU; it is for the counting model\n";
    for (const Size size : wanted_sizes()) run_size(size);
    const auto cannot_run = [&](const Chapter::RegisteredKernel& kernel) { return !is_asked_for(kernel) || is_left_out(kernel); };
    if (std::ranges::all_of(chapter_.kernels(), cannot_run))
        throw UsageError("--machine: got '" + backend::machine() + "', accepted: a machine that can run one of the chosen kernels");
    if (rows_.empty()) throw UsageError("--size: none of the chosen kernels runs at a given size, accepted: " + accepted_sizes_text());
    return report({chapter_.slug(), backend::build(), backend::machine(), options_.seed, backend::device(), chapter_.counted_size_,
                   chapter_.traffic_sizes_},
                  file ? &*file : nullptr);
}

std::vector<Size> ChapterRun::wanted_sizes() const {
    if (options_.input_file) {
        const Size size = chapter_.read_input(*options_.input_file);
        if (!fits(size))
            throw UsageError("--input: got '" + *options_.input_file + "' of " + to_string(size) + " elements, which needs " +
                             gibibytes(chapter_.bytes_of_set(size)) + " of device memory, accepted: sizes that fit the " +
                             gibibytes(free_device_bytes()) + " that are free");
        return {size};
    }
    if (!options_.sizes.empty()) {
        for (const Size size : options_.sizes)
            if (!fits(size))
                throw UsageError("--size: got '" + to_string(size) + "', which needs " + gibibytes(chapter_.bytes_of_set(size)) +
                                 " of device memory, accepted: sizes that fit the " + gibibytes(free_device_bytes()) + " that are free");
        return options_.sizes;
    }
    std::vector<Size> sizes = chapter_.sizes_;
    for (const Chapter::RegisteredKernel& kernel : chapter_.kernels())
        for (const Size size : kernel.only_at)
            if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
    if (!backend::takes_times()) return sizes;
    for (const Size size : chapter_.gpu_sizes_)
        if (fits(size)) sizes.push_back(size);
        else
            std::cerr << chapter_.slug() << ": size " << to_string(size) << " is left out: it needs "
                      << gibibytes(chapter_.bytes_of_set(size)) << " of device memory, " << gibibytes(free_device_bytes()) << " are free\n";
    return sizes;
}

bool ChapterRun::fits(Size size) const { return chapter_.bytes_of_set(size) <= free_device_bytes(); }

bool ChapterRun::is_asked_for(const Chapter::RegisteredKernel& kernel) const {
    return options_.kernels.empty() || std::ranges::find(options_.kernels, kernel.name) != options_.kernels.end();
}

bool ChapterRun::is_left_out(const Chapter::RegisteredKernel& kernel) const {
    return std::ranges::find(kernel.left_out_on, backend::machine()) != kernel.left_out_on.end();
}

bool ChapterRun::is_wanted(const Chapter::RegisteredKernel& kernel, Size size) const {
    const auto& only = kernel.only_at;
    const bool at_size = only.empty() ? !is_only_for_others(size) : std::ranges::find(only, size) != only.end();
    if (kernel.sizes.accepts && !kernel.sizes.accepts(size)) return false;
    return at_size && is_asked_for(kernel) && !is_left_out(kernel);
}

bool ChapterRun::is_only_for_others(Size size) const {
    const auto has = [&](const std::vector<Size>& sizes) { return std::ranges::find(sizes, size) != sizes.end(); };
    return !options_.input_file && !has(options_.sizes) && !has(chapter_.sizes_) && !has(chapter_.gpu_sizes_);
}

bool ChapterRun::is_timed(Size size) const { return options_.timing && backend::takes_times() && chapter_.is_worth_timing(size); }

void ChapterRun::check_traffic_sizes() const {
    const auto has = [](const std::vector<Size>& sizes, Size size) { return std::ranges::find(sizes, size) != sizes.end(); };
    for (const Size size : chapter_.traffic_sizes_)
        if (!has(chapter_.sizes_, size) && !has(chapter_.gpu_sizes_, size))
            throw std::invalid_argument("traffic_sizes: got " + to_string(size) + ", accepted: a size that the chapter runs by itself");
}

void ChapterRun::run_size(Size size) {
    const std::size_t set_bytes = std::max<std::size_t>(chapter_.bytes_of_set(size), 1);
    int sets = 1;
    if (is_timed(size)) sets = std::clamp(static_cast<int>(free_device_bytes() / 2 / set_bytes), 1, sets_for_cold_samples(set_bytes));
    try {
        chapter_.prepare(size, sets, options_.seed);
        for (int kernel = 0; kernel < static_cast<int>(chapter_.kernels().size()); ++kernel)
            if (is_wanted(chapter_.kernels()[static_cast<std::size_t>(kernel)], size)) rows_.push_back(run_kernel(size, kernel, sets));
    } catch (const OutOfDeviceMemory& error) {
        throw UsageError("--size: '" + to_string(size) + "' does not fit the device memory: " + error.what());
    } catch (const std::bad_alloc&) {
        throw UsageError("--size: '" + to_string(size) + "' does not fit the host memory");
    }
    chapter_.release();
}

Row ChapterRun::run_kernel(Size size, int number, int sets) {
    const Chapter::RegisteredKernel& kernel = chapter_.kernels()[static_cast<std::size_t>(number)];
    Row row{.kernel = kernel.name,
            .size = size,
            .element_bytes = chapter_.element_bytes(),
            .bytes = kernel.useful_bytes ? kernel.useful_bytes(size) : chapter_.useful_bytes(size),
            .work = chapter_.work(size),
            .reference = kernel.is_baseline,
            .library = kernel.library,
            .difference = {},
            .hazards = {},
            .expectations = {},
            .counts = {},
            .times = {},
            .host_time = {},
            .time_across_gpus = {},
            .sm_mhz = {},
            .watts = {},
            .figures = {}};
    backend::Outcome outcome;
    chapter_.repetitions_ = is_timed(size) ? kernel.repetitions : std::min(kernel.repetitions, 2);
    chapter_.choose(number);
    chapter_.poison();
    if (kernel.on_host) {
        if (is_timed(size)) row.host_time = measure_host_time([&] { chapter_.launch(number, 0); }, options_.samples);
        else chapter_.launch(number, 0);
    } else if (is_timed(size) && (row.time_across_gpus = chapter_.time_across_gpus(number, options_.samples))) {
        // The chapter has timed the kernel.
    } else if (is_timed(size)) {
        row.times = measure_times([&](int set) { chapter_.launch(number, set); }, sets, options_.samples, kernel.repetitions);
        const auto launch = [&] { chapter_.launch(number, 0); };
        const double launch_ms = row.times->warm.median_ms * kernel.repetitions;
        row.sm_mhz = measure_sm_mhz(launch, launch_ms);
        if (row.work && row.work->unit == flop && size.count() >= least_elements_for_power) row.watts = measure_watts(launch, launch_ms);
    } else {
        outcome = backend::run_once([&] { chapter_.launch(number, 0); });
        row.hazards = std::move(outcome.hazards);
        if (outcome.stopped) {
            row.difference = "the kernel was stopped, so its output was not compared";
            prepare_again(size, sets);
            return row;
        }
        row.counts = std::move(outcome.counts);
    }
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    row.difference = chapter_.verify(number);
    if (row.difference.empty() && outcome.launches) row.difference = chapter_.wrong_counts(number, *outcome.launches, outcome.link_bytes);
    if (row.difference.empty()) row.figures = chapter_.figures(number);
    if (row.counts) judge(row, kernel);
    return row;
}

/// Restores the input after a kernel that was stopped: the kernel may have changed it, and the next kernel reads it.
void ChapterRun::prepare_again(Size size, int sets) {
    chapter_.release();
    chapter_.prepare(size, sets, options_.seed);
}

void ChapterRun::judge(Row& row, const Chapter::RegisteredKernel& kernel) const {
    const bool whole_tiles = row.size.width % chapter_.tile_dim_ == 0 && row.size.height % chapter_.tile_dim_ == 0;
    if (!whole_tiles && kernel.only_at.empty()) return;
    for (const Expectation& expectation : kernel.expect) {
        if (expectation.machine != backend::machine()) continue;
        const double seen = expectation.metric.value(*row.counts);
        row.expectations.push_back({expectation.text, expectation.holds(seen), seen});
    }
}

std::string ChapterRun::accepted_sizes_text() const {
    std::string text;
    const auto add = [&](const std::string& sizes, const std::string& kernel) {
        text += (text.empty() ? "" : ", ") + sizes + " for " + kernel;
    };
    for (const Chapter::RegisteredKernel& kernel : chapter_.kernels()) {
        if (!is_asked_for(kernel) || is_left_out(kernel)) continue;
        for (const Size size : kernel.only_at) add(to_string(size), kernel.name);
        if (kernel.sizes.accepts) add(kernel.sizes.text, kernel.name);
    }
    return text;
}

int ChapterRun::report(const Heading& heading, JsonFile* file) const {
    const bool passed = std::ranges::all_of(rows_, &Row::passed);
    if (!chapter_.reports()) return passed ? 0 : exit_check_failed;
    std::cout << table(heading, rows_);
    int judged = 0;
    for (const Row& row : rows_) {
        judged += static_cast<int>(row.expectations.size());
        const std::string where = row.kernel + " at " + to_string(row.size) + ": ";
        for (const std::string& hazard : row.hazards) std::cerr << "hazard: " << where << hazard << "\n";
        if (!row.difference.empty()) std::cerr << "check failed: " << where << row.difference << "\n";
        for (const Judged& expectation : row.expectations)
            if (!expectation.passed)
                std::cerr << "expectation failed: " << where << expectation.text << ", but it is " << expectation.seen << "\n";
    }
    std::cout << rows_.size() << " results checked, " << judged << " expectations judged: " << (passed ? "all right" : "FAILED") << "\n";
    if (file) file->write(heading, rows_);
    return passed ? 0 : exit_check_failed;
}

Chapter::Chapter(std::string slug, std::string question) : slug_(std::move(slug)), question_(std::move(question)) {}

bool Chapter::is_worth_timing(Size size) const { return useful_bytes(size) >= least_timed_bytes_; }

Chapter& Chapter::timed_from(std::size_t bytes) {
    least_timed_bytes_ = bytes;
    return *this;
}

Chapter& Chapter::sizes(std::initializer_list<Size> sizes) {
    sizes_ = sizes;
    return *this;
}

Chapter& Chapter::gpu_sizes(std::initializer_list<Size> sizes) {
    gpu_sizes_ = sizes;
    return *this;
}

Chapter& Chapter::counted_size(Size size) {
    counted_size_ = size;
    return *this;
}

Chapter& Chapter::traffic_sizes(std::initializer_list<Size> sizes) {
    traffic_sizes_ = sizes;
    return *this;
}

Chapter& Chapter::whole_tiles(int tile_dim) {
    tile_dim_ = tile_dim;
    return *this;
}

Chapter& Chapter::rows_of_smallest_tile(int rows) {
    rows_of_smallest_tile_ = rows;
    return *this;
}

Chapter& Chapter::least_compute_capability(int major, int minor, std::string reason) {
    least_compute_capability_ = {major, minor};
    reason_for_compute_capability_ = std::move(reason);
    return *this;
}

Chapter& Chapter::only_compute_capability(int major, int minor, std::string reason) {
    only_that_compute_capability_ = true;
    return least_compute_capability(major, minor, std::move(reason));
}

std::string Chapter::unsuitable(const std::string& compute_capability) const {
    std::pair<int, int> has{0, 0};
    char dot = 0;
    std::istringstream(compute_capability) >> has.first >> dot >> has.second;
    if (only_that_compute_capability_ ? has == least_compute_capability_ : has >= least_compute_capability_) return {};
    return "compute capability " + compute_capability + ", accepted: " + std::to_string(least_compute_capability_.first) + "." +
           std::to_string(least_compute_capability_.second) + (only_that_compute_capability_ ? "" : " or later") + ", because " +
           reason_for_compute_capability_;
}

int Chapter::run(int argc, char** argv) {
    try {
        Options options;
        std::string help;
        switch (parse_options(argc, argv, *this, options, help)) {
            case Command::help: std::cout << help; return 0;
            case Command::list:
                for (const RegisteredKernel& kernel : registered_) std::cout << kernel.name << "\n";
                return 0;
            case Command::run: return ChapterRun(*this, options).run();
        }
    } catch (const UsageError& error) {
        std::cerr << speaker() + ": " + error.what() + "\n";
        return exit_usage;
    } catch (const std::exception& error) {
        std::cerr << speaker() + ": " + error.what() + "\n";
        return exit_check_failed;
    }
    return exit_check_failed;
}

}  // namespace conflict_free
