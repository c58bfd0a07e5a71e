// Declarations that the programs that time libraries share.
#pragma once

#include <conflict_free/size.hpp>

/// A chapter of library calls, which are peers of kernels in chapters of the kind `Base`. All sizes are timed here: those chapters
/// decide which are worth it.
template <class Base> class Peers : public Base {
public:
    using Base::Base;
    bool is_worth_timing(conflict_free::Size) const override { return true; }
};
