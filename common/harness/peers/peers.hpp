// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What the programs that time libraries have in common.
#pragma once

#include <conflict_free/size.hpp>

/// A chapter of libraries' calls: `Base` is the kind of chapter whose peers they are. That chapter decides which sizes are
/// worth timing, so here all of them are.
template <class Base>
class Peers : public Base {
public:
    using Base::Base;
    bool is_worth_timing(conflict_free::Size) const override { return true; }
};
