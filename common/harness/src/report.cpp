#include "report.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "conflict_free/error.hpp"
#include "simt/json.hpp"

namespace conflict_free {

namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<std::string>;

std::string fixed(double value, int digits) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(digits) << value;
    return text.str();
}

std::string per(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? "-" : fixed(static_cast<double>(part) / static_cast<double>(whole), 2);
}

double gigabytes_per_second(std::size_t bytes, double ms) { return static_cast<double>(bytes) / ms / 1e6; }

Cells heading_cells(bool model, const std::vector<Row>& rows) {
    if (model)
        return {"kernel", "size", "check", "load sectors/req", "store sectors/req", "load wavefr/instr", "store wavefr/instr", "conflicts"};
    if (std::ranges::any_of(rows, [](const Row& row) { return row.time_across_gpus.has_value(); }))
        return {"kernel", "size", "check", "ms", "p10", "p90", "GB/s"};
    return {"kernel", "size", "check", "cold ms", "p10", "p90", "cold GB/s", "warm ms", "warm GB/s"};
}

Cells count_cells(const simt::LaunchCounts& c) {
    return {per(c.global_load.sectors, c.global_load.requests), per(c.global_store.sectors, c.global_store.requests),
            per(c.shared_load.wavefronts, c.shared_load.instructions), per(c.shared_store.wavefronts, c.shared_store.instructions),
            std::to_string(c.shared_load.conflicts() + c.shared_store.conflicts())};
}

Cells spread_cells(const Spread& spread, std::size_t bytes) {
    return {fixed(spread.median_ms, 4), fixed(spread.p10_ms, 4), fixed(spread.p90_ms, 4),
            fixed(gigabytes_per_second(bytes, spread.median_ms), 1)};
}

Cells time_cells(const Row& row) {
    Cells cells = spread_cells(row.times->cold, row.bytes);
    const double warm = row.times->warm.median_ms;
    cells.insert(cells.end(), {fixed(warm, 4), fixed(gigabytes_per_second(row.bytes, warm), 1)});
    return cells;
}

/// The names of the further figures of all rows, each once.
std::set<std::string> figure_names(const std::vector<Row>& rows) {
    std::set<std::string> names;
    for (const Row& row : rows)
        for (const auto& [name, value] : row.figures) names.insert(name);
    return names;
}

std::string figure_cell(const Row& row, const std::string& name) {
    std::ostringstream text;
    if (const auto found = row.figures.find(name); found != row.figures.end()) text << std::setprecision(10) << found->second;
    else text << "-";
    return text.str();
}

Cells row_cells(const Row& row, std::size_t columns) {
    Cells cells = {row.kernel, to_string(row.size), row.passed() ? "passed" : "FAILED"};
    if (row.counts) std::ranges::move(count_cells(*row.counts), std::back_inserter(cells));
    if (row.times) std::ranges::move(time_cells(row), std::back_inserter(cells));
    if (row.time_across_gpus) std::ranges::move(spread_cells(*row.time_across_gpus, row.bytes), std::back_inserter(cells));
    cells.resize(columns, "-");
    return cells;
}

/// Columns as wide as their widest cell; names to the left, numbers to the right.
std::string laid_out(const std::vector<Cells>& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const Cells& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::ostringstream text;
    for (const Cells& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            text << (i ? "  " : "") << (i == 0 ? std::left : std::right) << std::setw(static_cast<int>(widths[i])) << row[i];
        text << "\n";
    }
    return text.str();
}

Json to_json(const Spread& spread) {
    return {{"median_ms", spread.median_ms},
            {"p10_ms", spread.p10_ms},
            {"p90_ms", spread.p90_ms},
            {"samples", spread.samples},
            {"launches_per_sample", spread.launches_per_sample}};
}

Json counts_json(const simt::LaunchCounts& counts) {
    Json json = simt::to_json(counts);
    json.erase("name");
    return json;
}

std::string check_message(const Row& row) {
    std::string message = row.difference;
    for (const std::string& hazard : row.hazards) message += (message.empty() ? "" : "; ") + hazard;
    return message;
}

Json time_json(const Row& row) {
    if (row.times) return {{"cold", to_json(row.times->cold)}, {"warm", to_json(row.times->warm)}};
    if (row.host_time) return {{"host", to_json(*row.host_time)}};
    if (row.time_across_gpus) return {{"ranks", to_json(*row.time_across_gpus)}};
    return nullptr;
}

Json to_json(const Row& row) {
    Json expectations = Json::array();
    for (const Judged& judged : row.expectations)
        expectations.push_back({{"text", judged.text}, {"passed", judged.passed}, {"seen", judged.seen}});
    Json json = {{"kernel", row.kernel},
                 {"size", to_string(row.size)},
                 {"width", row.size.width},
                 {"height", row.size.height},
                 {"element_bytes", row.element_bytes},
                 {"bytes", row.bytes},
                 {"work", row.work ? Json{{"unit", row.work->unit}, {"amount", row.work->amount}} : Json(nullptr)},
                 {"reference", row.reference},
                 {"check", {{"passed", row.difference.empty() && row.hazards.empty()}, {"message", check_message(row)}}},
                 {"expectations", expectations},
                 {"counts", row.counts ? counts_json(*row.counts) : Json(nullptr)},
                 {"time", time_json(row)}};
    if (row.library) json["library"] = {{"name", row.library->name}, {"version", row.library->version}};
    if (row.sm_mhz) json["sm_mhz"] = *row.sm_mhz;
    if (row.watts) json["watts"] = *row.watts;
    if (!row.figures.empty()) json["figures"] = row.figures;
    return json;
}

}  // namespace

bool Row::passed() const { return difference.empty() && hazards.empty() && std::ranges::all_of(expectations, &Judged::passed); }

std::string table(const Heading& heading, const std::vector<Row>& rows) {
    std::vector<Cells> cells = {heading_cells(heading.build == "model", rows)};
    const std::size_t columns = cells.front().size();
    for (const Row& row : rows) cells.push_back(row_cells(row, columns));
    for (const std::string& name : figure_names(rows)) {
        cells.front().push_back(name);
        for (std::size_t i = 0; i < rows.size(); ++i) cells[i + 1].push_back(figure_cell(rows[i], name));
    }
    return heading.slug + " on " + heading.machine + (heading.build == "model" ? " (counting model)" : "") + "\n" + laid_out(cells);
}

JsonFile::JsonFile(std::string path) : path_(std::move(path)), partial_(path_) {
    const bool is_file = !std::filesystem::exists(path_) || std::filesystem::is_regular_file(path_);
    if (is_file) partial_ += ".partial-" + std::to_string(getpid());
    // A terminal, a pipe or /dev/null is opened only to write the report: the reader of a pipe would leave when it is closed.
    const auto can_be_written = [&] { return is_file ? !!std::ofstream(partial_) : access(path_.c_str(), W_OK) == 0; };
    if (path_.empty() || std::filesystem::is_directory(path_) || !can_be_written())
        throw UsageError("--json: got '" + path_ + "', accepted: a file in a folder that exists and can be written");
}

JsonFile::~JsonFile() {
    std::error_code ignored;
    if (partial_ != path_) std::filesystem::remove(partial_, ignored);
}

void JsonFile::write(const Heading& heading, const std::vector<Row>& rows) {
    Json json = {{"schema", 1},
                 {"slug", heading.slug},
                 {"build", heading.build},
                 {"machine", heading.machine},
                 {"seed", heading.seed},
                 {"counted_size", to_string(heading.counted_size)}};
    for (const Size size : heading.traffic_sizes) json["traffic_sizes"].push_back(to_string(size));
    if (const auto& device = heading.device)
        json["device"] = {{"name", device->name},
                          {"compute_capability", device->compute_capability},
                          {"l2_bytes", device->l2_bytes},
                          {"memory_bytes", device->memory_bytes}};
    json["rows"] = Json::array();
    for (const Row& row : rows) json["rows"].push_back(to_json(row));
    std::ofstream file(partial_);
    file << json.dump(1) << "\n";
    file.close();
    if (!file) throw std::runtime_error("--json: writing '" + path_ + "' failed; is the disk full?");
    if (partial_ != path_) std::filesystem::rename(partial_, path_);
}

}  // namespace conflict_free
