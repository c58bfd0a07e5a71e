#include "engine/engine.hpp"
#include "remote/remote_device.hpp"

namespace simt {

Device& device(int ordinal) {
    if (remote::RemoteDevice* const elsewhere = remote::remote_device()) return *elsewhere;
    return engine_device(ordinal);
}

int device_count() { return remote::remote_device() ? 1 : engine_device_count(); }

}  // namespace simt
