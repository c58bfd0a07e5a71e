// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The files that a translated source includes, on disk.
#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "translator.hpp"

namespace simt::translate {

/// Finds included files beside the file that includes them, then in the folders of `-I`, and writes their translations
/// into a folder of their own.
class IncludedFiles : public Includes {
public:
    /// `folder` is where the translations go; it is made when there is one.
    IncludedFiles(std::vector<std::filesystem::path> search, std::filesystem::path folder)
        : search_(std::move(search)), folder_(std::move(folder))
    {
    }

    std::optional<File> find(std::string_view name, bool quoted, std::string_view includer) override;
    bool is_new(const File& file) override;
    /// @throws std::runtime_error if the translation cannot be written.
    void translated(const File& file, const std::string& translation) override;

    /// All files found, as they are called in messages.
    std::vector<std::string> files() const;

private:
    std::vector<std::filesystem::path> search_;
    std::filesystem::path folder_;
    /// Where the translation of each file goes, and whether it has been asked for.
    struct Entry {
        std::string translation;
        bool is_new = true;
    };
    std::map<std::string, Entry> entries_;
};

/// The text of a file; nothing if it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

/// Writes a file; false if that is not possible.
bool write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace simt::translate
