// Functions of the driver that do what one function of the runtime does, as rows: SIMT_FORWARD(2, cuStreamGetFlags, cudaStreamGetFlags)
// defines cuStreamGetFlags with the two parameters that cuda.h declares.
#pragma once

#include <bit>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include "calls/driver/driver.hpp"

namespace simt::calls {

/// The type of a function's parameter.
template <std::size_t number, class Result, class... Parameters>
std::tuple_element_t<number, std::tuple<Parameters...>> parameter_of(Result (*)(Parameters...));

/// The runtime's form of an argument of the driver: numbers and enumerations have the same values, handles and structures the same layout.
template <class To, class From> To as(From from) {
    if constexpr (std::is_convertible_v<From, To>) return from;
    else if constexpr (std::is_pointer_v<To>) return reinterpret_cast<To>(from);
    else if constexpr (std::is_enum_v<To>) return static_cast<To>(from);
    else return std::bit_cast<To>(from);
}

template <class... To, class... From> CUresult forward(cudaError_t (*function)(To...), From... arguments) {
    return driver_call([&] { return function(as<To>(arguments)...); });
}

}  // namespace simt::calls

#define SIMT_PARAMETER(function, number) decltype(simt::calls::parameter_of<number>(&function)) argument_##number
#define SIMT_PARAMETERS_1(function) SIMT_PARAMETER(function, 0)
#define SIMT_PARAMETERS_2(function) SIMT_PARAMETERS_1(function), SIMT_PARAMETER(function, 1)
#define SIMT_PARAMETERS_3(function) SIMT_PARAMETERS_2(function), SIMT_PARAMETER(function, 2)
#define SIMT_PARAMETERS_4(function) SIMT_PARAMETERS_3(function), SIMT_PARAMETER(function, 3)
#define SIMT_PARAMETERS_5(function) SIMT_PARAMETERS_4(function), SIMT_PARAMETER(function, 4)
#define SIMT_ARGUMENTS_1 argument_0
#define SIMT_ARGUMENTS_2 SIMT_ARGUMENTS_1, argument_1
#define SIMT_ARGUMENTS_3 SIMT_ARGUMENTS_2, argument_2
#define SIMT_ARGUMENTS_4 SIMT_ARGUMENTS_3, argument_3
#define SIMT_ARGUMENTS_5 SIMT_ARGUMENTS_4, argument_4

/// Defines a function of the driver with `arity` parameters that calls one of the runtime.
#define SIMT_FORWARD(arity, driver_function, runtime_function)                      \
    extern "C" CUresult driver_function(SIMT_PARAMETERS_##arity(driver_function)) { \
        return simt::calls::forward(&runtime_function, SIMT_ARGUMENTS_##arity);     \
    }
