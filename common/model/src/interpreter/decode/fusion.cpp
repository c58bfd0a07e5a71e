#include "interpreter/decode/fusion.hpp"

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>

#include <nlohmann/json.hpp>

#include "device/device.hpp"
#include "simt/machine.hpp"

namespace simt::interpreter {

namespace {

using Json = nlohmann::json;
using Functions = std::map<std::string, FunctionFusion>;

struct Texts {
    std::map<std::uint64_t, Functions> known;
    /// By function of any text.
    std::map<std::string, Resources> resources;
    /// For which machine the assembler reported its resources.
    std::string machine;
    std::string unknown;
    /// Why texts that the program has loaded were not compared.
    std::map<std::uint64_t, std::string> loaded;
    /// Whether the program was compared with its machine code, or the comparison was tried.
    bool given = false;
};

constexpr int error_invalid_value = 1;

FusedAccess note_from(const Json& json) { return {json.at("file"), json.at("line"), json.at("ptx"), json.at("sass"), json.at("why")}; }

Resources resources_from(const Json& used) {
    return {.registers = used.at(0), .spilled_store_bytes = used.at(1), .spilled_load_bytes = used.at(2)};
}

FunctionFusion function_from(const Json& json) {
    FunctionFusion function;
    function.exact = json.at("exact");
    for (const auto& [line, how] : json.at("counted").items()) function.counted[std::stoi(line)] = {how.at(0), how.at(1), how.at(2)};
    json.at("uncertain").get_to(function.uncertain);
    for (const Json& note : json.at("fused")) function.notes.push_back(note_from(note));
    for (const auto& [line, note] : json.at("branches").items()) function.branches[std::stoi(line)] = note_from(note);
    if (const auto used = json.find("resources"); used != json.end()) function.resources = resources_from(*used);
    return function;
}

Texts texts_from(const Json& json) {
    Texts texts;
    texts.given = json.contains("texts");
    const Json resources = json.value("resources", Json::object()), compared = json.value("texts", Json::object());
    for (const auto& [function, used] : resources.items()) texts.resources[function] = resources_from(used);
    for (const auto& [name, functions] : compared.items())
        for (const auto& [function, found] : functions.items())
            texts.known[std::stoull(name, nullptr, 16)][function] = function_from(found);
    texts.machine = json.value("machine", machines().front().name);
    texts.unknown = json.value("unknown", "");
    return texts;
}

Texts read_texts() {
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

Texts& all_texts() {
    static Texts& texts = *new Texts(read_texts());
    return texts;
}

std::mutex& texts_mutex() {
    static std::mutex& mutex = *new std::mutex;
    return mutex;
}

/// A folder that is removed with its content.
class WorkFolder {
public:
    WorkFolder() {
        std::string name = std::filesystem::temp_directory_path() / "conflict-free-XXXXXX";
        if (mkdtemp(name.data())) path_ = name;
    }
    ~WorkFolder() {
        std::error_code none;
        if (!path_.empty()) std::filesystem::remove_all(path_, none);
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

std::string file_name_of(std::uint64_t text) {
    std::ostringstream name;
    name << std::hex << text << ".ptx";
    return name.str();
}

}  // namespace

void compare_loaded(std::uint64_t text, std::string_view content) {
    const std::lock_guard lock(texts_mutex());
    const char* comparer = std::getenv("SIMT_COMPARER");
    Texts& texts = all_texts();
    if (!comparer || !texts.given || !texts.unknown.empty() || texts.known.contains(text)) return;
    const WorkFolder folder;
    const std::filesystem::path ptx = folder.path() / file_name_of(text), output = folder.path() / "compared.json";
    std::ofstream(ptx, std::ios::binary) << content;
    // These commands must not run under the model.
    const std::string command = "env -u LD_LIBRARY_PATH -u LD_AUDIT -u LD_PRELOAD " + std::string(comparer) + " '" + ptx.string() + "' '" +
                                output.string() + "' </dev/null >/dev/null 2>&1";
    if (std::system(command.c_str()) != 0) return;
    std::ifstream file(output);
    try {
        Texts found = texts_from(Json::parse(file));
        texts.known.merge(found.known);
        if (!found.unknown.empty()) texts.loaded[text] = std::move(found.unknown);
    } catch (const std::exception&) {
        // The text stays unknown, and its kernels are not called exact.
    }
}

std::string why_unknown(std::uint64_t text) {
    const std::lock_guard lock(texts_mutex());
    const Texts& texts = all_texts();
    if (!texts.unknown.empty() || !texts.given || texts.known.contains(text)) return texts.unknown;
    const auto found = texts.loaded.find(text);
    return found == texts.loaded.end() ? "not compared with machine code: the program has loaded this kernel while it ran" : found->second;
}

std::uint64_t fingerprint(std::string_view text) {
    // FNV-1a.
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x0000'0100'0000'01B3;
    return hash;
}

const FunctionFusion* find_fusion(std::uint64_t text, const std::string& function) {
    const std::lock_guard lock(texts_mutex());
    const auto& texts = all_texts().known;
    const auto functions = texts.find(text);
    if (functions == texts.end()) return nullptr;
    const auto found = functions->second.find(function);
    return found == functions->second.end() ? nullptr : &found->second;
}

const Resources* find_resources(const std::string& function) {
    const std::lock_guard lock(texts_mutex());
    const auto& resources = all_texts().resources;
    const auto found = resources.find(function);
    return found == resources.end() ? nullptr : &found->second;
}

const std::string& machine_of_resources() {
    const std::lock_guard lock(texts_mutex());
    return all_texts().machine;
}

}  // namespace simt::interpreter
