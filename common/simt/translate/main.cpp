// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// simt_translate [-I FOLDER]… [--depfile FILE] SOURCE.cu OUTPUT.cpp
//
// Translates a CUDA source file to C++ for the counting model, and the files that it includes from its own folder or
// from FOLDER, into OUTPUT.cpp.includes/. FILE becomes a Makefile rule: OUTPUT.cpp depends on all files that were read.
// Exit code 2: wrong arguments, or a source that cannot be translated; then nothing is written to OUTPUT.cpp.

#include <iostream>
#include <string>
#include <vector>

#include "included_files.hpp"
#include "translator.hpp"

namespace {

constexpr int usage_error = 2;
constexpr const char* usage = "simt_translate: expected [-I FOLDER]... [--depfile FILE] SOURCE.cu OUTPUT.cpp";

struct Options {
    std::vector<std::filesystem::path> search;
    std::string depfile;
    std::vector<std::string> files;
};

/// Reads the command line; false if it makes no sense.
bool parse(const std::vector<std::string>& arguments, Options& options)
{
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        const bool takes_value = argument == "-I" || argument == "--depfile";
        if (takes_value && i + 1 == arguments.size()) return false;
        if (argument == "-I") options.search.emplace_back(arguments[++i]);
        else if (argument == "--depfile") options.depfile = arguments[++i];
        else options.files.push_back(argument);
    }
    return options.files.size() == 2;
}

/// A file name as a Makefile wants it.
std::string escaped(const std::string& name)
{
    std::string result;
    for (char c : name) {
        if (c == ' ' || c == '#') result += '\\';
        if (c == '$') result += '$';
        result += c;
    }
    return result;
}

int run(const Options& options)
{
    using simt::translate::write_file;
    const std::string &source = options.files[0], &output = options.files[1];
    const auto text = simt::translate::read_file(source);
    if (!text) {
        std::cerr << "simt_translate: cannot read " << source << "\n";
        return usage_error;
    }
    simt::translate::IncludedFiles includes(options.search, output + ".includes");
    const std::string translation = simt::translate::translate(*text, source, &includes);
    std::string rule = escaped(output) + ": " + escaped(source);
    for (const std::string& file : includes.files()) rule += " \\\n  " + escaped(file);
    for (const auto& [path, content] : {std::pair{output, translation}, std::pair{options.depfile, rule + "\n"}}) {
        if (path.empty() || write_file(path, content)) continue;
        std::cerr << "simt_translate: cannot write " << path << "\n";
        return usage_error;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    Options options;
    if (!parse(std::vector<std::string>(argv + 1, argv + argc), options)) {
        std::cerr << usage << "\n";
        return usage_error;
    }
    try {
        return run(options);
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return usage_error;
    }
}
