// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// simt_machines: prints the machines that the counting model knows, the default first: name, tab, description.

#include "simt/machine.hpp"

#include <iostream>

int main() {
    for (const simt::Machine& machine : simt::machines()) std::cout << machine.name << '\t' << machine.description << '\n';
}
