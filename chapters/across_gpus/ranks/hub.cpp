// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "hub.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "control.hpp"

namespace across_gpus {
namespace {

std::string name_of(int rank) { return "rank " + std::to_string(rank); }

bool readable(int socket, int milliseconds)
{
    pollfd entry{socket, POLLIN, 0};
    return ::poll(&entry, 1, milliseconds) > 0;
}

}  // namespace

Hub::Hub(const Launch& launch) : launch_(launch), place_(launch.place), ranks_(launch.ranks)
{
    listening_ = listen_at(launch.place, launch.local_ranks == launch.ranks);
    sockaddr_in address{};
    socklen_t length = sizeof(address);
    ::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &length);
    place_ = {"127.0.0.1", ntohs(address.sin_port), ""};
    thread_ = std::thread([this] { run(); });
}

Hub::~Hub() { wait_for_end(); }

void Hub::wait_for_end()
{
    while (!over_)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (thread_.joinable())
        thread_.join();
}

void Hub::run()
{
    if (meet())
        exchange();
    else
        turn_away();
    double started = now();
    // What a rank sent and nobody read would take back what it was told last.
    for (Rank& rank : ranks_)
        if (rank.socket >= 0)
            ::shutdown(rank.socket, SHUT_WR);
    // Rank 0 is of this process, and does not close its side before this ends.
    double limit = now() + 0.05;
    for (Rank& rank : ranks_) {
        if (&rank != &ranks_[0])
            limit = std::max(limit, started + 1);
        while (rank.socket >= 0 && now() < limit)
            if (readable(rank.socket, 10) && !receive_frame(rank.socket))
                break;
        if (rank.socket >= 0)
            ::close(rank.socket);
    }
    ::close(listening_);
    over_ = true;
}

std::string Hub::missing_ranks() const
{
    std::string missing;
    for (int rank = 0; rank < launch_.ranks; ++rank)
        if (ranks_[rank].socket < 0)
            missing += (missing.empty() ? "" : ", ") + std::to_string(rank);
    return missing;
}

// Lets all ranks in. False if one does not come.
bool Hub::meet()
{
    double limit = now() + PATIENCE;
    int present = 0;
    while (present < launch_.ranks) {
        if (now() > limit) {
            char seconds[16];
            std::snprintf(seconds, sizeof(seconds), "%g", PATIENCE);
            end("rank " + missing_ranks() + " of " + std::to_string(launch_.ranks) +
                " did not come within " + seconds + " seconds");
            return false;
        }
        give_sign_of_life();
        if (!readable(listening_, 50))
            continue;
        int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0)
            continue;
        if (greet(socket))
            ++present;
        else if (ended_)
            return false;
    }
    if (!launch_.place.file.empty())
        std::remove(launch_.place.file.c_str());
    // All ranks were called with the same arguments, or none goes on.
    for (int rank = 1; rank < launch_.ranks; ++rank)
        if (ranks_[rank].arguments != ranks_[0].arguments) {
            end(name_of(rank) + " was called with " + ranks_[rank].arguments + ", rank 0 with " +
                ranks_[0].arguments);
            return false;
        }
    for (Rank& rank : ranks_)
        send_frame(rank.socket, ANSWER, "");
    return true;
}

// Takes a rank in. False if this is no rank of this run.
bool Hub::greet(int socket)
{
    auto frame = readable(socket, 1000) ? receive_frame(socket) : std::nullopt;
    auto texts = frame && frame->kind == GREETING ? unpacked(frame->payload) : std::vector<std::string>();
    if (texts.size() != 3) {
        ::close(socket);
        return false;
    }
    int rank = std::atoi(texts[0].c_str()), ranks = std::atoi(texts[1].c_str());
    bool known = rank >= 0 && rank < launch_.ranks;
    if (ranks != launch_.ranks || !known || ranks_[rank].socket >= 0) {
        std::string problem = ranks != launch_.ranks ? " counts " + texts[1] + " ranks, rank 0 counts " +
                                                           std::to_string(launch_.ranks)
                                                     : " is there twice";
        if (!known || ranks_[rank].socket >= 0)
            send_frame(socket, FAILURE, name_of(rank) + problem);
        if (known && ranks_[rank].socket < 0)
            ranks_[rank].socket = socket;
        end(name_of(rank) + problem);
        return false;
    }
    ranks_[rank] = {socket, now(), false, false, texts[2], ""};
    return true;
}

void Hub::exchange()
{
    while (
        !ended_ && std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return !rank.done; })) {
        std::vector<pollfd> entries;
        for (const Rank& rank : ranks_)
            entries.push_back({rank.done ? -1 : rank.socket, POLLIN, 0});
        ::poll(entries.data(), entries.size(), 200);
        give_sign_of_life();
        for (int rank = 0; rank < launch_.ranks && !ended_; ++rank) {
            if (ranks_[rank].done)
                continue;
            if (entries[rank].revents == 0) {
                if (now() - ranks_[rank].heard > SILENCE)
                    end(name_of(rank) + " has not been heard from for 5 seconds");
                continue;
            }
            auto frame = receive_frame(ranks_[rank].socket);
            ranks_[rank].heard = now();
            if (frame)
                take(rank, *frame);
            else
                end(name_of(rank) + " died: its process has ended");
        }
    }
}

void Hub::take(int rank, const Frame& frame)
{
    if (frame.kind == FAILURE)
        end(name_of(rank) + ": " + frame.payload);
    if (frame.kind == DONE)
        ranks_[rank].done = true;
    if (frame.kind == GATHER) {
        ranks_[rank].gathered = true;
        ranks_[rank].gift = frame.payload;
        answer_if_all_gave();
    }
}

void Hub::answer_if_all_gave()
{
    std::vector<std::string> gifts;
    for (const Rank& rank : ranks_) {
        if (!rank.gathered)
            return;
        gifts.push_back(rank.gift);
    }
    for (Rank& rank : ranks_)
        rank.gathered = false;
    for (const Rank& rank : ranks_)
        send_frame(rank.socket, ANSWER, packed(gifts));
}

void Hub::give_sign_of_life()
{
    if (now() < next_sign_of_life_)
        return;
    next_sign_of_life_ = now() + 1;
    for (const Rank& rank : ranks_)
        if (rank.socket >= 0)
            send_frame(rank.socket, ALIVE, "");
}

void Hub::turn_away()
{
    double limit = now() + 1;
    while (ranks_[0].socket < 0 && now() < limit) {
        int socket = readable(listening_, 20) ? ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC) : -1;
        if (socket < 0)
            continue;
        auto frame = readable(socket, 1000) ? receive_frame(socket) : std::nullopt;
        auto texts =
            frame && frame->kind == GREETING ? unpacked(frame->payload) : std::vector<std::string>();
        int rank = texts.empty() ? -1 : std::atoi(texts[0].c_str());
        send_frame(socket, FAILURE, last_line_);
        if (rank >= 0 && rank < launch_.ranks && ranks_[rank].socket < 0)
            ranks_[rank].socket = socket;
        else
            ::close(socket);
    }
}

void Hub::end(const std::string& line)
{
    ended_ = true;
    last_line_ = line;
    if (!launch_.place.file.empty())
        std::remove(launch_.place.file.c_str());
    for (const Rank& rank : ranks_)
        if (rank.socket >= 0)
            send_frame(rank.socket, FAILURE, line);
}

}  // namespace across_gpus
