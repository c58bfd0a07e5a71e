#include "simt/interface.h"

#include <string>

#include "device/links.hpp"
#include "report/report.hpp"
#include "report/session.hpp"

namespace {

constexpr int version = 1;

}  // namespace

extern "C" {

int simt_interface_version() { return version; }

const char* simt_machine() { return simt::current_machine().name.c_str(); }

const char* simt_machine_names() {
    static const std::string& names = *new std::string(simt::machine_names());
    return names.c_str();
}

int simt_set_machine(const char* name) {
    const simt::Machine* machine = name ? simt::find_machine(name) : nullptr;
    if (!machine) return -1;
    simt::set_machine(*machine);
    return 0;
}

unsigned long long simt_link_bytes(int from, int to) { return simt::memory::Links::instance().bytes(from, to); }

unsigned long long simt_launches() {
    const std::scoped_lock lock(simt::report::session().mutex);
    return simt::report::session().launches.size();
}

const char* simt_look_at_report(unsigned long long first_launch) {
    thread_local std::string text;
    text = simt::report::text_of(simt::report::records_as_json(first_launch));
    return text.c_str();
}

const char* simt_take_report() {
    const std::scoped_lock lock(simt::report::session().mutex);
    const char* const text = simt_look_at_report(0);
    simt::take_launches();
    simt::take_hazards();
    simt::take_errors();
    return text;
}

}  // extern "C"
