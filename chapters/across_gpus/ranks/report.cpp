// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace across_gpus {
namespace {

float quantile(const std::vector<float>& sorted, double which)
{
    return sorted[static_cast<std::size_t>(which * (sorted.size() - 1) + 0.5)];
}

// What the slowest rank took in each sample, in order.
std::vector<float> slowest_of(Control& control, const std::vector<float>& mine)
{
    std::vector<float> slowest(mine.size(), 0);
    for (const std::string& bytes : control.gather(
             std::string(reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(float))))
        for (std::size_t i = 0; i < mine.size(); ++i) {
            float value;
            std::memcpy(&value, bytes.data() + i * sizeof(float), sizeof(float));
            slowest[i] = std::max(slowest[i], value);
        }
    std::sort(slowest.begin(), slowest.end());
    return slowest;
}

template <class... Values>
std::string text(const char* format, Values... values)
{
    char line[1024];
    std::snprintf(line, sizeof(line), format, values...);
    return line;
}

std::string time_of(const std::vector<float>& times)
{
    if (times.empty())
        return "null";
    return text(
        "{\"ranks\": {\"median_ms\": %.6g, \"p10_ms\": %.6g, \"p90_ms\": %.6g, \"samples\": %zu, "
        "\"launches_per_sample\": 1}}",
        quantile(times, 0.5), quantile(times, 0.1), quantile(times, 0.9), times.size());
}

// What is wrong with the counts of a step that sends `sent` bytes; empty if nothing is.
std::string wrong_counts(const Rank& rank, const Step& step, const Counted& counted, std::size_t sent)
{
    // The barriers' flags cross the links too: at most a word for each pair of ranks, and step.
    std::size_t flags = 64 * sizeof(unsigned) * rank.ranks * rank.ranks;
    if (counted.link_bytes < sent || counted.link_bytes > sent + flags)
        return text("%zu bytes went over links, %zu were to", counted.link_bytes, sent);
    std::size_t moved = step.passes * sizeof(float) * rank.width * rank.height + step.passes_of_sent * sent;
    if (counted.loaded != moved || counted.stored != moved)
        return text(
            "kernels loaded %zu bytes and stored %zu, %zu were to", counted.loaded, counted.stored, moved);
    return counted.conflicts > 0 ? text("%zu bank conflicts, there were to be none", counted.conflicts)
                                 : "";
}

}  // namespace

bool Report::add(
    const Rank& rank, Control& control, const Step& step, const Outcome& outcome, const Counted& counted)
{
    const std::vector<float> times = slowest_of(control, outcome.milliseconds);
    unsigned long long wrong = 0;
    for (unsigned long long count : control.gather_values(outcome.wrong))
        wrong += count;
    std::size_t most = 0, all = 0;
    for (std::size_t bytes : control.gather_values(rank.bytes_sent()))
        most = std::max(most, bytes), all += bytes;
    std::string message = wrong > 0 ? std::to_string(wrong) + " elements are wrong" : "";
    if (rank.rank != 0)
        return message.empty();
    bool is_counted = !model_machine().empty() && step.transposes && counted.all;
    if (is_counted && message.empty())
        message = wrong_counts(rank, step, counted, all);

    double gbps = times.empty() || quantile(times, 0.5) == 0 ? 0 : most / (quantile(times, 0.5) * 1e6);
    std::printf("%-18s %9zu x %-9zu %d %s %s %s\n", step.name.c_str(), rank.width, rank.height, rank.ranks,
        rank.ranks == 1 ? "rank" : "ranks",
        times.empty()
            ? text("%zu bytes over links, %zu through kernels", counted.link_bytes, counted.loaded).c_str()
            : text("%9.1f us %8.1f GB/s", quantile(times, 0.5) * 1e3, gbps).c_str(),
        !message.empty()  ? message.c_str()
        : step.transposes ? "right"
                          : "");
    std::fflush(stdout);
    std::string figures = text("{\"ranks\": %d, \"pieces\": %d", rank.ranks, rank.pieces);
    if (is_counted)
        figures += text(", \"link_bytes\": %zu, \"loaded_bytes\": %zu, \"stored_bytes\": %zu",
            counted.link_bytes, counted.loaded, counted.stored);
    rows_ += rows_.empty() ? "" : ",\n";
    rows_ += text(
        "{\"kernel\": \"%s\", \"size\": \"%zux%zu\", \"width\": %zu, \"height\": %zu, \"element_bytes\": "
        "4, \"bytes\": %zu, ",
        step.name.c_str(), rank.width, rank.height, rank.width, rank.height, most);
    rows_ += text(
        "\"work\": null, \"reference\": %s, \"check\": {\"passed\": %s, \"message\": \"%s\"}, \"figures\": "
        "%s}, ",
        step.transposes ? "false" : "true", message.empty() ? "true" : "false", message.c_str(),
        figures.c_str());
    rows_ += "\"expectations\": [], \"counts\": null, \"time\": " + time_of(times) + "}";
    return message.empty();
}

void Report::write(const std::string& file) const
{
    const std::string machine = model_machine();
    std::ofstream out(file);
    out << "{\"schema\": 1, \"slug\": \"across_gpus\", \"build\": \"" << (machine.empty() ? "gpu" : "model")
        << "\", \"machine\": \"" << (machine.empty() ? "gpu" : machine) << "\", \"seed\": 0, \"rows\": [\n"
        << rows_ << "\n]}\n";
    out.close();
    if (!out)
        throw std::runtime_error("cannot write " + file);
}

}  // namespace across_gpus
