// model_fuzz SECONDS FIRST FOLDER PROGRAM…: changes programs' input to the model at random: the texts of their kernels, which it loads and
// launches with arguments of any kind; their containers of device code; and the packets of a program that talks to the judge. An access
// beyond memory shows as a crash; a build with sanitizers finds every such access.
//
// A try depends on its number alone, and the first has the number FIRST: `model_fuzz 0 NUMBER …` makes one try again. In FOLDER, `number`
// is that of the current try, and `text.ptx` and `container.bin` are the last inputs.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fuzz/choices.hpp"
#include "fuzz/containers.hpp"
#include "fuzz/packets.hpp"
#include "fuzz/texts.hpp"
#include "report/session.hpp"
#include "simt/model.hpp"

namespace {

struct Seeds {
    std::vector<fuzz::Bytes> containers;
    std::vector<std::string> texts;
    std::vector<fuzz::Lines> lines;
};

Seeds seeds_of(char** first, char** last) {
    Seeds seeds;
    for (; first != last; ++first)
        for (fuzz::Bytes& container : fuzz::containers_in(*first)) {
            if (const std::string text = fuzz::text_in(container); !text.empty()) {
                seeds.texts.push_back(text);
                seeds.lines.push_back(fuzz::lines_of(text));
            }
            seeds.containers.push_back(std::move(container));
        }
    return seeds;
}

struct Tried { int texts = 0, launches = 0, conversations = 0, packets = 0, containers = 0; };

void keep(const std::filesystem::path& path, const auto& content) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
}

void try_once(std::uint64_t number, const Seeds& seeds, const std::filesystem::path& folder, Tried& tried) {
    fuzz::Choices choices(number);
    keep(folder / "number", std::to_string(number));
    const std::size_t kind = choices.below(4);
    if (kind == 0) {
        tried.packets += fuzz::converse(choices, seeds.texts, folder / "case");
        ++tried.conversations;
    } else if (kind == 1) {
        fuzz::Bytes container = choices.one_of(seeds.containers);
        choices.damage(container);
        keep(folder / "container.bin", container);
        static_cast<void>(fuzz::text_in(container));
        ++tried.containers;
    } else {
        const std::string text = fuzz::changed_text(choices, seeds.lines);
        keep(folder / "text.ptx", text);
        tried.launches += fuzz::run_text(choices, text);
        ++tried.texts;
    }
    simt::take_launches();
    simt::take_hazards();
    simt::take_errors();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) return std::fprintf(stderr, "usage: model_fuzz SECONDS FIRST FOLDER PROGRAM...\n"), 2;
    const std::filesystem::path folder = argv[3];
    const Seeds seeds = seeds_of(argv + 4, argv + argc);
    if (seeds.texts.empty()) return std::fprintf(stderr, "model_fuzz: no PTX in the programs given\n"), 2;
    fuzz::make_case(folder / "case");
    simt::report::session().timeout = std::chrono::duration<double>(0.1);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(argv[1]));
    std::uint64_t number = std::strtoull(argv[2], nullptr, 10);
    Tried tried;
    try {
        do try_once(number++, seeds, folder, tried);
        while (std::chrono::steady_clock::now() < end);
    } catch (const std::exception& error) {
        return std::fprintf(stderr, "model_fuzz: try %llu: %s\n", static_cast<unsigned long long>(number - 1), error.what()), 1;
    }
    std::printf("%d texts with %d launches, %d conversations with %d packets, %d containers\n", tried.texts, tried.launches,
                tried.conversations, tried.packets, tried.containers);
    return 0;
}
