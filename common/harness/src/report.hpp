// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The rows that a chapter program prints and writes.
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
    /// What differs from the reference, or empty.
    std::string difference;
    /// What the kernel did that no kernel may.
    std::vector<std::string> hazards;
    std::vector<Judged> expectations;
    std::optional<simt::LaunchCounts> counts;
    std::optional<Times> times;
    /// For functions of the host.
    std::optional<Spread> host_time;
    /// For what several GPUs do together.
    std::optional<Spread> time_across_gpus;
    /// The clock of the multiprocessors while the kernel ran, where it was timed.
    std::optional<double> sm_mhz;
    /// What else there is to say in numbers, by name.
    std::map<std::string, double> figures;

    bool passed() const;
};

/// What ran, for the head of a report.
struct Heading {
    std::string slug, build, machine;
    std::uint64_t seed;
    std::optional<backend::Device> device;
    /// Where counts are compared with the counters of a GPU.
    Size counted_size;
    /// Where the traffic of each kernel is read from the counters of a GPU.
    std::vector<Size> traffic_sizes;
};

/// A table for the terminal.
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
