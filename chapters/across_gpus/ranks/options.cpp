// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "options.hpp"

#include <charconv>
#include <stdexcept>

namespace across_gpus {

const char* const USAGE =
    "Transposes a matrix of floats that is split by rows over several GPUs. One process a GPU, started by "
    "torchrun, mpirun or\n"
    "srun; without them, one process with a thread for each GPU.\n"
    "  --list               the kernels, one line each\n"
    "  --kernel NAME        only this one; may be repeated\n"
    "  --size N|WxH         of the matrix; may be repeated (default: 1024)\n"
    "  --devices N          without a launcher: GPUs to take, or devices that the counting model has "
    "(default: all, or 1)\n"
    "  --samples N          samples of each time (default: 20)\n"
    "  --machine NAME       under the counting model: the GPU whose rules apply (default: sm_90)\n"
    "  --pieces N           pieces in which in_pieces sends, 1 to 16 (default: 5)\n"
    "  --rendezvous PLACE   where the processes meet: HOST:PORT, or file:PATH\n"
    "  --json FILE          write results to a file\n"
    "Exit code 0: all right; 1: a wrong result, or a rank that failed; 2: wrong arguments; 77: neither a "
    "GPU nor the model.\n";

namespace {

int number(const std::string& name, const std::string& text, int most)
{
    int value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most)
        throw std::runtime_error(name + ": '" + text + "' given, a whole number from 1 to " +
                                 std::to_string(most) + " is accepted");
    return value;
}

Size size_of(const std::string& text)
{
    constexpr int most = 1 << 24;
    std::size_t cross = text.find('x');
    try {
        int width = number("--size", text.substr(0, cross), most);
        int height = cross == std::string::npos ? width : number("--size", text.substr(cross + 1), most);
        return {static_cast<std::size_t>(width), static_cast<std::size_t>(height)};
    } catch (const std::runtime_error&) {
        throw std::runtime_error("--size: '" + text + "' given, N or WIDTHxHEIGHT with numbers from 1 to " +
                                 std::to_string(most) + " is accepted");
    }
}

Step step_named(const std::string& name)
{
    std::string known;
    for (const Step& step : all_steps()) {
        if (step.name == name)
            return step;
        known += (known.empty() ? "" : ", ") + step.name;
    }
    throw std::runtime_error("--kernel: '" + name + "' given, one of " + known + " is accepted");
}

}  // namespace

Options options_from(std::vector<std::string> arguments)
{
    Options options;
    // --size=N is --size N.
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (std::size_t equals = arguments[i].find('=');
            arguments[i].rfind("--", 0) == 0 && equals != std::string::npos) {
            arguments.insert(arguments.begin() + i + 1, arguments[i].substr(equals + 1));
            arguments[i++].resize(equals);
        }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string name = arguments[i];
        auto value = [&] {
            if (i + 1 == arguments.size())
                throw std::runtime_error(name + ": nothing given, a value is accepted");
            return arguments[++i];
        };
        std::size_t first = i;
        bool own = false;
        if (name == "--list")
            options.list = true;
        else if (name == "--help")
            options.help = true;
        else if (name == "--size")
            options.sizes.push_back(size_of(value()));
        else if (name == "--kernel")
            options.steps.push_back(step_named(value()));
        else if (name == "--samples")
            options.samples = number(name, value(), 100000);
        else if (name == "--devices")
            options.devices = number(name, value(), MOST_RANKS);
        else if (name == "--machine")
            options.machine = value();
        else if (name == "--pieces")
            options.pieces = number(name, value(), 16);
        else if (name == "--json")
            own = true, options.json = value();
        else if (name == "--rendezvous")
            own = true, options.rendezvous = value();
        else
            throw std::runtime_error(name + ": no such argument; --help lists those accepted");
        for (; !own && first <= i; ++first)
            options.common += (options.common.empty() ? "" : " ") + arguments[first];
    }
    if (options.sizes.empty())
        options.sizes = {{1024, 1024}};
    if (options.steps.empty())
        options.steps = all_steps();
    return options;
}

}  // namespace across_gpus
