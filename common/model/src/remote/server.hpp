// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// One connection, request by request.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "remote/channel.hpp"
#include "remote/serve.hpp"
#include "remote/wire.hpp"

namespace simt::remote {

/// A request that ends the connection, and not by mistake of the protocol: one line on what the program did.
class NotAllowed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Serves one program. A handler reads a request to its end before it does anything, and writes the answer.
class Server {
public:
    Server(Device& device, int descriptor, TrialCase* trial, CallLog& log)
        : device_(device), channel_(descriptor), trial_(trial), log_(log)
    {
    }

    /// See serve().
    Served run();

private:
    using Handler = void (Server::*)(Reader&, Writer&);
    static Handler handler_of(Call call);

    /// False if the program is gone.
    bool answer(std::uint32_t kind, const std::vector<std::uint8_t>& message);
    void handle(Call call, Reader& request, Writer& reply);

    void hello(Reader& request, Writer& reply);
    void load_module(Reader& request, Writer& reply);
    void unload_module(Reader& request, Writer& reply);
    void find_function(Reader& request, Writer& reply);
    void function(Reader& request, Writer& reply);
    void find_variable(Reader& request, Writer& reply);
    void function_names(Reader& request, Writer& reply);
    void allocate(Reader& request, Writer& reply);
    void release(Reader& request, Writer& reply);
    void host_memory(Reader& request, Writer& reply);
    void range_of(Reader& request, Writer& reply);
    void memory_info(Reader& request, Writer& reply);
    void copy_in(Reader& request, Writer& reply);
    void copy_out(Reader& request, Writer& reply);
    void copy_within(Reader& request, Writer& reply);
    void fill(Reader& request, Writer& reply);
    void create_array(Reader& request, Writer& reply);
    void destroy_array(Reader& request, Writer& reply);
    void copy_to_array(Reader& request, Writer& reply);
    void copy_from_array(Reader& request, Writer& reply);
    void create_texture(Reader& request, Writer& reply);
    void destroy_texture(Reader& request, Writer& reply);
    void launch(Reader& request, Writer& reply);
    void occupancy(Reader& request, Writer& reply);
    void set_heap_bytes(Reader& request, Writer& reply);
    void reset(Reader& request, Writer& reply);
    void host_fault(Reader& request, Writer& reply);
    void note(Reader& request, Writer& reply);
    void trial_integer(Reader& request, Writer& reply);
    void trial_buffer(Reader& request, Writer& reply);
    void trial_finish(Reader& request, Writer& reply);

    TrialCase& trial() const;
    int module_in(Reader& request) const;
    int function_in(Reader& request) const;
    int array_in(Reader& request) const;

    Device& device_;
    Channel channel_;
    TrialCase* trial_;
    CallLog& log_;
    /// What there is, by its number: no other number reaches the device.
    std::set<int> modules_;
    std::map<int, int> module_of_function_;
    std::map<int, ArrayShape> arrays_;
    std::set<std::uint64_t> textures_;
    bool greeted_ = false, finished_ = false;
    std::string failure_;
};

}  // namespace simt::remote
