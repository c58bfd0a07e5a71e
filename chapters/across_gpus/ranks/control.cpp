// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "control.hpp"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "frames.hpp"
#include "hub.hpp"

namespace across_gpus {
namespace {

// Of the ranks of one process, the first to learn of a failure says so.
std::mutex last_word;

std::string seconds_text(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%g seconds", seconds);
    return text;
}

}  // namespace

Control::Control(const Launch& launch, const std::string& arguments) : launch_(launch)
{
    if (launch_.rank == 0) {
        try {
            hub_ = std::make_unique<Hub>(launch_);
        } catch (const std::exception& error) {
            end(std::string("rank 0: ") + error.what());
        }
    }
    connect_to_hub();
    send_greeting(arguments);
    watcher_ = std::thread([this] { watch(); });
    // The hub answers once all ranks are there.
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return answered_; });
    answered_ = false;
}

Control::~Control()
{
    {
        std::lock_guard lock(mutex_);
        finished_ = true;
    }
    {
        std::lock_guard lock(send_mutex_);
        send_frame(socket_, DONE, "");
    }
    watcher_.join();
    ::close(socket_);
}

void Control::connect_to_hub()
{
    double limit = now() + PATIENCE;
    MeetingPlace place = hub_ ? hub_->place() : launch_.place;
    while ((socket_ = connect_to(place)) < 0) {
        if (now() > limit)
            end("rank 0 did not come within " + seconds_text(PATIENCE) + " to " +
                (place.file.empty() ? place.host + ":" + std::to_string(place.port) : place.file));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void Control::send_greeting(const std::string& arguments)
{
    send_frame(socket_, GREETING, packed({std::to_string(rank()), std::to_string(ranks()), arguments}));
}

std::vector<std::string> Control::gather(const std::string& mine)
{
    {
        std::lock_guard lock(send_mutex_);
        send_frame(socket_, GATHER, mine);
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return answered_; });
    answered_ = false;
    return std::move(answer_);
}

void Control::fail(const std::string& reason)
{
    {
        std::lock_guard lock(send_mutex_);
        send_frame(socket_, FAILURE, reason);
    }
    // The hub tells everyone, this rank too. Should it be gone, the rank speaks for itself.
    std::this_thread::sleep_for(std::chrono::seconds(2));
    end("rank " + std::to_string(rank()) + ": " + reason);
}

void Control::allow(double seconds, const std::string& what)
{
    std::lock_guard lock(mutex_);
    deadline_ = seconds > 0 ? now() + seconds : 0;
    allowed_ = what + " did not end within " + seconds_text(seconds);
}

// Runs beside the rank's own work, which may be stuck.
void Control::watch()
{
    double next_sign_of_life = 0, heard = now();
    for (;;) {
        bool late = false;
        {
            std::lock_guard lock(mutex_);
            late = deadline_ > 0 && now() > deadline_;
            if (late)
                deadline_ = 0;
        }
        if (late || now() > next_sign_of_life) {
            std::lock_guard lock(send_mutex_);
            send_frame(socket_, late ? FAILURE : ALIVE, late ? allowed_ : "");
            next_sign_of_life = now() + 1;
        }
        pollfd entry{socket_, POLLIN, 0};
        if (::poll(&entry, 1, 50) <= 0) {
            if (now() - heard > SILENCE)
                give_up_rank_0();
            continue;
        }
        auto frame = receive_frame(socket_);
        heard = now();
        if (!frame && finished())
            return;
        if (!frame)
            end("rank 0 died: its process has ended");
        take(frame->kind, frame->payload);
    }
}

// Rank 0 has stopped, or its host is gone. If it goes on after all, it learns why it is alone.
void Control::give_up_rank_0()
{
    const std::string line = "rank 0 has not been heard from for " + seconds_text(SILENCE);
    {
        std::lock_guard lock(send_mutex_);
        send_frame(socket_, FAILURE, line);
    }
    end(line);
}

bool Control::finished()
{
    std::lock_guard lock(mutex_);
    return finished_;
}

void Control::take(std::uint32_t kind, const std::string& payload)
{
    if (kind == FAILURE)
        end(payload);
    if (kind == ALIVE)
        return;
    std::lock_guard lock(mutex_);
    answer_ = unpacked(payload);
    answered_ = true;
    changed_.notify_all();
}

void Control::end(const std::string& line)
{
    // Whoever comes second waits here until the process is gone.
    last_word.lock();
    std::fprintf(stderr, "across_gpus: rank %d ends: %s\n", rank(), line.c_str());
    std::fflush(stderr);
    if (hub_)
        hub_->wait_for_end();
    ::_exit(1);
}

}  // namespace across_gpus
