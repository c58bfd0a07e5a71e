#include "fuzz/packets.hpp"

#include <sys/socket.h>

#include <array>
#include <fstream>
#include <future>
#include <stdexcept>

#include "engine/engine.hpp"
#include "fuzz/texts.hpp"
#include "remote/channel.hpp"
#include "remote/fields.hpp"
#include "remote/judge/server.hpp"
#include "report/report.hpp"

namespace fuzz {

namespace {

using namespace simt;
using namespace simt::remote;

/// The side of the program: the objects of the device that it knows, and packets that use them.
class Program {
public:
    Program(Choices& choices, const std::vector<std::string>& texts, int descriptor)
        : choices_(choices), texts_(texts), channel_(descriptor) {}

    int talk() {
        constexpr int packets = 20;
        int answered = 0;
        bool is_open = send(Call::hello, Writer()(protocol_magic)(protocol_version)) && send_any(Call::load_module);
        for (int n = 0; is_open && n < packets; ++n, ++answered) is_open = send_any(any_call());
        shutdown(channel_.descriptor(), SHUT_WR);
        return answered;
    }

private:
    Call any_call() {
        const auto call = static_cast<Call>(choices_.below(static_cast<std::size_t>(Call::count_of_calls)));
        // Most of these end the conversation.
        const bool ends = call == Call::hello || call == Call::trial_finish || call == Call::host_fault;
        return ends && !choices_.one_in(8) ? Call::launch : call;
    }
    int small() { return static_cast<int>(choices_.one_in(8) ? choices_.number() : choices_.below(4)); }
    std::size_t bytes() { return choices_.one_in(8) ? choices_.number() : choices_.below(8192); }
    bool coin() { return choices_.one_in(2); }
    std::string name() { return choices_.one_of(names_); }
    DeviceAddress address() { return choices_.address(choices_.one_of(addresses_)); }

    RowCopy row_copy() { return {address(), address(), bytes(), bytes(), choices_.below(64), static_cast<std::size_t>(small())}; }
    ChannelFormat format() {
        const int bits = 8 << choices_.below(3), others = choices_.one_in(3) ? small() << 3 : 0;
        return {static_cast<ChannelFormat::Kind>(choices_.below(4)), {bits, others, 0, 0}};
    }
    ArrayShape array_shape() {
        const auto side = [this] { return choices_.one_in(16) ? choices_.number() : choices_.below(24); };
        return {format(),           1 + side(), side(), choices_.one_in(4) ? side() : 0, choices_.one_in(4),
                choices_.one_in(8), coin(),     coin(), choices_.one_in(8) ? small() : 1};
    }
    ArrayBox box(std::size_t width) {
        const auto at = [this] { return choices_.one_in(8) ? choices_.number() : choices_.below(2); };
        return {at(), at(), at(), width, 1 + at(), 1 + at(), choices_.one_in(8) ? small() : 0};
    }
    TextureRequest texture() {
        TextureRequest request;
        request.resource = static_cast<TextureRequest::Resource>(choices_.below(3));
        request.array = object();
        request.mipmapped = choices_.one_in(8);
        request.address = address();
        request.bytes = bytes();
        request.width = choices_.below(64);
        request.height = choices_.below(64);
        request.pitch = bytes();
        request.format = format();
        for (auto& mode : request.address_mode) mode = static_cast<TextureRequest::Address>(choices_.below(4));
        request.filter = static_cast<TextureRequest::Filter>(choices_.below(2));
        request.normalized_coordinates = coin();
        request.read_as_normalized_float = coin();
        request.surface = coin();
        return request;
    }
    int object() { return choices_.one_in(16) ? small() : choices_.one_of(objects_); }

    Writer arguments_of(Call call) {
        Writer to;
        switch (call) {
            case Call::load_module: to(std::vector<std::string>{choices_.one_of(texts_)}); break;
            case Call::find_function:
            case Call::find_variable: to(object())(name()); break;
            case Call::unload_module:
            case Call::function:
            case Call::function_names:
            case Call::destroy_array: to(object()); break;
            case Call::allocate:
            case Call::host_memory: to(bytes()); break;
            case Call::set_limit: to(static_cast<std::uint8_t>(choices_.below(3)))(bytes()); break;
            case Call::release:
            case Call::range_of:
            case Call::host_fault: to(address()); break;
            case Call::copy_in: to(address())(coin())(choices_.bits())(choices_.bits()); break;
            case Call::copy_out: to(address())(bytes())(coin()); break;
            case Call::copy_rows: fields(to, row_copy()); break;
            case Call::fill: to(address())(static_cast<std::uint32_t>(choices_.bits()))(1 << choices_.below(3))(bytes()); break;
            case Call::create_array: fields(to, array_shape()); break;
            case Call::copy_to_array: {
                to(object());
                fields(to, box(8));
                to(choices_.bits());
                break;
            }
            case Call::copy_from_array: {
                to(object());
                fields(to, box(choices_.below(32)));
                break;
            }
            case Call::create_texture: fields(to, texture()); break;
            case Call::destroy_texture: to(choices_.one_of(handles_)); break;
            case Call::launch: fields(to, launch_of(choices_, info_, object(), choices_.one_of(addresses_))); break;
            case Call::occupancy: to(object())(small() << 5)(bytes()); break;
            case Call::note: fields(to, Message(MessageCode::empty_grid, {{"kernel", name()}, {"grid", Extent{0, 1, 1}}})); break;
            case Call::trial_integer:
            case Call::trial_buffer: to(name()); break;
            case Call::trial_finish: to(choices_.one_in(2) ? name() : std::string()); break;
            default: break;
        }
        return to;
    }

    /// Notes the objects that an answer names.
    void learn(Call call, Reader answer) {
        switch (call) {
            case Call::load_module:
            case Call::create_array:
            case Call::find_function: objects_.push_back(answer.number<int>()); break;
            case Call::function: info_ = read<FunctionInfo>(answer); break;
            case Call::function_names: {
                std::vector<std::string> found;
                answer(found);
                names_.insert(names_.end(), found.begin(), found.end());
                break;
            }
            case Call::allocate: addresses_.push_back(answer.number<DeviceAddress>()); break;
            case Call::create_texture: handles_.push_back(answer.number<std::uint64_t>()); break;
            case Call::trial_buffer: {
                bool found = false;
                answer(found);
                if (found) addresses_.push_back(answer.number<DeviceAddress>());
                break;
            }
            default: break;
        }
    }

    /// False if the connection has ended.
    bool send(Call call, const Writer& arguments) {
        std::vector<std::uint8_t> packet = arguments.data(), answer;
        if (choices_.one_in(20)) choices_.damage(packet);
        std::uint32_t status = 0;
        if (!channel_.send(static_cast<std::uint32_t>(call), packet) || !channel_.receive(status, answer)) return false;
        if (status == static_cast<std::uint32_t>(Status::done)) learn(call, Reader(answer));
        return true;
    }
    bool send_any(Call call) { return send(call, arguments_of(call)); }

    Choices& choices_;
    const std::vector<std::string>& texts_;
    Channel channel_;
    std::vector<std::string> names_{"kernel", "width", "given", "wanted", "\xF0\x28\"\\\n"};
    std::vector<int> objects_{0, 1};
    std::vector<DeviceAddress> addresses_{0};
    std::vector<std::uint64_t> handles_{0};
    FunctionInfo info_;
};

}  // namespace

void make_case(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "case.txt") << "integer width 4\ninput given\noutput wanted\n";
    std::ofstream(folder / "given.bin") << std::string(4096, '?');
    std::ofstream(folder / "wanted.bin") << std::string(4096, '.');
}

int converse(Choices& choices, const std::vector<std::string>& texts, const std::filesystem::path& a_case) {
    EngineDevice device(0);
    device.set_printer([](std::string_view) {});
    device.remove_heap();
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) throw std::runtime_error("a socket cannot be made");
    int answered = 0;
    {
        TrialCase trial(a_case, device);
        CallLog log;
        auto served = std::async(std::launch::async, [&] {
            Server server(device, ends[0]);
            const CaseEnding end = server.run(trial, log, true);
            if (end.how == CaseEnding::How::finished) trial.write_outputs(a_case);
            return end;
        });
        answered = Program(choices, texts, ends[1]).talk();
        served.get();
        // The grader reads JSON after any packets.
        for (const std::string& text :
             {log.to_json(trial.overwritten_inputs(), trial.data_use().to_json()).dump(), report::report_text(EXIT_SUCCESS)})
            if (!nlohmann::json::accept(text)) throw std::runtime_error("no JSON: " + text);
    }
    device.reset();
    return answered;
}

}  // namespace fuzz
