// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// simt_translate SOURCE.cu OUTPUT.cpp: translates one CUDA source file to C++ for the counting model.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "translator.hpp"

int main(int argc, char** argv)
{
    if (argc != 3) {
        std::cerr << "simt_translate: expected SOURCE.cu OUTPUT.cpp, got " << argc - 1 << " arguments\n";
        return 2;
    }
    std::ifstream in(argv[1]);
    if (!in) {
        std::cerr << "simt_translate: cannot read " << argv[1] << "\n";
        return 2;
    }
    std::ostringstream source;
    source << in.rdbuf();
    try {
        const std::string text = simt::translate::translate(source.str(), argv[1]);
        std::ofstream out(argv[2]);
        out << text;
        if (!out.flush()) {
            std::cerr << "simt_translate: cannot write " << argv[2] << "\n";
            return 2;
        }
    } catch (const simt::translate::TranslationError& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
