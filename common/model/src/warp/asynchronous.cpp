// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "warp/decoder.hpp"

namespace simt::warp {

bool decode_asynchronous(Decoder&, const ptx::Instruction&, Instruction&) { return false; }

}  // namespace simt::warp
