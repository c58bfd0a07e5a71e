// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "included_files.hpp"

#include <fstream>
#include <sstream>
#include <utility>

namespace simt::translate {

namespace fs = std::filesystem;

std::optional<std::string> read_file(const fs::path& path)
{
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return std::nullopt;
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    std::ostringstream text;
    text << in.rdbuf();
    return std::move(text).str();
}

bool write_file(const fs::path& path, const std::string& text)
{
    std::ofstream out(path, std::ios::binary);
    out << text;
    return static_cast<bool>(out.flush());
}

std::optional<Includes::File> IncludedFiles::find(std::string_view name, bool quoted, std::string_view includer)
{
    std::vector<fs::path> folders = search_;
    if (quoted) folders.insert(folders.begin(), fs::path(includer).parent_path());
    for (const fs::path& folder : folders) {
        const fs::path path = (folder / name).lexically_normal();
        auto text = read_file(path);
        if (!text) continue;
        std::error_code error;
        const fs::path absolute = fs::absolute(folder_, error);
        Entry& entry = entries_[path.string()];
        if (entry.translation.empty())
            entry.translation = (absolute / (std::to_string(entries_.size()) + "_" + path.filename().string())).string();
        return File{std::move(*text), path.string(), entry.translation};
    }
    return std::nullopt;
}

bool IncludedFiles::is_new(const File& file) { return std::exchange(entries_.at(file.name).is_new, false); }

void IncludedFiles::translated(const File& file, const std::string& translation)
{
    std::error_code error;
    fs::create_directories(folder_, error);
    // What has not changed is left alone, so that nothing is compiled again for it.
    if (read_file(file.translation) == translation) return;
    if (!write_file(file.translation, translation)) throw std::runtime_error("cannot write " + file.translation);
}

std::vector<std::string> IncludedFiles::files() const
{
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries_) names.push_back(name);
    return names;
}

}  // namespace simt::translate
