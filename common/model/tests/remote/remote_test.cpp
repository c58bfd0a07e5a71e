// A device in another process: each call arrives unchanged.

#include "served_device.hpp"

namespace {

int code_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const DeviceError& error) {
        return error.code();
    }
    return 0;
}

WarpAccess of_four_bytes(Space space, Operation operation) {
    WarpAccess access{};
    access.space = space;
    access.operation = operation;
    access.size = 4;
    return access;
}

/// A sum of the log.
nlohmann::ordered_json calls(std::uint64_t count, std::uint64_t bytes) { return {{"calls", count}, {"bytes", bytes}}; }

TEST_F(Remote, ModulesAndKernelsComeOverWhole) {
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
    EXPECT_EQ(device().function(function).name, info.name);
    EXPECT_EQ(fake.functions_asked, 1) << "a launch needs it several times";
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

TEST_F(Remote, NoKernelRunsAfterOneThatDidNotEnd) {
    LaunchRequest request;
    request.function = device().find_function(device().load_module({".version 8.0"}), "kernel");
    request.parameters.assign(12, 3);
    request.grid = {999, 1, 1};
    EXPECT_EQ(device().launch(request), 702);
    request.grid = {1, 1, 1};
    EXPECT_EQ(device().launch(request), 702);
    EXPECT_EQ(fake.launched.grid.x, 999u);
}

TEST_F(Remote, AnErrorKeepsItsNumberAndItsWords) {
    try {
        device().load_module({"broken"});
        FAIL();
    } catch (const DeviceError& error) {
        EXPECT_EQ(error.code(), 218);
        EXPECT_EQ(error.message(), Message(MessageCode::unreadable_ptx, {{"ptx_line", 1}, {"problem", "no such instruction"}}));
    }
}

TEST_F(Remote, MemoryOfAnySizeIsCopied) {
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
    EXPECT_EQ(device().range_of(address + 5).bytes, 0u);
    EXPECT_FALSE(device().release(address));
    EXPECT_EQ(device().allocate(std::size_t{1} << 40), 0u);
    const nlohmann::ordered_json json = log.to_json({}, {});
    EXPECT_EQ(json["copies"]["to_device"], calls(1, data.size()));
    EXPECT_EQ(json["copies"]["to_host"], calls(2, data.size() + 150));
    EXPECT_EQ(json["fills"], calls(1, 50));
}

TEST_F(Remote, RowsAreCopiedByOneCall) {
    std::vector<std::uint8_t> data(64), back(data.size());
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i + 1);
    const DeviceAddress from = device().allocate(data.size()), to = device().allocate(data.size());
    device().copy_in(from, data.data(), data.size());
    device().fill(to, 0, 1, data.size());
    device().copy_rows({to, from + 2, 20, 10, 3, 3});
    device().copy_out(back.data(), to, back.size());
    std::vector<std::uint8_t> expected(data.size());
    for (std::size_t row = 0; row < 3; ++row) std::copy_n(data.begin() + 2 + 10 * row, 3, expected.begin() + 20 * row);
    EXPECT_EQ(back, expected);
    EXPECT_EQ(log.to_json({}, {})["copies"]["within_device"], calls(1, 9));
    device().copy_rows({to, from, 0, 0, 0, std::size_t{1} << 60});
    for (const RowCopy& refused :
         {RowCopy{to, from, 2, 10, 3, 3}, RowCopy{to, from, 20, 2, 3, 3}, RowCopy{to, from, 20, 0, 3, std::size_t{1} << 60},
          RowCopy{to, from, std::size_t{1} << 60, std::size_t{1} << 60, 3, 16}, RowCopy{to, from, 20, 31, 3, 3}})
        EXPECT_EQ(code_of([&] { device().copy_rows(refused); }), 1);
}

TEST_F(Remote, ArraysAndTexturesComeOverWhole) {
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
    std::string texels(128, '?');
    fake.copy_from_array(array, {.width_bytes = 32, .height = 4}, texels.data(), 32, 0);
    EXPECT_EQ(texels[32 + 4], 'A');
    EXPECT_EQ(texels[64 + 11], 'B');
    EXPECT_NE(texels[64 + 12], '.');
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

TEST_F(Remote, TexelsOfOtherFormatsAreRefused) {
    using Bits = std::array<int, 4>;
    ArrayShape shape;
    shape.format.kind = ChannelFormat::Kind::unsigned_integer;
    shape.width = 19;
    for (const Bits& bits : {Bits{16, 8, 0, 0}, Bits{8, 8, 8, 0}, Bits{0, 8, 0, 0}, Bits{24, 0, 0, 0}, Bits{64, 0, 0, 0}, Bits{}}) {
        shape.format.bits = bits;
        EXPECT_EQ(code_of([&] { device().create_array(shape); }), 1) << bits[0] << " " << bits[1];
    }
    shape.format.bits = {32, 32, 0, 0};
    TextureRequest request;
    request.array = device().create_array(shape);
    request.format.bits = {16, 0, 0, 0};  // the format is the array's
    request.read_as_normalized_float = true;
    EXPECT_EQ(code_of([&] { device().create_texture(request); }), 1);
}

TEST_F(Remote, TexturesStayInTheirMemory) {
    TextureRequest request;
    request.format = {ChannelFormat::Kind::unsigned_integer, {32, 0, 0, 0}};
    request.resource = TextureRequest::Resource::linear;
    request.address = device().allocate(1024);
    request.bytes = 1024;
    request.width = 257;
    EXPECT_EQ(code_of([&] { device().create_texture(request); }), 1);
    request.width = 256;
    EXPECT_TRUE(device().destroy_texture(device().create_texture(request)));
    request.surface = true;
    EXPECT_EQ(code_of([&] { device().create_texture(request); }), 1);
    request.surface = false;
    request.resource = TextureRequest::Resource::pitched;
    request.width = 8, request.height = 9, request.pitch = 128;
    EXPECT_EQ(code_of([&] { device().create_texture(request); }), 1);
    request.height = (std::size_t{1} << 57) + 1;
    EXPECT_EQ(code_of([&] { device().create_texture(request); }), 1);
    request.height = 8;
    EXPECT_TRUE(device().destroy_texture(device().create_texture(request)));
}

TEST_F(Remote, WhatIsNotThereIsRefusedAndWrittenDown) {
    VariableInfo variable;
    const int module = device().load_module({""});
    EXPECT_EQ(code_of([&] { device().find_variable(module, "managed", variable); }), 801);
    EXPECT_EQ(code_of([&] { device().map_host(nullptr, 4096); }), 801);
    for (const DeviceLimit limit : {DeviceLimit::heap, DeviceLimit::kept_l2})
        EXPECT_EQ(code_of([&] { device().set_limit(limit, 1 << 20); }), 801);
    EXPECT_EQ(code_of([&] { device().reset(); }), 801);
    EXPECT_FALSE(fake.was_reset);
    const nlohmann::ordered_json refused{"managed memory", "managed, mapped or registered host memory", "a heap for malloc in kernels",
                                         "a part of the L2 that is set aside", "cudaDeviceReset"};
    EXPECT_EQ(log.to_json({}, {})["refused"], refused);
}

TEST_F(Remote, ACaseIsHeldByTheJudge) {
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
    EXPECT_EQ(leave().how, CaseEnding::How::finished);
    const std::filesystem::path folder = made_case();
    trial.write_outputs(folder);
    std::ifstream in(folder / "wanted.bin");
    std::string text;
    in >> text;
    EXPECT_EQ(text, "5678....");
}

TEST_F(Remote, WhoHasWrittenAnOutputLastIsKnown) {
    const auto given = device().trial_buffer("given"), wanted = device().trial_buffer("wanted");
    ASSERT_TRUE(given && wanted);
    DataUse& use = trial.data_use();
    const auto access = [&](Operation operation, std::uint64_t address, int lanes) {
        WarpAccess made = of_four_bytes(Space::global, operation);
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
    EXPECT_EQ(use.largest().loaded, 8u);
    EXPECT_EQ(use.busiest(), 2u) << "of two blocks, each on a multiprocessor of its own";
    EXPECT_EQ(use.sums("given").loaded, 8u);
    EXPECT_EQ(use.sums("wanted").stored, wanted->bytes);
    device().copy_within(wanted->address, given->address, 4);
    device().fill(wanted->address + 4, 0, 1, 2);
    EXPECT_EQ(use.sums("wanted").copied, 4u);
    EXPECT_EQ(use.sums("wanted").filled, 2u);
    EXPECT_EQ(use.sums("wanted").stored, wanted->bytes - 6);
    EXPECT_EQ(use.to_json()["buffers"]["given"].dump(), R"({"bytes":8,"loaded":8,"stored":4,"filled":0,"copied":0})");
    device().trial_finish("");
    leave();
}

TEST(DataUse, SpreadsTheBlocksOfAllLaunchesAndWeighsWideAccesses) {
    Machine machine = machines().front();
    machine.multiprocessors = 3;
    DataUse use(machine);
    WarpAccess access{};
    access.space = Space::shared;
    access.operation = Operation::load;
    access.active = ~0u;
    for (const auto& [blocks, size] : {std::pair{2u, 4}, {2u, 8}, {1u, 4}}) {
        access.size = size;
        for (std::size_t lane = 0; lane < warp_size; ++lane) access.address[lane] = lane * static_cast<std::uint64_t>(size);
        use.launch_begins({{blocks, 1, 1}, {32, 1, 1}, 0});
        for (unsigned block = 0; block < blocks; ++block) {
            use.block_runs(block);
            use.warp_access(access);
        }
        use.launch_ends();
    }
    // Multiprocessor 0 has an access of 4 bytes a lane and the last one, multiprocessor 2 one of 8 bytes, which weighs as much as two.
    EXPECT_EQ(use.busiest(), 3u);
}

TEST(DataUse, CountsBlocksWithoutAccessesAndNoAtomicOperationAsNarrow) {
    DataUse use;
    WarpAccess access = of_four_bytes(Space::global, Operation::atomic);
    access.active = 1;
    use.launch_begins({{3, 1, 1}, {32, 1, 1}, 0});
    for (unsigned block = 0; block < 3; ++block) use.block_runs(block);
    use.warp_access(access);
    use.launch_ends();
    EXPECT_EQ(use.to_json()["narrow_global"], 0);
    EXPECT_EQ(use.to_json()["idle_blocks"], 2);
}

TEST(DataUse, KnowsTheMostThatOneBlockDoes) {
    DataUse use;
    WarpAccess access = of_four_bytes(Space::shared, Operation::store);
    use.launch_begins({{2, 1, 1}, {64, 1, 1}, 0});
    use.block_runs(0);
    access.active = 0x1ffff;
    use.warp_access(access);
    use.block_runs(1);
    for (access.active = 0xffff; access.active; access.active <<= 16) use.warp_access(access);
    access.active = 0xff;
    access.operation = Operation::load;
    use.warp_access(access);
    access.operation = Operation::store;
    access.space = Space::global;
    use.warp_access(access);
    use.bulk_copy(4096, 16, false, 1);
    use.launch_ends();
    EXPECT_EQ(use.to_json()["narrow_global"], 1);
    EXPECT_EQ(use.to_json()["block"].dump(), R"({"narrow":3,"narrow_stores":2,"loaded":0,"stored":48})");
    // Launches come one after another, so what their largest blocks write adds up.
    use.launch_begins({{1, 1, 1}, {64, 1, 1}, 0});
    use.block_runs(0);
    use.warp_access(access);
    use.launch_ends();
    EXPECT_EQ(use.largest().stored, 48u + 32u);
}

TEST(DataUse, GivesAllWarpsOfABlockTheTimeOfItsBusiestOneUpToEachBarrier) {
    DataUse use;
    WarpAccess access = of_four_bytes(Space::shared, Operation::load);
    access.active = ~0u;
    for (std::size_t lane = 0; lane < warp_size; ++lane) access.address[lane] = 4 * lane;
    const auto accesses = [&](int warp, int times) {
        access.warp = warp;
        for (int time = 0; time < times; ++time) use.warp_access(access);
    };
    // Blocks of three warps, the last of them not full.
    use.launch_begins({{2, 1, 1}, {33, 2, 1}, 0});
    use.block_runs(0);
    accesses(0, 2);
    use.block_barrier();
    accesses(1, 5);
    use.block_runs(1);
    accesses(2, 1);
    use.block_runs(0);
    accesses(0, 3);
    use.part_barrier();
    accesses(1, 1);
    use.launch_ends();
    EXPECT_EQ(use.to_json()["slots"], 3 * (2 + 5 + 1) + 3 * 1);
    EXPECT_EQ(use.to_json()["global_slots"], 0);
    // Warp 0 is the busiest one of global memory, and warp 1 of both.
    access.space = Space::global;
    use.launch_begins({{1, 1, 1}, {33, 2, 1}, 0});
    use.block_runs(0);
    accesses(0, 2);
    accesses(1, 1);
    access.space = Space::shared;
    accesses(1, 3);
    access.space = Space::global;
    access.active = 0xffff;
    accesses(0, 1);
    use.launch_ends();
    EXPECT_EQ(use.to_json()["global_slots"], 3 * 2);
    EXPECT_EQ(use.to_json()["slots"], 3 * (2 + 5 + 1) + 3 * 1 + 3 * 4);
    // A barrier behind which nothing is accessed takes the time of an access.
    use.launch_begins({{2, 1, 1}, {64, 1, 1}, 0});
    use.block_runs(0);
    accesses(0, 1);
    for (int time = 0; time < 3; ++time) use.block_barrier();
    use.block_runs(1);
    use.block_barrier();
    use.launch_ends();
    EXPECT_EQ(use.to_json()["slots"], 3 * (2 + 5 + 1) + 3 * 1 + 3 * 4 + 2 * 3);
}

TEST(DataUse, HasTheRoomForBlocksOfTheLaunchThatLeavesLeast) {
    DataUse use;
    use.launch_begins({{1, 1, 1}, {256, 1, 1}, 0});
    EXPECT_EQ(use.room().blocks, use.room().without_shared);
    use.launch_begins({{1, 1, 1}, {256, 1, 1}, 30000, 28368});
    EXPECT_EQ(use.room().blocks, 4);
    EXPECT_EQ(use.room().without_shared, 8);
    use.launch_begins({{1, 1, 1}, {1024, 1, 1}, 227 << 10});
    EXPECT_EQ(use.to_json()["room"], nlohmann::json({{"blocks", 1}, {"without_shared", 2}}));
    use.launch_begins({{1, 1, 1}, {32, 1, 1}, 10000});
    EXPECT_EQ(use.room().blocks, 1);
    DataUse small;
    small.launch_begins({{1, 1, 1}, {256, 1, 1}, 0, 4096, 6});
    EXPECT_EQ(small.room().blocks, 3);
    small.launch_begins({{1, 1, 1}, {256, 1, 1}, 0, 4096, 0});
    EXPECT_EQ(small.to_json()["room"], nlohmann::json({{"blocks", 1}, {"without_shared", 8}}));
}

TEST(DataUse, HasBulkCopiesByDirection) {
    DataUse use;
    use.bulk_copy(4096 + 16, 144, true, 1);
    use.bulk_copy(4096, 32, false, 1);
    use.bulk_copy(8192, 32, false, 0);
    EXPECT_EQ(use.bulk_loads().sectors, 5u);
    EXPECT_EQ(use.bulk_loads().wavefronts, 2u);
    EXPECT_EQ(use.bulk_stores().requests, 1u);
    EXPECT_EQ(use.bulk_stores().bytes, 64u);
}

TEST_F(Remote, WhatFailedIsTold) {
    device().note_error({MessageCode::empty_grid, {{"kernel", "one\nline"}, {"grid", Extent{0, 1, 1}}}});
    EXPECT_EQ(log.notes(), (std::vector<Message>{{MessageCode::empty_grid, {{"kernel", "one line"}, {"grid", Extent{0, 1, 1}}}}}));
    EXPECT_FALSE(device().trial_finish("it failed"));
    const CaseEnding served = leave();
    EXPECT_EQ(served.how, CaseEnding::How::failed);
    EXPECT_EQ(served.failure, "it failed");
}

TEST_F(Remote, WhoSaysNothingHasEnded) {
    device().allocate(100);
    EXPECT_EQ(leave().how, CaseEnding::How::ended);
}

/// The cases of one program, one after another.
TEST(RemoteCases, EachBeginsAnewAtOtherAddresses) {
    FakeDevice fake;
    std::array<int, 2> ends{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    std::array<CallLog, 2> logs;
    auto served = std::async(std::launch::async, [&] {
        Server server(fake, ends[0]);
        std::array<CaseEnding, 2> found;
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
    for (const CaseEnding& each : served.get()) EXPECT_EQ(each.how, CaseEnding::How::finished);
    EXPECT_EQ(logs[0].to_json({}, {})["fills"]["calls"], 1);
    EXPECT_EQ(logs[1].to_json({}, {})["fills"]["calls"], 0);
}

}  // namespace
