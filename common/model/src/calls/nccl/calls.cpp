// The calls of NCCL between devices of one process. A call, or the end of its group, returns when all of its messages are matched:
// as everywhere in the model, work is done when its call returns.

#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "calls/nccl/abi.hpp"
#include "calls/nccl/world.hpp"
#include "report/session.hpp"

using simt::MessageCode;
using simt::nccl::Transfer;
using simt::nccl::World;

struct ncclComm {
    std::shared_ptr<World> world;
    int rank = 0, device = 0;
};

namespace {

constexpr int version = 22809;

/// The messages of a thread's group, each with its world.
struct Group {
    int depth = 0;
    std::vector<std::pair<std::shared_ptr<World>, Transfer>> messages;
};

Group& group() {
    thread_local Group instance;
    return instance;
}

/// The worlds by the number in their identifier, and all live communicators.
struct Known {
    std::mutex mutex;
    std::uint64_t identifiers = 0;
    std::map<std::uint64_t, std::shared_ptr<World>> worlds;
    std::set<ncclComm_t> communicators;
};

Known& known() {
    static Known& instance = *new Known;
    return instance;
}

bool lives(ncclComm_t communicator) {
    const std::scoped_lock lock(known().mutex);
    return known().communicators.contains(communicator);
}

ncclResult_t refuse(ncclResult_t result, simt::Message message) {
    simt::report::session().add_error(std::move(message));
    return result;
}

std::size_t bytes_of(ncclDataType_t type) {
    switch (type) {
        case ncclInt8:
        case ncclUint8:
        case ncclFloat8e4m3:
        case ncclFloat8e5m2: return 1;
        case ncclFloat16:
        case ncclBfloat16: return 2;
        case ncclInt32:
        case ncclUint32:
        case ncclFloat32: return 4;
        case ncclInt64:
        case ncclUint64:
        case ncclFloat64: return 8;
    }
    return 0;
}

/// Exchanges the messages of a group, world by world.
ncclResult_t exchange_group() {
    auto collected = std::exchange(group().messages, {});
    std::map<std::shared_ptr<World>, std::vector<Transfer>> by_world;
    for (auto& [world, message] : collected) by_world[world].push_back(message);
    bool all = true;
    for (auto& [world, messages] : by_world) all = world->exchange(messages) && all;
    return all ? ncclSuccess : ncclInvalidUsage;
}

ncclResult_t add(ncclComm_t communicator, Transfer message, std::size_t count, ncclDataType_t type, cudaStream_t stream) {
    const char* name = message.sends ? "ncclSend" : "ncclRecv";
    if (!lives(communicator)) return refuse(ncclInvalidArgument, {MessageCode::no_such_communicator, {{"call", name}}});
    const int ranks = communicator->world->ranks();
    if (message.peer < 0 || message.peer >= ranks)
        return refuse(ncclInvalidArgument, {MessageCode::no_such_rank, {{"call", name}, {"rank", message.peer}, {"last", ranks - 1}}});
    if (bytes_of(type) == 0)
        return refuse(ncclInvalidArgument, {MessageCode::unknown_type, {{"call", name}, {"type", static_cast<int>(type)}}});
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &status) != cudaSuccess || status != cudaStreamCaptureStatusNone)
        return refuse(ncclInvalidUsage, {MessageCode::captured_message, {{"call", name}}});
    message.rank = communicator->rank;
    message.bytes = count * bytes_of(type);
    group().messages.emplace_back(communicator->world, message);
    return group().depth > 0 ? ncclSuccess : exchange_group();
}

ncclResult_t begin(ncclComm_t* communicator, const std::shared_ptr<World>& world, int rank, int device, bool waits) {
    if (!world->join(waits))
        return refuse(ncclSystemError, {MessageCode::missing_ranks, {{"call", "ncclCommInitRank"}, {"ranks", world->ranks()}}});
    *communicator = new ncclComm{world, rank, device};
    const std::scoped_lock lock(known().mutex);
    known().communicators.insert(*communicator);
    return ncclSuccess;
}

ncclResult_t end(ncclComm_t communicator) {
    {
        const std::scoped_lock lock(known().mutex);
        if (known().communicators.erase(communicator) == 0) return ncclInvalidArgument;
    }
    communicator->world->leave(communicator->rank);
    delete communicator;
    return ncclSuccess;
}

template <class Find> ncclResult_t get(const ncclComm_t communicator, int* value, const Find& find) {
    if (!lives(communicator)) return ncclInvalidArgument;
    *value = find(*communicator);
    return ncclSuccess;
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* number) {
    *number = version;
    return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    const std::scoped_lock lock(known().mutex);
    *id = {};
    const std::uint64_t number = ++known().identifiers;
    std::memcpy(id->internal, &number, sizeof number);
    return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
    switch (result) {
        case ncclSuccess: return "no error";
        case ncclUnhandledCudaError: return "unhandled cuda error";
        case ncclSystemError: return "unhandled system error";
        case ncclInternalError: return "internal error";
        case ncclInvalidArgument: return "invalid argument";
        case ncclInvalidUsage: return "invalid usage";
        case ncclRemoteError: return "remote process exited or there was a network error";
        case ncclInProgress: return "NCCL operation in progress";
    }
    return "unknown result code";
}

const char* ncclGetLastError(ncclComm_t) { return ""; }

ncclResult_t ncclCommInitRank(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank) {
    if (!communicator || ranks < 1 || rank < 0 || rank >= ranks) return ncclInvalidArgument;
    std::uint64_t number = 0;
    std::memcpy(&number, id.internal, sizeof number);
    std::shared_ptr<World> world;
    {
        const std::scoped_lock lock(known().mutex);
        // An identifier of another process has a number that this library has not given.
        if (number == 0 || number > known().identifiers)
            return refuse(ncclInvalidUsage, {MessageCode::foreign_identifier, {{"call", "ncclCommInitRank"}}});
        auto& found = known().worlds[number];
        if (!found) found = std::make_shared<World>(ranks);
        world = found;
    }
    if (world->ranks() != ranks)
        return refuse(ncclInvalidArgument,
                      {MessageCode::ranks_differ, {{"call", "ncclCommInitRank"}, {"ranks", ranks}, {"others", world->ranks()}}});
    int device = 0;
    cudaGetDevice(&device);
    return begin(communicator, world, rank, device, group().depth == 0);
}

ncclResult_t ncclCommInitAll(ncclComm_t* communicators, int count, const int* devices) {
    if (!communicators || count < 1) return ncclInvalidArgument;
    const auto world = std::make_shared<World>(count);
    for (int rank = 0; rank < count; ++rank) begin(&communicators[rank], world, rank, devices ? devices[rank] : rank, false);
    return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t communicator, int* count) {
    return get(communicator, count, [](const ncclComm& found) { return found.world->ranks(); });
}

ncclResult_t ncclCommCuDevice(const ncclComm_t communicator, int* device) {
    return get(communicator, device, [](const ncclComm& found) { return found.device; });
}

ncclResult_t ncclCommUserRank(const ncclComm_t communicator, int* rank) {
    return get(communicator, rank, [](const ncclComm& found) { return found.rank; });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* error) {
    *error = ncclSuccess;
    return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t) { return ncclSuccess; }
ncclResult_t ncclCommDestroy(ncclComm_t communicator) { return end(communicator); }
ncclResult_t ncclCommAbort(ncclComm_t communicator) { return end(communicator); }

ncclResult_t ncclGroupStart() {
    ++group().depth;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
    if (group().depth == 0) return refuse(ncclInvalidUsage, MessageCode::group_not_begun);
    return --group().depth > 0 ? ncclSuccess : exchange_group();
}

ncclResult_t ncclSend(const void* buffer, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator, cudaStream_t stream) {
    Transfer message;
    message.sends = true;
    message.peer = peer;
    message.buffer = const_cast<void*>(buffer);
    message.caller = __builtin_return_address(0);
    return add(communicator, message, count, type, stream);
}

ncclResult_t ncclRecv(void* buffer, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator, cudaStream_t stream) {
    Transfer message;
    message.peer = peer;
    message.buffer = buffer;
    message.caller = __builtin_return_address(0);
    return add(communicator, message, count, type, stream);
}

}  // extern "C"
