// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The program of a chapter. It runs the chapter's kernels at several sizes, checks, counts or times them, and reports.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conflict_free/accepted_sizes.hpp"
#include "conflict_free/expectation.hpp"
#include "conflict_free/size.hpp"
#include "conflict_free/std_function.hpp"
#include "conflict_free/timing.hpp"

namespace conflict_free {

/// The work of a kernel, if bytes do not measure it.
struct Work {
    /// The unit, such as "pairs".
    std::string unit;
    /// Units of one launch.
    double amount = 0;
};

/// The unit of a product's work: a multiplication or an addition.
inline constexpr const char* flop = "FLOP";

/// A library, whose call fills a row to compare with.
struct Library {
    /// The library's name, such as "cuBLAS".
    std::string name;
    /// The version that the library reports.
    std::string version;
};

/// The options that the user gave on the command line.
struct Options {
    /// The kernels to run, by name; empty for all.
    std::vector<std::string> kernels;
    /// The sizes to run; empty for the chapter's own.
    std::vector<Size> sizes;
    /// A file with the input, in place of random input.
    std::optional<std::string> input_file;
    /// Samples of each time, from 1.
    int samples = 50;
    /// Seed of the random input.
    std::uint64_t seed = 1;
    /// False to check the kernels and time none.
    bool timing = true;
    /// The modeled machine, on the CPU.
    std::optional<std::string> machine;
    /// A file for the report.
    std::optional<std::string> json_file;
};

/// An option that a chapter has beyond those of all chapters: a whole number from 1.
struct NumberOption {
    /// The option's name, such as "--pieces".
    std::string name;
    /// The line of `--help`.
    std::string help;
    /// The greatest number that is accepted.
    int most;
    /// Receives the number. May throw UsageError.
    std::function<void(int)> take;
};

/// A chapter program. Derived classes hold the data of its kernels.
///
/// On a GPU it times and checks every kernel; under the counting model the same program counts and checks every kernel.
/// Both have the same command line; see `--help`.
class Chapter {
public:
    /// @param slug the chapter's directory name
    /// @param question the question that the chapter answers, shown by `--help`
    Chapter(std::string slug, std::string question);
    virtual ~Chapter() = default;

    /// Sizes to run when the user gives none.
    Chapter& sizes(std::initializer_list<Size> sizes);

    /// Further sizes to run on a GPU when the user gives none. One that does not fit the device is left out with
    /// a note.
    Chapter& gpu_sizes(std::initializer_list<Size> sizes);

    /// The size at which counts are compared with the counters of a GPU; 2048x2048 unless given.
    Chapter& counted_size(Size size);

    /// Sizes of the chapter at which scripts/measure reads the traffic of each kernel from the counters of a GPU. It takes
    /// seconds, so they are few.
    Chapter& traffic_sizes(std::initializer_list<Size> sizes);

    /// Expectations are judged at sizes whose width and height are multiples of `tile_dim`. At other sizes the tiles at
    /// the edges are cut, and counts are reported without being judged. A kernel that runs at certain sizes only is judged
    /// at each of them.
    Chapter& whole_tiles(int tile_dim);

    /// Sizes at which a kernel has fewer useful bytes than these are checked and not timed: 4 MiB unless given, since
    /// below that the time is mostly that of the launch.
    Chapter& timed_from(std::size_t bytes);

    /// Rows of the smallest tile that a block works on, 32 unless given. With fewer, the grid covers fewer rows, and the
    /// greatest height that is accepted shrinks.
    Chapter& rows_of_smallest_tile(int rows);

    /// The chapter's kernels run on GPUs, and modeled machines, of compute capability `major.minor` and later alone, because
    /// of `reason`. On an older one the program says so and ends with exit code 77.
    Chapter& least_compute_capability(int major, int minor, std::string reason);

    /// The same for kernels whose instructions later GPUs do not have either.
    Chapter& only_compute_capability(int major, int minor, std::string reason);

    /// Why the kernels cannot run on a GPU of a compute capability such as "9.0"; empty if they can.
    std::string unsuitable(const std::string& compute_capability) const;

    /// Runs the program.
    /// @return its exit code: 0, 1 for a failed check or expectation, 2 for an unknown or impossible argument, 77 where
    /// neither a GPU nor the counting model can run the kernels
    int run(int argc, char** argv);

    /// The description of a kernel, or of a baseline: a library call or a function of the host to compare with.
    struct RegisteredKernel {
        /// Its function's name, or the library call's.
        std::string name;
        /// True for a baseline, which is not counted.
        bool is_baseline = false;
        /// True for a function of the host, timed by the host's clock.
        bool on_host = false;
        /// The expected counts.
        std::vector<Expectation> expect = {};
        /// The only sizes that it runs at; empty for any size.
        std::vector<Size> only_at = {};
        /// The sizes that it accepts.
        AcceptedSizes sizes = {};
        /// Modeled machines that it cannot run on.
        std::vector<std::string> left_out_on = {};
        /// How often a timed launch does the work; its time is divided by this number. A launch that is not timed does the work at most
        /// twice, which shows all that one repetition can do to the next.
        int repetitions = 1;
        /// The bytes that it has to move at a size, if they differ from the chapter's useful_bytes().
        std::function<std::size_t(Size)> useful_bytes = {};
        /// The library of a library call, for the report.
        std::optional<Library> library = {};
    };

    /// Its kernels, in the order in which they run.
    const std::vector<RegisteredKernel>& kernels() const { return registered_; }
    /// The chapter's directory name.
    const std::string& slug() const { return slug_; }
    /// The question that the chapter answers.
    const std::string& question() const { return question_; }

    /// The options that this chapter has beyond those of all chapters.
    const std::vector<NumberOption>& number_options() const { return number_options_; }

    /// @name A program of several processes
    /// @{

    /// The prefix of messages on `stderr`: the slug, and the process if several run.
    virtual std::string speaker() const { return slug_; }
    /// True in the process that prints the table and writes the file.
    virtual bool reports() const { return true; }
    /// Times kernel `kernel` on several GPUs: a sample is the time of the slowest GPU. Nothing if one GPU is to be timed, cold and warm.
    virtual std::optional<Spread> time_across_gpus(int /*kernel*/, int /*samples*/) { return {}; }
    /// @}

    /// @name The data of the kernels
    /// @{

    /// Reads a size from the command line. A matrix by default; see parse_size().
    virtual Size size_from(std::string_view text) const { return parse_size(text, most_blocks_in_y * rows_of_smallest_tile_); }
    /// How a size is written on the command line.
    virtual const char* accepted_size() const { return "N|WxH"; }
    /// True if the user may give the input in a file.
    virtual bool reads_input() const { return false; }
    /// Makes later runs take their input from a file in place of random input.
    /// @return its size
    /// @throws UsageError if the file has no input that is accepted
    virtual Size read_input(const std::string&) { return {}; }
    /// The work of a kernel at a size, if bytes do not measure it.
    virtual std::optional<Work> work(Size) const { return {}; }
    /// True if a launch at this size takes long enough to be timed.
    virtual bool is_worth_timing(Size size) const;

    /// Makes `sets` equal buffer sets of `size`, with random input from `seed`.
    virtual void prepare(Size size, int sets, std::uint64_t seed) = 0;
    /// Called for each kernel before its outputs are overwritten for the first time at a size. May change the layout of the
    /// data.
    virtual void choose(int /*kernel*/) {}
    /// Overwrites all outputs with a value that no kernel computes.
    virtual void poison() = 0;
    /// Starts kernel number `kernel` on a buffer set.
    virtual void launch(int kernel, int set) = 0;
    /// Compares all outputs with the kernel's own reference. Returns what differs, or an empty text.
    virtual std::string verify(int kernel) = 0;
    /// Checks the counts of kernel `kernel`, whose output is right: of each launch, and the bytes that GPUs sent each other. Returns
    /// what is wrong; empty if nothing is.
    virtual std::string wrong_counts(int /*kernel*/, const std::vector<simt::LaunchCounts>& /*launches*/, std::uint64_t /*link_bytes*/) {
        return {};
    }
    /// Further figures of kernel `kernel`, whose output is right: names, and values from 0.
    virtual std::map<std::string, double> figures(int /*kernel*/) { return {}; }
    /// Frees the buffers.
    virtual void release() = 0;
    /// Bytes of device memory of one buffer set.
    virtual std::size_t bytes_of_set(Size size) const = 0;
    /// Bytes that a kernel has to move: its input read once, its output written once.
    virtual std::size_t useful_bytes(Size size) const = 0;
    /// Bytes of one element.
    virtual int element_bytes() const = 0;
    /// @}

protected:
    /// Adds a kernel.
    void register_kernel(RegisteredKernel kernel) { registered_.push_back(std::move(kernel)); }
    /// Adds an option to the command line: see NumberOption.
    void add_option(std::string name, std::string help, int most, std::function<void(int)> take) {
        number_options_.push_back({std::move(name), std::move(help), most, std::move(take)});
    }
    /// Sizes to run when the user gives none.
    void set_sizes(std::vector<Size> sizes) { sizes_ = std::move(sizes); }
    /// Further sizes to run on a GPU when the user gives none.
    void set_gpu_sizes(std::vector<Size> sizes) { gpu_sizes_ = std::move(sizes); }
    /// Sizes at which the traffic of each kernel is read.
    void set_traffic_sizes(std::vector<Size> sizes) { traffic_sizes_ = std::move(sizes); }
    /// How often the launch that follows does the work.
    int repetitions() const { return repetitions_; }

private:
    std::string slug_, question_;
    std::vector<Size> sizes_, gpu_sizes_, traffic_sizes_;
    Size counted_size_{2048, 2048};
    int tile_dim_ = 1;
    int repetitions_ = 1;
    std::pair<int, int> least_compute_capability_{0, 0};
    bool only_that_compute_capability_ = false;
    std::string reason_for_compute_capability_;
    int rows_of_smallest_tile_ = 32;
    std::size_t least_timed_bytes_ = std::size_t{4} << 20;
    std::vector<RegisteredKernel> registered_;
    std::vector<NumberOption> number_options_;

    friend class ChapterRun;
};

}  // namespace conflict_free
