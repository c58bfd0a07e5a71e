// A vector whose elements have numbers of type int, since -1 stands for none of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

namespace simt::ptx {

template <class T> struct Numbered : std::vector<T> {
    using std::vector<T>::vector;
    using std::vector<T>::operator[];
    decltype(auto) operator[](std::signed_integral auto n) { return (*this)[static_cast<std::size_t>(n)]; }
    decltype(auto) operator[](std::signed_integral auto n) const { return (*this)[static_cast<std::size_t>(n)]; }

    int count() const { return static_cast<int>(this->size()); }
};

}  // namespace simt::ptx
