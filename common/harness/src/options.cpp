#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>

#include "conflict_free/error.hpp"

namespace conflict_free {

namespace {

constexpr int most_samples = 100000;

std::string kernel_names(const Chapter& chapter) {
    std::string names;
    for (const auto& kernel : chapter.kernels()) names += (names.empty() ? "" : ", ") + kernel.name;
    return names;
}

void check_kernel(const std::string& name, const Chapter& chapter) {
    if (std::ranges::find(chapter.kernels(), name, &Chapter::RegisteredKernel::name) == chapter.kernels().end())
        throw UsageError("--kernel: got '" + name + "', accepted: " + kernel_names(chapter));
}

/// A whole number from `least` to `most`.
template <class Number> Number parse_number(const char* option, const std::string& text, Number least, Number most) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
        throw UsageError(std::string(option) + ": got '" + text + "', accepted: a whole number from " + std::to_string(least) + " to " +
                         std::to_string(most));
    return value;
}

std::string options_of_chapter(const Chapter& chapter) {
    std::string text;
    for (const NumberOption& option : chapter.number_options()) text += option.name + " N, ";
    return text;
}

/// Puts CLI11's message on one line, with the arguments that are accepted.
[[noreturn]] void rethrow(const CLI::ParseError& error, const Chapter& chapter) {
    std::string message = error.what();
    std::ranges::replace(message, '\n', ' ');
    throw UsageError(message + "; accepted: --list, --kernel NAME, --size " + chapter.accepted_size() +
                     (chapter.reads_input() ? ", --input FILE" : "") + ", " + options_of_chapter(chapter) +
                     "--samples N, --no-timing, --seed N, --machine NAME, --json FILE, --help");
}

}  // namespace

Command parse_options(int argc, char** argv, const Chapter& chapter, Options& options, std::string& help) {
    CLI::App app(chapter.question(), chapter.slug());
    std::vector<std::string> sizes;
    std::string samples, seed;
    std::map<std::string, std::string> numbers;
    bool list = false, no_timing = false;
    app.set_help_flag("--help", "Print this help and exit");
    app.allow_extras(false);
    app.add_flag("--list", list, "Print the names of the kernels, one a line");
    const auto repeatable = [](CLI::Option* option) { option->expected(1)->take_all()->allow_extra_args(false); };
    repeatable(app.add_option("--kernel", options.kernels, "Run only this kernel; may be repeated")->type_name("NAME"));
    repeatable(app.add_option("--size", sizes, "Size in elements, instead of the chapter's own; may be repeated")
                   ->type_name(chapter.accepted_size()));
    if (chapter.reads_input())
        app.add_option("--input", options.input_file, "File of numbers, in place of random input")->type_name("FILE");
    for (const NumberOption& option : chapter.number_options())
        app.add_option(option.name, numbers[option.name], option.help)->type_name("N");
    app.add_option("--samples", samples, "Samples of each time on a GPU (50 unless given)")->type_name("N");
    app.add_flag("--no-timing", no_timing, "Launch each kernel once and check it; take no times");
    app.add_option("--seed", seed, "Seed of the random input (1 unless given)")->type_name("N");
    app.add_option("--machine", options.machine, "Machine whose rules the counting model applies (sm_90 unless given)")->type_name("NAME");
    app.add_option("--json", options.json_file, "Write all results to this file")->type_name("FILE");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        help = app.help();
        return Command::help;
    } catch (const CLI::ParseError& error) {
        rethrow(error, chapter);
    }
    for (const auto& kernel : options.kernels) check_kernel(kernel, chapter);
    if (options.input_file && !sizes.empty())
        throw UsageError("--size: got '" + sizes.front() + "' beside --input, accepted: one of the two");
    for (const auto& size : sizes) options.sizes.push_back(chapter.size_from(size));
    if (app.count("--samples")) options.samples = parse_number("--samples", samples, 1, most_samples);
    if (app.count("--seed")) options.seed = parse_number<std::uint64_t>("--seed", seed, 0, UINT64_MAX);
    for (const NumberOption& option : chapter.number_options())
        if (app.count(option.name)) option.take(parse_number(option.name.c_str(), numbers[option.name], 1, option.most));
    options.timing = !no_timing;
    return list ? Command::list : Command::run;
}

}  // namespace conflict_free
