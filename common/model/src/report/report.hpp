// The report that a program leaves behind.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace simt::report {

/// The contents of the session: `kernels` from launch number `first_launch` on, `hazards` and `errors`.
nlohmann::ordered_json records_as_json(std::size_t first_launch);

/// One line of JSON.
std::string text_of(const nlohmann::ordered_json& json);

/// Writes a file whole or not at all.
bool write_atomically(const std::string& path, const std::string& text);

/// The report of a program that ends with `exit_code`.
std::string report_text(int exit_code);

/// Writes the report if SIMT_REPORT names a file.
void write_report(int exit_code);

/// True if SIMT_REPORT names a file.
bool report_is_wanted();

/// Prints on standard error where host code accesses device memory, and writes the report if a signal ends the program.
void catch_signals();

/// Writes the report and ends the program if an interrupt has stopped the running launch. Called once the launch's counts are kept.
void end_if_interrupted();

}  // namespace simt::report
