#include "recording_device.hpp"

#include <cstdlib>
#include <memory>

namespace simt {

test::RecordingDevice& test::recording_device(int ordinal) {
    static auto& devices = *new std::map<int, std::unique_ptr<RecordingDevice>>;
    auto& device = devices[ordinal];
    if (!device) device = std::make_unique<RecordingDevice>(ordinal);
    return *device;
}

Device& device(int ordinal) { return test::recording_device(ordinal); }

int device_count() {
    const char* count = std::getenv("SIMT_DEVICES");
    return count ? std::atoi(count) : 1;
}

}  // namespace simt
