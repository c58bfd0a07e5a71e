// The end of the connection that owns the device. It serves one connection, request by request.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "remote/channel.hpp"
#include "remote/judge/call_log.hpp"
#include "remote/judge/trial_case.hpp"
#include "remote/wire.hpp"

namespace simt::remote {

/// Errors of the runtime.
inline constexpr int invalid_value = 1, invalid_handle = 400, timed_out = 702, not_supported = 801;

/// How a program ended a case.
struct CaseEnding {
    enum class How {
        /// The program said that it has finished.
        finished,
        /// The program said that it has finished, and what failed.
        failed,
        /// The program ended without a word.
        ended,
        /// The program sent a packet that the runtime library never sends, or did something forbidden.
        broken,
    } how = How::ended;
    /// One line by a program that has failed.
    std::string failure;
    /// The reason for `broken`.
    std::optional<Message> message;
};

/// Thrown where a valid request ends the connection, with the reason.
class NotAllowed : public MessageError {
public:
    using MessageError::MessageError;
};

/// Serves one program, for one case after another. The program is not trusted: its packets can only make the device do what it does
/// for any program. A handler reads a request to its end before it acts, and writes the answer.
///
/// Buffers of the case can be written and read as on any device, but not released. Managed, mapped and registered host memory is
/// refused, as is the reset of the device. Modules and allocations of the program stay from case to case.
class Server {
public:
    /// @param descriptor of a connected stream socket, which the destructor closes
    Server(Device& device, int descriptor) : device_(device), channel_(descriptor) {}

    /// Answers requests until the program finishes a case or ends.
    /// @param is_last the program is told that no other case follows
    CaseEnding run(TrialCase& trial, CallLog& log, bool is_last);

private:
    /// False if the program has ended.
    bool answer(std::uint32_t kind, const std::vector<std::uint8_t>& packet);
    void handle(Call call, Reader& request, Writer& reply);

    // A function for each call.
#define SIMT_CALL(name) void name(Reader& request, Writer& reply);
    SIMT_REMOTE_CALLS(SIMT_CALL)
#undef SIMT_CALL

    /// The objects of one kind by their numbers, and what their kind is called. A number that is not here never reaches the device.
    template <class Objects> struct Known {
        /// `number`, if the program has an object of it.
        int operator()(int number) const {
            if (!objects.contains(number)) throw DeviceError(error, {MessageCode::foreign_object, {{"object", kind}, {"number", number}}});
            return number;
        }

        const char* kind;
        int error;
        Objects objects{};
    };

    Device& device_;
    Channel channel_;
    /// The log of the case that is served.
    TrialCase* trial_ = nullptr;
    CallLog* log_ = nullptr;
    bool is_last_ = true;
    Known<std::set<int>> module_{"module", invalid_handle};
    /// Their modules.
    Known<std::map<int, int>> function_{"function", invalid_handle};
    Known<std::map<int, ArrayShape>> array_{"array", invalid_value};
    std::set<std::uint64_t> textures_;
    bool greeted_ = false, finished_ = false;
    /// Whether a kernel did not end in its time. As on a GPU, none runs after it.
    bool timed_out_ = false;
    std::string failure_;
};

}  // namespace simt::remote
