// Reads hardware/h200_access.json, the counts of a real GPU.
#pragma once

#include <array>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "simt/counts.hpp"

namespace simt {

/// One access of one warp, and its cost.
struct HardwareCase {
    /// Space, operation, bytes, pattern and mask of active lanes: its name in the list of open cases.
    std::string key;
    Space space;
    Operation operation;
    /// Bytes that each lane accesses.
    int size;
    std::uint32_t active;
    std::array<std::uint64_t, warp_size> offsets;
    /// Wavefronts of a shared access; requests and sectors of a global one.
    std::vector<int> counts;
};

struct HardwareTable {
    std::vector<HardwareCase> cases;
    /// Keys of the cases that the model does not get right.
    std::set<std::string> open;
};

inline HardwareTable read_hardware_table() {
    std::ifstream file(SIMT_HARDWARE_TABLE);
    const auto json = nlohmann::json::parse(file);
    HardwareTable table;
    for (const auto& row : json.at("rows")) {
        const auto space = row.at(0).get<std::string>(), operation = row.at(1).get<std::string>(), active = row.at(4).get<std::string>();
        const int size = row.at(2);
        table.cases.push_back({
            .key = space + ' ' + operation + ' ' + std::to_string(size) + ' ' + row.at(3).get<std::string>() + ' ' + active,
            .space = space == "shared" ? Space::shared : Space::global,
            .operation = operation == "load" ? Operation::load : Operation::store,
            .size = size,
            .active = static_cast<std::uint32_t>(std::stoul(active, nullptr, 16)),
            .offsets = row.at(5),
            .counts = row.at(6),
        });
    }
    table.open = json.at("open").at("cases").get<std::set<std::string>>();
    return table;
}

}  // namespace simt
