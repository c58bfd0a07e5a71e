// The report of a chapter program: a table for the terminal, and a file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend.hpp"
#include "conflict_free/chapter.hpp"
#include "conflict_free/timing.hpp"

namespace conflict_free {

/// An expectation, judged.
struct Judged {
    std::string text;
    bool passed;
    double seen;
};

/// One kernel at one size.
struct Row {
    std::string kernel;
    Size size;
    int element_bytes;
    std::size_t bytes;
    std::optional<Work> work;
    bool reference;
    std::optional<Library> library;
    /// The differences from the reference; empty if there are none.
    std::string difference;
    /// Hazards of the kernel.
    std::vector<std::string> hazards;
    std::vector<Judged> expectations;
    std::optional<simt::LaunchCounts> counts;
    std::optional<Times> times;
    /// Times of functions of the host.
    std::optional<Spread> host_time;
    /// Times of several GPUs together.
    std::optional<Spread> time_across_gpus;
    /// The clock of the multiprocessors while a timed kernel ran.
    std::optional<double> sm_mhz;
    /// The power that the GPU took meanwhile.
    std::optional<double> watts;
    /// Further figures, by name.
    std::map<std::string, double> figures;

    bool passed() const;
};

/// The head of a report: the program and where it ran.
struct Heading {
    std::string slug, build, machine;
    std::uint64_t seed;
    std::optional<backend::Device> device;
    /// The size at which counts are compared with the counters of a GPU.
    Size counted_size;
    /// The sizes at which the traffic of each kernel is read from the counters of a GPU.
    std::vector<Size> traffic_sizes;
};

/// Lays out the rows as a table for the terminal.
std::string table(const Heading& heading, const std::vector<Row>& rows);

/// A file that holds either the whole report or nothing: it is written beside its place and then moved there.
class JsonFile {
public:
    /// @throws UsageError if a file cannot be made there
    explicit JsonFile(std::string path);
    ~JsonFile();
    JsonFile(const JsonFile&) = delete;
    JsonFile& operator=(const JsonFile&) = delete;

    /// Writes the report. @throws std::runtime_error if the disk is full
    void write(const Heading& heading, const std::vector<Row>& rows);

private:
    std::string path_, partial_;
};

}  // namespace conflict_free
