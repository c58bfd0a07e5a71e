#include <exception>

#include "remote/remote_device.hpp"
#include "simt/trial.h"

namespace {

/// The device in another process, which has the cases of an assignment; null if the device is in this process.
simt::remote::RemoteDevice* judge() { return simt::remote::remote_device(); }

}  // namespace

#define SIMT_EXPORTED extern "C" __attribute__((visibility("default")))

SIMT_EXPORTED int simt_trial_has_judge(void) { return judge() != nullptr; }

SIMT_EXPORTED int simt_trial_integer(const char* name, int* value) try {
    const std::optional<int> found = judge() ? judge()->trial_integer(name) : std::nullopt;
    if (found) *value = *found;
    return found ? 0 : -1;
} catch (const std::exception&) {
    return -1;
}

SIMT_EXPORTED int simt_trial_buffer(const char* name, void** address, size_t* bytes) try {
    const auto found = judge() ? judge()->trial_buffer(name) : std::nullopt;
    if (!found) return -1;
    *address = reinterpret_cast<void*>(found->address);
    *bytes = found->bytes;
    return 0;
} catch (const std::exception&) {
    return -1;
}

SIMT_EXPORTED int simt_trial_finish(const char* failure) try {
    return judge() && judge()->trial_finish(failure ? failure : "");
} catch (const std::exception&) {
    // The program has finished before.
    return 0;
}
