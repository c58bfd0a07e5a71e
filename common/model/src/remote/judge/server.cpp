#include "remote/judge/server.hpp"

#include <algorithm>

#include "remote/fields.hpp"

namespace simt::remote {

namespace {

constexpr std::size_t most_modules = 4096, most_line_bytes = 2000;

/// The text of a program as one line.
std::string line_of(std::string text) {
    text.resize(std::min(text.size(), most_line_bytes));
    std::ranges::replace_if(text, [](char character) { return static_cast<unsigned char>(character) < ' '; }, ' ');
    return text;
}

}  // namespace

CaseEnding Server::run(TrialCase& trial, CallLog& log, bool is_last) {
    trial_ = &trial;
    log_ = &log;
    is_last_ = is_last;
    finished_ = false;
    try {
        std::uint32_t kind = 0;
        std::vector<std::uint8_t> packet;
        while (!finished_ && channel_.receive(kind, packet))
            if (!answer(kind, packet)) break;
    } catch (const ProtocolError& error) {
        return {CaseEnding::How::broken, "", Message(MessageCode::broken_protocol, {{"problem", std::vector{error.message()}}})};
    } catch (const NotAllowed& error) {
        return {CaseEnding::How::broken, "", error.message()};
    } catch (const std::exception& error) {
        // An exception while a packet is answered ends this trial alone.
        return {CaseEnding::How::broken, "", Message(MessageCode::exception, {{"problem", error.what()}})};
    }
    if (!finished_) return {CaseEnding::How::ended, "", {}};
    return {failure_.empty() ? CaseEnding::How::finished : CaseEnding::How::failed, failure_, {}};
}

bool Server::answer(std::uint32_t kind, const std::vector<std::uint8_t>& packet) {
    if (kind >= static_cast<std::uint32_t>(Call::count_of_calls)) throw ProtocolError({MessageCode::unknown_call, {{"call", kind}}});
    Writer reply;
    try {
        Reader request(packet);
        handle(static_cast<Call>(kind), request, reply);
    } catch (const DeviceError& error) {
        Writer failure;
        failure(std::int32_t{error.code()});
        fields(failure, error.message());
        return channel_.send(static_cast<std::uint32_t>(Status::failed), failure.data());
    }
    return channel_.send(static_cast<std::uint32_t>(Status::done), reply.data());
}

void Server::handle(Call call, Reader& request, Writer& reply) {
    if (greeted_ == (call == Call::hello)) throw ProtocolError(MessageCode::hello_out_of_place);
    switch (call) {
#define SIMT_CALL(name) \
    case Call::name: return name(request, reply);
        SIMT_REMOTE_CALLS(SIMT_CALL)
#undef SIMT_CALL
        case Call::count_of_calls: break;
    }
}

void Server::hello(Reader& request, Writer& reply) {
    const auto [magic, version] = take<std::uint32_t, std::uint32_t>(request);
    if (magic != protocol_magic || version != protocol_version)
        throw ProtocolError({MessageCode::other_protocol, {{"version", version}, {"accepted", protocol_version}}});
    greeted_ = true;
    reply(device_.machine().name);
}

// --- modules --------------------------------------------------------------------------------------

void Server::load_module(Reader& request, Writer& reply) {
    const auto texts = take<std::vector<std::string>>(request);
    if (module_.objects.size() >= most_modules) throw NotAllowed({MessageCode::too_many_modules, {{"most", most_modules}}});
    const int module = device_.load_module(texts);
    module_.objects.insert(module);
    reply(module);
}

void Server::unload_module(Reader& request, Writer&) {
    const int module = module_(take<int>(request));
    device_.unload_module(module);
    module_.objects.erase(module);
    std::erase_if(function_.objects, [module](const auto& each) { return each.second == module; });
}

void Server::find_function(Reader& request, Writer& reply) {
    const auto [module, name] = take<int, std::string>(request);
    const int function = device_.find_function(module_(module), name);
    if (function >= 0) function_.objects[function] = module;
    reply(function);
}

void Server::function(Reader& request, Writer& reply) { fields(reply, device_.function(function_(take<int>(request)))); }

void Server::find_variable(Reader& request, Writer& reply) {
    const auto [module, name] = take<int, std::string>(request);
    VariableInfo info;
    const bool found = device_.find_variable(module_(module), name, info);
    if (found && info.managed) {
        log_->refused("managed memory");
        throw DeviceError(not_supported, {MessageCode::no_managed_variable, {{"variable", name}}});
    }
    reply(found);
    fields(reply, info);
}

void Server::function_names(Reader& request, Writer& reply) { reply(device_.function_names(module_(take<int>(request)))); }

// --- kernels --------------------------------------------------------------------------------------

void Server::launch(Reader& request, Writer& reply) {
    const auto launch = take<LaunchRequest>(request);
    if (const std::size_t expected = device_.function(function_(launch.function)).parameter_bytes; launch.parameters.size() != expected)
        throw DeviceError(invalid_value,
                          {MessageCode::other_parameter_bytes, {{"bytes", launch.parameters.size()}, {"expected", expected}}});
    log_->launched(launch.parameters.size());
    const int error = timed_out_ ? timed_out : device_.launch(launch);
    timed_out_ = error == timed_out;
    reply(error);
}

void Server::occupancy(Reader& request, Writer& reply) {
    const auto [function, threads, bytes] = take<int, int, std::size_t>(request);
    if (threads < 1) throw DeviceError(invalid_value, {MessageCode::no_threads, {{"threads", threads}}});
    reply(device_.occupancy(function_(function), threads, bytes));
}

void Server::set_limit(Reader& request, Writer&) {
    const bool is_heap = static_cast<DeviceLimit>(std::get<0>(take<std::uint8_t, std::size_t>(request))) == DeviceLimit::heap;
    log_->refused(is_heap ? "a heap for malloc in kernels" : "a part of the L2 that is set aside");
    throw DeviceError(not_supported, is_heap ? MessageCode::no_heap : MessageCode::no_kept_l2);
}

void Server::reset(Reader& request, Writer&) {
    request.end();
    log_->refused("cudaDeviceReset");
    throw DeviceError(not_supported, MessageCode::no_reset);
}

// --- the trial ------------------------------------------------------------------------------------

void Server::trial_integer(Reader& request, Writer& reply) {
    const std::optional<int> value = trial_->integer(take<std::string>(request));
    reply(value.has_value())(value.value_or(0));
}

void Server::trial_buffer(Reader& request, Writer& reply) {
    const std::optional<TrialCase::Placed> placed = trial_->place(take<std::string>(request));
    reply(placed.has_value())(placed ? placed->address : 0)(placed ? placed->bytes : 0);
}

void Server::trial_finish(Reader& request, Writer& reply) {
    failure_ = line_of(take<std::string>(request));
    finished_ = true;
    // On a GPU an error stays with the program, so a program that has failed would fail in all later cases.
    reply(failure_.empty() && !is_last_);
}

void Server::note(Reader& request, Writer&) {
    auto message = take<Message>(request);
    for (MessageField& field : message.fields)
        if (std::string* const text = std::get_if<std::string>(&field.value)) *text = line_of(std::move(*text));
    log_->noted(std::move(message));
}

void Server::host_fault(Reader& request, Writer&) {
    if (device_.range_of(take<DeviceAddress>(request)).bytes > 0) throw NotAllowed(MessageCode::host_fault);
}

}  // namespace simt::remote
