// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A device in another process: each call comes over as it was made, and no message does harm.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <random>

#include "remote/channel.hpp"
#include "remote/messages.hpp"
#include "remote/remote_device.hpp"
#include "remote/server.hpp"

namespace {

using namespace simt;
using namespace simt::remote;

/// Keeps memory, and remembers what else it was asked for.
class FakeDevice final : public Device {
public:
    int load_module(const std::vector<std::string>& texts) override
    {
        if (texts.empty() || texts[0] == "broken") throw DeviceError(218, "line 1: no such instruction");
        loaded = texts;
        return 7;
    }
    void unload_module(int module) override { unloaded = module; }
    int find_function(int, const std::string& name) override { return name == "kernel" ? 3 : -1; }
    FunctionInfo function(int) override
    {
        FunctionInfo info;
        info.name = "kernel";
        info.parameters = {{0, 8}, {8, 4}};
        info.parameter_bytes = 12;
        info.required_cluster = {2, 1, 1};
        info.registers = 40;
        return info;
    }
    bool find_variable(int, const std::string& name, VariableInfo& info) override
    {
        info = {0x500, 16, true, name == "managed"};
        return name != "none";
    }
    std::vector<std::string> function_names(int) override { return {"kernel", "other"}; }

    DeviceAddress allocate(std::size_t bytes) override
    {
        if (bytes > 1 << 24) return 0;
        const DeviceAddress address = next;
        next += (bytes + 4096) & ~std::size_t{255};
        memory[address].resize(bytes);
        return address;
    }
    bool release(DeviceAddress address) override { return memory.erase(address) == 1; }
    void map_host(void*, std::size_t) override {}
    bool unmap_host(void*) override { return false; }
    Range range_of(DeviceAddress address) override
    {
        for (const auto& [begin, data] : memory)
            if (address >= begin && address < begin + data.size()) return {begin, data.size(), false};
        return {};
    }
    void memory_info(std::size_t& free, std::size_t& total) override { free = 5, total = 6; }
    void copy_in(DeviceAddress to, const void* from, std::size_t bytes) override
    {
        if (bytes > 0) std::memcpy(at(to, bytes), from, bytes);
    }
    void copy_out(void* to, DeviceAddress from, std::size_t bytes) override
    {
        if (bytes > 0) std::memcpy(to, at(from, bytes), bytes);
    }
    void copy_within(DeviceAddress to, DeviceAddress from, std::size_t bytes) override
    {
        std::memmove(at(to, bytes), at(from, bytes), bytes);
    }
    void fill(DeviceAddress to, std::uint32_t value, int width, std::size_t count) override
    {
        std::memset(at(to, count * static_cast<std::size_t>(width)), static_cast<int>(value), count * static_cast<std::size_t>(width));
    }

    int create_array(const ArrayShape& shape) override
    {
        texels.assign(shape.width * shape.height * static_cast<std::size_t>(shape.format.bytes()), 0);
        pitch_of_array = shape.width * static_cast<std::size_t>(shape.format.bytes());
        return 11;
    }
    bool destroy_array(int) override { return true; }
    void copy_to_array(int, const ArrayBox& box, const void* from, std::size_t pitch, std::size_t) override
    {
        for (std::size_t y = 0; y < box.height; ++y)
            std::memcpy(&texels[(box.y + y) * pitch_of_array + box.x_bytes], static_cast<const char*>(from) + y * pitch, box.width_bytes);
    }
    void copy_from_array(int, const ArrayBox& box, void* to, std::size_t pitch, std::size_t) override
    {
        for (std::size_t y = 0; y < box.height; ++y)
            std::memcpy(static_cast<char*>(to) + y * pitch, &texels[(box.y + y) * pitch_of_array + box.x_bytes], box.width_bytes);
    }
    std::uint64_t create_texture(const TextureRequest& request) override
    {
        texture = request;
        return 99;
    }
    bool destroy_texture(std::uint64_t handle) override { return handle == 99; }
    int launch(const LaunchRequest& request) override
    {
        launched = request;
        return request.grid.x == 0 ? 9 : 0;
    }
    int occupancy(int, int block_threads, std::size_t) override { return 2048 / block_threads; }
    const Machine& machine() const override { return machines().front(); }
    void set_heap_bytes(std::size_t bytes) override { heap = bytes; }
    void set_printer(std::function<void(std::string_view)>) override {}
    void reset() override { was_reset = true; }

    std::uint8_t* at(DeviceAddress address, std::size_t bytes)
    {
        const Range range = range_of(address);
        if (range.bytes == 0 || bytes > range.bytes - (address - range.begin))
            throw DeviceError(1, "a range is not inside of an allocation");
        return memory[range.begin].data() + (address - range.begin);
    }

    std::vector<std::string> loaded;
    int unloaded = -1;
    DeviceAddress next = DeviceAddress{1} << 40;
    std::map<DeviceAddress, std::vector<std::uint8_t>> memory;
    std::vector<char> texels;
    std::size_t pitch_of_array = 0, heap = 0;
    TextureRequest texture;
    LaunchRequest launched;
    bool was_reset = false;
};

std::filesystem::path made_case()
{
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / ("case" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "case.txt") << "integer width 4\ninput given\noutput wanted\n";
    std::ofstream(folder / "given.bin") << "12345678";
    std::ofstream(folder / "wanted.bin") << "........";
    return folder;
}

/// A device that is served in another thread, with a case.
class Remote : public testing::Test {
protected:
    Remote()
    {
        std::array<int, 2> ends{};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
        end_ = ends[1];
        served_ = std::async(std::launch::async, [this, end = ends[0]] { return Server(fake, end).run(trial, log, true); });
    }
    ~Remote() override
    {
        if (served_.valid()) leave();
    }

    RemoteDevice& device()
    {
        if (!device_) device_ = std::make_unique<RemoteDevice>(std::exchange(end_, -1));
        return *device_;
    }
    int raw() { return end_; }
    Served leave()
    {
        device_.reset();
        // What was sent is still read, and its answers have somewhere to go.
        if (end_ >= 0) shutdown(end_, SHUT_WR);
        const Served served = served_.get();
        if (end_ >= 0) close(std::exchange(end_, -1));
        return served;
    }

    FakeDevice fake;
    TrialCase trial{made_case(), fake};
    CallLog log;

private:
    int end_ = -1;
    std::future<Served> served_;
    std::unique_ptr<RemoteDevice> device_;
};

int code_of(const std::function<void()>& call)
{
    try {
        call();
    } catch (const DeviceError& error) {
        return error.code();
    }
    return 0;
}

TEST_F(Remote, ModulesAndKernelsComeOverWhole)
{
    EXPECT_EQ(device().machine().name, machines().front().name);
    const std::vector<std::string> texts{".version 8.0", std::string(3 << 20, 'x')};
    const int module = device().load_module(texts);
    EXPECT_EQ(fake.loaded, texts);
    EXPECT_EQ(device().function_names(module), (std::vector<std::string>{"kernel", "other"}));
    EXPECT_EQ(device().find_function(module, "nothing"), -1);
    const int function = device().find_function(module, "kernel");
    const FunctionInfo info = device().function(function);
    EXPECT_EQ(info.name, "kernel");
    EXPECT_EQ(info.parameters.at(1).offset, 8u);
    EXPECT_EQ(info.required_cluster[0], 2);
    VariableInfo variable;
    EXPECT_FALSE(device().find_variable(module, "none", variable));
    EXPECT_TRUE(device().find_variable(module, "some", variable));
    EXPECT_TRUE(variable.constant);
    EXPECT_EQ(device().occupancy(function, 256, 0), 8);

    LaunchRequest request;
    request.function = function;
    request.grid = {5, 6, 7};
    request.dynamic_shared_bytes = 100;
    request.cooperative = true;
    request.parameters.assign(12, 3);
    EXPECT_EQ(device().launch(request), 0);
    EXPECT_EQ(fake.launched.grid, request.grid);
    EXPECT_EQ(fake.launched.parameters, request.parameters);
    EXPECT_TRUE(fake.launched.cooperative);
    request.grid.x = 0;
    EXPECT_EQ(device().launch(request), 9);
    device().unload_module(module);
    EXPECT_EQ(fake.unloaded, module);
    EXPECT_EQ(code_of([&] { device().launch(request); }), 400) << "a kernel of a module that is gone";
}

TEST_F(Remote, AnErrorKeepsItsNumberAndItsWords)
{
    try {
        device().load_module({"broken"});
        FAIL();
    } catch (const DeviceError& error) {
        EXPECT_EQ(error.code(), 218);
        EXPECT_STREQ(error.what(), "line 1: no such instruction");
    }
}

TEST_F(Remote, MemoryOfAnySizeIsCopied)
{
    std::vector<std::uint8_t> data(3 * piece_bytes + 5), back(data.size());
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 7 + i / 1000);
    const DeviceAddress address = device().allocate(data.size());
    device().copy_in(address, data.data(), data.size());
    device().copy_out(back.data(), address, back.size());
    EXPECT_EQ(back, data);
    device().copy_within(address, address + 16, 16);
    device().fill(address + 100, 0x2a, 1, 50);
    device().copy_out(back.data(), address, 150);
    EXPECT_EQ(back[0], data[16]);
    EXPECT_EQ(back[149], 0x2a);
    EXPECT_EQ(device().range_of(address + 5).bytes, data.size());
    EXPECT_EQ(code_of([&] { device().copy_in(address + data.size(), data.data(), 1); }), 1);
    EXPECT_TRUE(device().release(address));
    EXPECT_FALSE(device().release(address));
    EXPECT_EQ(device().allocate(std::size_t{1} << 40), 0u);
    const std::string json = log.to_json({}, "{}");
    EXPECT_NE(json.find("\"to_device\": {\"calls\": 1, \"bytes\": " + std::to_string(data.size()) + "}"), std::string::npos) << json;
    EXPECT_NE(json.find("\"to_host\": {\"calls\": 2, \"bytes\": " + std::to_string(data.size() + 150) + "}"), std::string::npos) << json;
    EXPECT_NE(json.find("\"fills\": {\"calls\": 1, \"bytes\": 50}"), std::string::npos) << json;
}

TEST_F(Remote, ArraysAndTexturesComeOverWhole)
{
    ArrayShape shape;
    shape.format = {ChannelFormat::Kind::floating_point, {32, 0, 0, 0}};
    shape.width = 8;
    shape.height = 4;
    const int array = device().create_array(shape);
    const std::string rows = "AAAAAAAA..BBBBBBBB..";
    ArrayBox box;
    box.x_bytes = 4;
    box.y = 1;
    box.width_bytes = 8;
    box.height = 2;
    device().copy_to_array(array, box, rows.data(), 10, 0);
    EXPECT_EQ(fake.texels[32 + 4], 'A');
    EXPECT_EQ(fake.texels[64 + 11], 'B');
    EXPECT_EQ(fake.texels[64 + 12], 0);
    std::string back(20, '.');
    device().copy_from_array(array, box, back.data(), 10, 0);
    EXPECT_EQ(back, rows);
    box.height = 4;
    EXPECT_EQ(code_of([&] { device().copy_to_array(array, box, rows.data(), 0, 0); }), 1);
    TextureRequest request;
    request.array = array;
    request.filter = TextureRequest::Filter::linear;
    request.address_mode[1] = TextureRequest::Address::mirror;
    request.border = {1, 2, 3, 4};
    const std::uint64_t texture = device().create_texture(request);
    EXPECT_EQ(fake.texture.filter, request.filter);
    EXPECT_EQ(fake.texture.address_mode, request.address_mode);
    EXPECT_EQ(fake.texture.border, request.border);
    EXPECT_TRUE(device().destroy_texture(texture));
    EXPECT_FALSE(device().destroy_texture(texture));
    shape.width = std::size_t{1} << 60;
    EXPECT_EQ(code_of([&] { device().create_array(shape); }), 1);
}

TEST_F(Remote, WhatIsNotThereIsRefusedAndWrittenDown)
{
    VariableInfo variable;
    const int module = device().load_module({""});
    EXPECT_EQ(code_of([&] { device().find_variable(module, "managed", variable); }), 801);
    EXPECT_EQ(code_of([&] { device().map_host(nullptr, 4096); }), 801);
    EXPECT_EQ(code_of([&] { device().reset(); }), 801);
    EXPECT_FALSE(fake.was_reset);
    EXPECT_NE(log.to_json({}, "{}").find("[\"managed memory\", \"managed, mapped or registered host memory\", \"cudaDeviceReset\"]"),
              std::string::npos);
}

TEST_F(Remote, ACaseIsHeldByTheJudge)
{
    EXPECT_EQ(device().trial_integer("width"), 4);
    EXPECT_FALSE(device().trial_integer("given"));
    EXPECT_FALSE(device().trial_buffer("../given"));
    const auto given = device().trial_buffer("given"), wanted = device().trial_buffer("wanted");
    ASSERT_TRUE(given && wanted);
    EXPECT_EQ(given->bytes, 8u);
    EXPECT_EQ(device().trial_buffer("given")->address, given->address);
    device().copy_within(wanted->address, given->address + 4, 4);
    EXPECT_TRUE(trial.overwritten_inputs().empty());
    device().fill(given->address, 0, 4, 1);
    EXPECT_EQ(trial.overwritten_inputs(), std::vector<std::string>{"given"});
    device().trial_finish("");
    EXPECT_EQ(code_of([&] { device().allocate(4); }), 4);
    EXPECT_FALSE(device().release(wanted->address));
    EXPECT_EQ(leave().how, Served::How::finished);
    trial.write_outputs(testing::TempDir());
    std::ifstream in(std::filesystem::path(testing::TempDir()) / "wanted.bin");
    std::string text;
    in >> text;
    EXPECT_EQ(text, "5678....");
}

TEST_F(Remote, WhoHasWrittenAnOutputLastIsKnown)
{
    const auto given = device().trial_buffer("given"), wanted = device().trial_buffer("wanted");
    ASSERT_TRUE(given && wanted);
    DataUse& use = trial.data_use();
    const auto access = [&](Operation operation, std::uint64_t address, int lanes) {
        WarpAccess made{};
        made.space = Space::global;
        made.operation = operation;
        made.size = 4;
        made.active = (1u << lanes) - 1;
        for (std::size_t lane = 0; lane < warp_size; ++lane) made.address[lane] = address + 4 * lane;
        use.warp_access(made);
    };
    use.launch_begins({});
    use.block_runs(0);
    access(Operation::load, given->address, 2);
    access(Operation::atomic, given->address, 1);
    use.block_runs(1);
    access(Operation::load, given->address, 1);
    access(Operation::store, wanted->address, 3);
    use.launch_ends();
    EXPECT_EQ(use.largest_load(), 8u);
    EXPECT_EQ(use.loading_blocks(), 2u);
    EXPECT_EQ(use.sums("given").loaded, 8u);
    EXPECT_EQ(use.sums("wanted").stored, wanted->bytes);
    device().copy_within(wanted->address, given->address, 4);
    device().fill(wanted->address + 4, 0, 1, 2);
    EXPECT_EQ(use.sums("wanted").copied, 4u);
    EXPECT_EQ(use.sums("wanted").filled, 2u);
    EXPECT_EQ(use.sums("wanted").stored, wanted->bytes - 6);
    EXPECT_NE(use.to_json().find("\"given\": {\"bytes\": 8, \"loaded\": 8"), std::string::npos);
    device().trial_finish("");
    leave();
}

TEST_F(Remote, WhatFailedIsTold)
{
    device().note("kernel k was not launched:\nno block");
    EXPECT_EQ(log.notes(), std::vector<std::string>{"kernel k was not launched: no block"});
    EXPECT_FALSE(device().trial_finish("it failed"));
    const Served served = leave();
    EXPECT_EQ(served.how, Served::How::failed);
    EXPECT_EQ(served.message, "it failed");
}

TEST_F(Remote, WhoSaysNothingHasEnded)
{
    device().allocate(100);
    EXPECT_EQ(leave().how, Served::How::ended);
}

/// Cases that one program is served with, one after another.
TEST(RemoteCases, EachBeginsAnewAtOtherAddresses)
{
    FakeDevice fake;
    std::array<int, 2> ends{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    std::array<CallLog, 2> logs;
    auto served = std::async(std::launch::async, [&] {
        Server server(fake, ends[0]);
        std::array<Served, 2> found;
        for (std::size_t i = 0; i < found.size(); ++i) {
            TrialCase trial(made_case(), fake);
            found[i] = server.run(trial, logs[i], i + 1 == found.size());
        }
        return found;
    });
    {
        RemoteDevice device(ends[1]);
        const DeviceAddress kept = device.allocate(8);
        const auto first = device.trial_buffer("wanted");
        device.fill(first->address, 0, 1, first->bytes);
        EXPECT_TRUE(device.trial_finish(""));
        const auto second = device.trial_buffer("wanted");
        EXPECT_NE(first->address, second->address);
        std::string text(second->bytes, ' ');
        device.copy_out(text.data(), second->address, text.size());
        EXPECT_EQ(text, "........");
        EXPECT_EQ(device.range_of(first->address).bytes, 0u);
        EXPECT_EQ(device.range_of(kept).bytes, 8u);
        EXPECT_FALSE(device.trial_finish(""));
    }
    for (const Served& each : served.get()) EXPECT_EQ(each.how, Served::How::finished);
    EXPECT_NE(logs[0].to_json({}, "{}").find("\"fills\": {\"calls\": 1"), std::string::npos);
    EXPECT_NE(logs[1].to_json({}, "{}").find("\"fills\": {\"calls\": 0"), std::string::npos);
}

/// One message more than a hello, and what became of the connection.
class RawMessages : public Remote {
protected:
    void send(std::uint32_t kind, const std::vector<std::uint8_t>& data, std::uint32_t bytes)
    {
        const Frame frame{kind, bytes};
        ::send(raw(), &frame, sizeof frame, MSG_NOSIGNAL);
        if (!data.empty()) ::send(raw(), data.data(), data.size(), MSG_NOSIGNAL);
    }
    void send(Call call, const Writer& writer)
    {
        send(static_cast<std::uint32_t>(call), writer.data(), static_cast<std::uint32_t>(writer.data().size()));
    }
    void greet()
    {
        Writer writer;
        send(Call::hello, writer(protocol_magic)(protocol_version));
    }
    std::string broken_by()
    {
        const Served served = leave();
        EXPECT_EQ(served.how, Served::How::broken);
        return served.message;
    }
};

TEST_F(RawMessages, AnotherVersionIsNamed)
{
    Writer writer;
    send(Call::hello, writer(protocol_magic)(std::uint32_t{7}));
    EXPECT_NE(broken_by().find("version 7 of the protocol is spoken, 2 is accepted"), std::string::npos);
}

TEST_F(RawMessages, NothingComesBeforeTheHello)
{
    Writer writer;
    send(Call::allocate, writer(std::size_t{4}));
    EXPECT_NE(broken_by().find("a hello is the first message"), std::string::npos);
}

TEST_F(RawMessages, ACallThatThereIsNotIsNamed)
{
    greet();
    send(4711, {}, 0);
    EXPECT_NE(broken_by().find("call 4711"), std::string::npos);
}

TEST_F(RawMessages, AMessageThatIsTooLongIsNotRead)
{
    greet();
    send(static_cast<std::uint32_t>(Call::copy_in), {}, 0xffffffff);
    EXPECT_NE(broken_by().find("4294967295 bytes"), std::string::npos);
}

TEST_F(RawMessages, AListThatIsLongerThanItsMessageIsNotMade)
{
    greet();
    Writer writer;
    send(Call::load_module, writer(std::uint32_t{0x7fffffff}));
    EXPECT_NE(broken_by().find("a list is longer than its message"), std::string::npos);
}

TEST_F(RawMessages, AnAnswerOfAnySizeIsNotMade)
{
    greet();
    Writer writer;
    send(Call::copy_out, writer(DeviceAddress{1} << 40)(std::size_t{1} << 60)(false));
    EXPECT_NE(broken_by().find("a copy is larger than a message"), std::string::npos);
}

TEST_F(RawMessages, MemoryOfTheDriverIsNotFreed)
{
    const auto placed = trial.place("wanted");
    greet();
    Writer writer;
    send(Call::release, writer(placed->address));
    EXPECT_EQ(broken_by(), "it frees the memory of wanted, which is the driver's");
}

TEST_F(RawMessages, AFaultAtDeviceMemoryIsExplained)
{
    const auto placed = trial.place("given");
    greet();
    Writer writer;
    send(Call::host_fault, writer(placed->address + 4));
    EXPECT_NE(broken_by().find("host code reads or writes device memory"), std::string::npos);
}

TEST_F(RawMessages, AFaultElsewhereIsNot)
{
    greet();
    Writer writer;
    send(Call::host_fault, writer(DeviceAddress{64}));
    EXPECT_EQ(leave().how, Served::How::ended);
}

/// Random messages, half of them changed copies of good ones, each on a connection of its own.
TEST(RemoteFuzz, NoMessageDoesHarm)
{
    std::mt19937 random(20261122);
    const auto below = [&random](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
    FakeDevice fake;
    TrialCase trial(made_case(), fake);
    CallLog log;
    for (int round = 0; round < 3000; ++round) {
        std::array<int, 2> ends{};
        ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
        auto served = std::async(std::launch::deferred, [&] { return Server(fake, ends[0]).run(trial, log, true); });
        Writer hello;
        hello(protocol_magic)(protocol_version);
        Channel channel(ends[1]);
        channel.send(static_cast<std::uint32_t>(Call::hello), hello.data());
        for (int i = 0; i < 6; ++i) {
            const auto kind = static_cast<std::uint32_t>(below(static_cast<std::size_t>(Call::count_of_calls)));
            Writer message;
            const std::size_t words = below(16);
            for (std::size_t word = 0; word < words; ++word) {
                const std::array<std::uint64_t, 6> likely{0, 1, 7, 3, 11, fake.next - 4096};
                const std::uint64_t value = below(3) ? likely[below(likely.size())] : random();
                if (below(2)) message(static_cast<std::uint32_t>(value));
                else message(value);
            }
            if (below(4) == 0) message(std::string("kernel"));
            channel.send(kind, message.data());
        }
        shutdown(channel.descriptor(), SHUT_WR);
        served.get();
    }
}

}  // namespace
