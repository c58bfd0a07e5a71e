// Messages to a device in another process that the runtime library never sends: none does harm.

#include <random>

#include "served_device.hpp"

namespace {

/// Sends one packet after the hello, and shows how the connection ended.
class RawMessages : public Remote {
public:
    void send(std::uint32_t kind, const std::vector<std::uint8_t>& data, std::uint32_t bytes) {
        const PacketHead head{kind, bytes};
        ::send(raw(), &head, sizeof head, MSG_NOSIGNAL);
        if (!data.empty()) ::send(raw(), data.data(), data.size(), MSG_NOSIGNAL);
    }
    void send(Call call, const Writer& writer) {
        send(static_cast<std::uint32_t>(call), writer.data(), static_cast<std::uint32_t>(writer.data().size()));
    }
    void greet() {
        Writer writer;
        send(Call::hello, writer(protocol_magic)(protocol_version));
    }
    /// The code of the forbidden action, or of the violation of the protocol.
    MessageCode broken_by() {
        const CaseEnding served = leave();
        EXPECT_EQ(served.how, CaseEnding::How::broken);
        const Message& message = served.message.value();
        const auto* problem = message.find("problem");
        return problem ? std::get<std::vector<Message>>(*problem).front().code : message.code;
    }
};

/// A packet and the code of its refusal.
struct Refused {
    const char* name;
    MessageCode code;
    bool greets;
    /// Sends the packet. `given` and `wanted` are the addresses of two buffers of the case.
    void (*send)(RawMessages& to, DeviceAddress given, DeviceAddress wanted);
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }

class RefusedMessages : public RawMessages, public testing::WithParamInterface<Refused> {};

TEST_P(RefusedMessages, EndTheConnection) {
    const auto given = trial.place("given"), wanted = trial.place("wanted");
    if (GetParam().greets) greet();
    GetParam().send(*this, given->address, wanted->address);
    EXPECT_EQ(broken_by(), GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(
    Of, RefusedMessages,
    testing::Values(
        Refused{"AnotherVersion", MessageCode::other_protocol, false,
                [](RawMessages& to, DeviceAddress, DeviceAddress) { to.send(Call::hello, Writer()(protocol_magic)(std::uint32_t{7})); }},
        Refused{"BeforeTheHello", MessageCode::hello_out_of_place, false,
                [](RawMessages& to, DeviceAddress, DeviceAddress) { to.send(Call::allocate, Writer()(std::size_t{4})); }},
        Refused{"MoreThanItsValues", MessageCode::packet_too_long, true,
                [](RawMessages& to, DeviceAddress, DeviceAddress) { to.send(Call::allocate, Writer()(std::size_t{4})(std::size_t{4})); }},
        Refused{"UnknownCall", MessageCode::unknown_call, true,
                [](RawMessages& to, DeviceAddress, DeviceAddress) { to.send(4711, {}, 0); }},
        Refused{"TooLong", MessageCode::packet_too_large, true,
                [](RawMessages& to, DeviceAddress, DeviceAddress) { to.send(static_cast<std::uint32_t>(Call::copy_in), {}, 0xffffffff); }},
        Refused{"ListLongerThanItsMessage", MessageCode::list_too_long, true,
                [](RawMessages& to, DeviceAddress, DeviceAddress) { to.send(Call::load_module, Writer()(std::uint32_t{0x7fffffff})); }},
        Refused{"AnswerOfAnySize", MessageCode::copy_too_large, true,
                [](RawMessages& to, DeviceAddress, DeviceAddress) {
                    to.send(Call::copy_out, Writer()(DeviceAddress{1} << 40)(std::size_t{1} << 60)(false));
                }},
        Refused{"FreeOfABuffer", MessageCode::frees_a_buffer, true,
                [](RawMessages& to, DeviceAddress, DeviceAddress wanted) { to.send(Call::release, Writer()(wanted)); }},
        Refused{"FaultAtDeviceMemory", MessageCode::host_fault, true,
                [](RawMessages& to, DeviceAddress given, DeviceAddress) { to.send(Call::host_fault, Writer()(given + 4)); }}),
    [](const auto& refused) { return refused.param.name; });

TEST(RemoteNotes, AreMessagesOfTheModel) {
    for (const char* note : {"no JSON", R"({"code": "no_such_code", "fields": {}})", R"({"code": "no_heap", "fields": {"a": null}})"}) {
        const std::vector<std::uint8_t> data = Writer()(std::string(note)).data();
        Reader reader(data);
        EXPECT_THROW(read<Message>(reader), ProtocolError) << note;
    }
    const Message message(MessageCode::empty_grid, {{"kernel", "k"}, {"grid", Extent{0, 1, 1}}});
    Writer writer;
    fields(writer, message);
    Reader reader(writer.data());
    EXPECT_EQ(read<Message>(reader), message);
}

TEST_F(RawMessages, AFaultElsewhereIsNot) {
    greet();
    Writer writer;
    send(Call::host_fault, writer(DeviceAddress{64}));
    EXPECT_EQ(leave().how, CaseEnding::How::ended);
}

/// Sends random packets, half of them changed copies of valid ones, each on a new connection.
TEST(RemoteFuzz, NoMessageDoesHarm) {
    std::mt19937 random(20261122);
    const auto below = [&random](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
    FakeDevice fake;
    TrialCase trial(made_case(), fake);
    CallLog log;
    const std::uint64_t wanted = trial.place("wanted")->address;
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
            Writer packet;
            const std::size_t words = below(16);
            for (std::size_t word = 0; word < words; ++word) {
                const std::array<std::uint64_t, 5> likely{0, 1, 7, 3, wanted};
                const std::uint64_t value = below(3) ? likely[below(likely.size())] : random();
                if (below(2)) packet(static_cast<std::uint32_t>(value));
                else packet(value);
            }
            if (below(4) == 0) packet(std::string("kernel"));
            channel.send(kind, packet.data());
        }
        shutdown(channel.descriptor(), SHUT_WR);
        served.get();
    }
}

}  // namespace
