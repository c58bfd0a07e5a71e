// Tools for tests of hazards: kernels whose lines are marked, memory for them, and the hazards found.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "device_array.cuh"
#include "model_results.hpp"

namespace {

using simt::Extent;
using simt::Hazard;
using simt::HazardKind;
using simt::Message;
using simt::MessageCode;
using simt::MessageField;

constexpr int N = 64;

/// A file of tests, in which lines are found by a comment, so that a test survives an edit above them.
class MarkedFile {
public:
    explicit MarkedFile(const char* path) : name(std::filesystem::path(path).filename()) {
        FILE* file = std::fopen(path, "r");
        char buffer[512];
        while (file && std::fgets(buffer, sizeof buffer, file)) lines_.emplace_back(buffer);
        if (file) std::fclose(file);
    }

    int line_of(const char* marker) const {
        for (std::size_t i = 0; i < lines_.size(); ++i)
            if (lines_[i].find(std::string("// here: ") + marker + "\n") != std::string::npos) return static_cast<int>(i) + 1;
        ADD_FAILURE() << "no line is marked " << marker;
        return 0;
    }

    std::string name;

private:
    std::vector<std::string> lines_;
};

/// Device memory of `count` ints, filled with their index.
struct Ints : DeviceArray<int> {
    explicit Ints(int count) : DeviceArray(static_cast<std::size_t>(count)) {
        std::vector<int> values(static_cast<std::size_t>(count));
        std::iota(values.begin(), values.end(), 0);
        write(values);
    }
};

template <class Launch> std::vector<Hazard> hazards_of(Launch&& launch) {
    model::take_hazards();
    model::take_errors();
    launch();
    cudaGetLastError();
    return model::take_hazards();
}

/// Expects one hazard, and its lines where the file has these markers.
inline void expect_one(const MarkedFile& here, const std::vector<Hazard>& hazards, HazardKind kind, std::vector<const char*> markers) {
    ASSERT_EQ(hazards.size(), 1u) << (hazards.size() > 1 ? hazards[1].message.text() : "");
    EXPECT_EQ(simt::name_of(hazards[0].kind), std::string(simt::name_of(kind))) << hazards[0].message.text();
    ASSERT_EQ(hazards[0].lines.size(), markers.size()) << hazards[0].message.text();
    for (std::size_t i = 0; i < markers.size(); ++i) {
        EXPECT_EQ(hazards[0].lines[i].file, here.name);
        EXPECT_EQ(hazards[0].lines[i].line, here.line_of(markers[i])) << hazards[0].message.text();
    }
    EXPECT_FALSE(hazards[0].message.help().empty());
    EXPECT_FALSE(hazards[0].threads.empty());
}

/// Expects this code and at least these fields of a message.
inline void expect_fields(const Message& message, MessageCode code, const std::vector<MessageField>& fields) {
    EXPECT_EQ(message.code, code);
    for (const MessageField& field : fields) EXPECT_TRUE(std::ranges::find(message.fields, field) != message.fields.end()) << field.name;
}

}  // namespace
