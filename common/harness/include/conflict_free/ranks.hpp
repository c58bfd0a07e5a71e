// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// A run on several GPUs of one host: a process for each, joined by MPI, or one process with a thread for each.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conflict_free/std_function.hpp"

namespace conflict_free {

/// The ranks of a run, one for each GPU. Those of other processes are there if `mpirun` or `srun` has started this one; one process alone
/// needs no MPI.
class Ranks {
public:
    /// Joins the processes, which must all have been given the same arguments. Messages on `stderr` begin with `program`.
    Ranks(std::string program, int argc, char** argv);
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    /// The program's name, with the rank if there are several processes.
    std::string speaker() const;
    /// One process alone takes `devices` GPUs; the counting model then has as many. @throws UsageError if `mpirun` or `srun` says how many
    void take(int devices);
    /// The number of ranks. @throws UsageError if the ranks outnumber the GPUs
    int count() const;
    /// The first rank of this process. The others of this process follow it.
    int first() const { return process_; }
    /// How many ranks this process runs.
    int here() const { return processes_ > 1 ? 1 : count(); }

    /// Gives each rank a GPU of its own, and lets it reach the memory of the others.
    void open();
    /// Does `work` as each rank of this process, in a thread with the rank's GPU, and returns when all processes have. `work` is given
    /// the rank's number less first(). If it throws, or if processes wait for each other longer than half a minute, all processes end
    /// with exit code 1, and a line names the rank, and the reason or `what`.
    void each(const std::string& what, const std::function<void(int)>& work) const;
    /// Returns the values of all ranks, in their order. All processes call it, each with the values of its own ranks.
    template <class Value> std::vector<Value> gather(const std::vector<Value>& of_here) const {
        std::vector<Value> all = of_here;
        all.resize(static_cast<std::size_t>(count()));
        if (processes_ > 1) gather(of_here.data(), all.data(), sizeof(Value));
        return all;
    }
    /// The addresses by which a rank of this process reaches an allocation of each rank, if `of_here` are the allocations of its own ranks.
    template <class Element> std::vector<Element*> share(const std::vector<Element*>& of_here) const {
        std::vector<Element*> all;
        for (void* address : share(std::vector<void*>(of_here.begin(), of_here.end()))) all.push_back(static_cast<Element*>(address));
        return all;
    }
    /// Lets go of what share() has returned. Then each rank may free its own.
    void unshare(const std::vector<void*>& shared) const;

    /// Takes leave of the other processes. @return `exit_code`
    int end(int exit_code) const;

private:
    std::vector<void*> share(const std::vector<void*>& of_here) const;
    void join(int argc, char** argv);
    void gather(const void* mine, void* all, std::size_t bytes) const;
    void allow(const std::string& what) const;
    [[noreturn]] void fail(int rank, const std::string& reason) const;

    std::string program_;
    int process_ = 0, processes_ = 1, devices_ = 0;
};

}  // namespace conflict_free
