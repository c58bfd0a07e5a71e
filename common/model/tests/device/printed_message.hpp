// How GoogleTest prints messages.
#pragma once

#include <ostream>

#include "simt/message.hpp"

namespace simt {

inline void PrintTo(const Message& message, std::ostream* out) { *out << name_of(message.code) << ": " << message.text(); }
inline void PrintTo(MessageCode code, std::ostream* out) { *out << name_of(code); }

}  // namespace simt
