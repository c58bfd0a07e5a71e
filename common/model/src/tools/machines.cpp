// simt_machines: prints the machines that the counting model knows, the default first: name, tab, description.

#include "simt/machine.hpp"

#include <iostream>

int main() {
    for (const simt::Machine& machine : simt::machines()) std::cout << machine.name << '\t' << machine.description << '\n';
}
