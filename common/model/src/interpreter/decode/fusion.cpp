// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "interpreter/decode/fusion.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "device/device.hpp"

namespace simt::interpreter {

namespace {

using Json = nlohmann::json;
using Functions = std::map<std::string, FunctionFusion>;

struct Texts {
    std::map<std::uint64_t, Functions> known;
    std::string unknown;
    /// Whether the program was compared with its machine code, or the comparison was tried.
    bool given = false;
};

constexpr int error_invalid_value = 1;

FusedAccess note_from(const Json& json) { return {json.at("file"), json.at("line"), json.at("ptx"), json.at("sass"), json.at("why")}; }

FunctionFusion function_from(const Json& json)
{
    FunctionFusion function;
    function.exact = json.at("exact");
    for (const auto& [line, how] : json.at("counted").items()) function.counted[std::stoi(line)] = {how.at(0), how.at(1), how.at(2)};
    for (const Json& note : json.at("fused")) function.notes.push_back(note_from(note));
    for (const auto& [line, note] : json.at("branches").items()) function.branches[std::stoi(line)] = note_from(note);
    return function;
}

Texts texts_from(const Json& json)
{
    Texts texts;
    texts.given = true;
    for (const auto& [name, functions] : json.at("texts").items())
        for (const auto& [function, found] : functions.items())
            texts.known[std::stoull(name, nullptr, 16)][function] = function_from(found);
    texts.unknown = json.value("unknown", "");
    return texts;
}

Texts read_texts()
{
    const char* named = std::getenv("SIMT_EXACTNESS");
    std::error_code none;
    const std::filesystem::path path =
        named ? std::filesystem::path(named) : std::filesystem::read_symlink("/proc/self/exe", none).concat(".exactness");
    std::ifstream file(path);
    try {
        if (file) return texts_from(Json::parse(file));
    } catch (const std::exception&) {
        if (named) throw DeviceError(error_invalid_value, {MessageCode::bad_exactness_file, {{"path", path.string()}}});
    }
    if (named && !file) throw DeviceError(error_invalid_value, {MessageCode::no_exactness_file, {{"path", path.string()}}});
    return {};
}

const Texts& all_texts()
{
    static const Texts& texts = *new Texts(read_texts());
    return texts;
}

}  // namespace

std::string why_unknown(std::uint64_t text)
{
    const Texts& texts = all_texts();
    if (!texts.unknown.empty() || !texts.given || texts.known.contains(text)) return texts.unknown;
    return "not compared with machine code: the program has loaded this kernel while it ran";
}

std::uint64_t fingerprint(std::string_view text)
{
    // FNV-1a.
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x0000'0100'0000'01B3;
    return hash;
}

const FunctionFusion* find_fusion(std::uint64_t text, const std::string& function)
{
    const auto& texts = all_texts().known;
    const auto functions = texts.find(text);
    if (functions == texts.end()) return nullptr;
    const auto found = functions->second.find(function);
    return found == functions->second.end() ? nullptr : &found->second;
}

}  // namespace simt::interpreter
