#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "conflict_free/device_buffer.hpp"
#include "conflict_free/error.hpp"
#include "conflict_free/timing.hpp"
#include "power.hpp"
#include "timing_kernels.hpp"

namespace conflict_free {

namespace {

constexpr std::size_t l2_multiple = 4;
constexpr int warm_up_launches = 3;
constexpr double least_sample_ms = 1.0;
constexpr double most_total_ms = 2000.0;
constexpr int most_launches = 1000;
constexpr int least_samples = 10;
constexpr double clock_watch_ms = 5.0;
constexpr double queued_ms = 0.2;
constexpr double power_settles_ms = 400.0;
constexpr double power_watch_ms = 200.0;
constexpr double ms_between_readings = 10.0;
constexpr double queued_for_power_ms = 20.0;

cudaDeviceProp device_properties() {
    int device = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    return properties;
}

/// A stream that does not wait for the default stream, and destroys itself.
class OwnStream {
public:
    OwnStream() { CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~OwnStream() { cudaStreamDestroy(stream_); }
    OwnStream(const OwnStream&) = delete;
    OwnStream& operator=(const OwnStream&) = delete;

    cudaStream_t get() const { return stream_; }
    bool is_busy() const { return cudaStreamQuery(stream_) == cudaErrorNotReady; }

private:
    cudaStream_t stream_{};
};

/// Displaces the content of the L2 by reading a buffer several times its size.
class L2Flush {
public:
    L2Flush() : buffer_(l2_multiple * static_cast<std::size_t>(device_properties().l2CacheSize) / sizeof(uint4)), sink_(1) {
        CUDA_CHECK(cudaMemset(buffer_.data(), 1, buffer_.bytes()));
    }

    void operator()() {
        read_all(buffer_.data(), buffer_.count(), sink_.data());
        CUDA_CHECK(cudaGetLastError());
    }

private:
    DeviceBuffer<uint4> buffer_;
    DeviceBuffer<unsigned> sink_;
};

/// A CUDA event that destroys itself.
class Event {
public:
    Event() { CUDA_CHECK(cudaEventCreate(&event_)); }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void record(cudaStream_t stream = nullptr) { CUDA_CHECK(cudaEventRecord(event_, stream)); }
    /// True until the GPU gets to this event.
    bool is_ahead() const {
        if (cudaEventQuery(event_) != cudaErrorNotReady) return false;
        // CUDA notes that as an error, which the next launch would report.
        cudaGetLastError();
        return true;
    }
    /// Milliseconds from `begin` to this event, once both have happened.
    float since(const Event& begin) const {
        CUDA_CHECK(cudaEventSynchronize(event_));
        float ms = 0;
        CUDA_CHECK(cudaEventElapsedTime(&ms, begin.event_, event_));
        return ms;
    }

private:
    cudaEvent_t event_{};
};

/// The quantile `q` of the sorted samples, interpolated between neighbors.
double quantile(const std::vector<double>& sorted, double q) {
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

/// The number of samples of `sample_ms` each that take about most_total_ms; at most `samples`.
int affordable(int samples, double sample_ms) {
    return std::clamp(static_cast<int>(most_total_ms / sample_ms), std::min(samples, least_samples), samples);
}

/// Milliseconds since `begin` by the host's clock.
double ms_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// Milliseconds that `compute` takes by the host's clock.
double host_sample(const std::function<void()>& compute) {
    const auto begin = std::chrono::steady_clock::now();
    compute();
    return ms_since(begin);
}

/// One sample: milliseconds a launch.
double sample(const std::function<void(int)>& launch, int launches, bool one_set) {
    Event begin, end;
    begin.record();
    for (int i = 0; i < launches; ++i) launch(one_set ? 0 : i);
    end.record();
    return end.since(begin) / launches;
}

}  // namespace

std::vector<double> sample_in_stream(cudaStream_t stream, int samples, const std::function<void()>& before,
                                     const std::function<void()>& run) {
    std::vector<Event> begins(static_cast<std::size_t>(samples)), ends(begins.size());
    for (std::size_t i = 0; i < begins.size(); ++i) {
        before();
        begins[i].record(stream);
        run();
        ends[i].record(stream);
    }
    std::vector<double> milliseconds;
    for (std::size_t i = 0; i < begins.size(); ++i) milliseconds.push_back(ends[i].since(begins[i]));
    return milliseconds;
}

Spread spread_of(std::vector<double> samples, int launches_per_sample) {
    std::sort(samples.begin(), samples.end());
    return {quantile(samples, 0.5), quantile(samples, 0.1), quantile(samples, 0.9), static_cast<int>(samples.size()), launches_per_sample};
}

Times measure_times(const std::function<void(int)>& launch, int sets, int samples, int repetitions) {
    L2Flush flush;
    // Writes every set once, even if the samples use fewer: all outputs are verified.
    for (int i = 0; i < std::max(warm_up_launches, sets); ++i) launch(i % sets);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaGetLastError());

    const double estimate_ms = sample(launch, 1, true);
    const int launches = std::clamp(static_cast<int>(std::ceil(least_sample_ms / estimate_ms)), 1, most_launches);
    const int cold_launches = std::min(launches, sets);
    // A long kernel needs fewer samples, because its times spread less.
    samples = affordable(samples, estimate_ms * launches);

    std::vector<double> cold, warm;
    for (int i = 0; i < samples; ++i) {
        flush();
        cold.push_back(sample(launch, cold_launches, false) / repetitions);
    }
    for (int i = 0; i < samples; ++i) warm.push_back(sample(launch, launches, true) / repetitions);
    CUDA_CHECK(cudaGetLastError());
    return {spread_of(cold, cold_launches), spread_of(warm, launches)};
}

double measure_sm_mhz(const std::function<void()>& launch, double launch_ms) {
    DeviceBuffer<ClockWatch> seen(1);
    OwnStream stream;
    watch_clock(static_cast<unsigned long long>(clock_watch_ms * 1e6), seen.data(), stream.get());
    CUDA_CHECK(cudaGetLastError());
    const int launches = std::clamp(static_cast<int>(queued_ms / launch_ms), 1, 100);
    // Few launches at a time: a long queue would run on after the watch has ended.
    do {
        for (int i = 0; i < launches; ++i) launch();
        CUDA_CHECK(cudaStreamSynchronize(cudaStreamLegacy));
    } while (stream.is_busy());
    cudaGetLastError();
    ClockWatch watch{};
    CUDA_CHECK(cudaStreamSynchronize(stream.get()));
    seen.copy_to({&watch, 1});
    return static_cast<double>(watch.cycles) / static_cast<double>(watch.nanoseconds) * 1e3;
}

std::optional<double> measure_watts(const std::function<void()>& launch, double launch_ms) {
    if (!read_watts()) return {};
    // While the GPU is at one group of launches, the next one waits in its queue, which has room for about a thousand.
    const int launches = std::clamp(static_cast<int>(queued_for_power_ms / launch_ms), 1, 400);
    std::array<Event, 2> ends;
    const auto enqueue = [&](Event& end) {
        for (int i = 0; i < launches; ++i) launch();
        end.record();
    };
    std::vector<double> readings;
    const auto begin = std::chrono::steady_clock::now();
    const auto is_over = [&] { return ms_since(begin) >= power_settles_ms + power_watch_ms; };
    double due = power_settles_ms;
    enqueue(ends[0]);
    for (std::size_t i = 1; !is_over(); ++i) {
        enqueue(ends[i % 2]);
        do {
            if (ms_since(begin) >= due) {
                if (const std::optional<double> watts = read_watts()) readings.push_back(*watts);
                due = ms_since(begin) + ms_between_readings;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } while (ends[(i - 1) % 2].is_ahead() && !is_over());
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    if (readings.empty()) return {};
    std::sort(readings.begin(), readings.end());
    return quantile(readings, 0.5);
}

Spread measure_host_time(const std::function<void()>& compute, int samples) {
    const double estimate_ms = host_sample(compute);
    samples = affordable(samples, estimate_ms);
    std::vector<double> times;
    for (int i = 0; i < samples; ++i) times.push_back(host_sample(compute));
    return spread_of(times, 1);
}

int sets_for_cold_samples(std::size_t bytes_of_set) {
    const std::size_t wanted = l2_multiple * static_cast<std::size_t>(device_properties().l2CacheSize);
    return static_cast<int>(std::clamp<std::size_t>((wanted + bytes_of_set - 1) / bytes_of_set, 1, 64));
}

}  // namespace conflict_free
