// An NVML whose device takes 650.5 W in this moment, and took 300.25 W over the last second.

extern "C" {

/// The result of each call for the power of this moment: 0 for success.
int status_of_this_moment = 0;

int nvmlInit_v2() { return 0; }

int nvmlDeviceGetHandleByPciBusId_v2(const char*, void** device) {
    *device = &status_of_this_moment;
    return 0;
}

int nvmlDeviceGetFieldValues(void* device, int count, unsigned* value) {
    if (device != &status_of_this_moment || count != 1 || value[0] != 186) return 1;
    value[7] = static_cast<unsigned>(status_of_this_moment);
    value[8] = 650500;
    return 0;
}

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
    *milliwatts = 300250;
    return 0;
}
}
