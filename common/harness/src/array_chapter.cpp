#include "conflict_free/array_chapter.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "conflict_free/error.hpp"

namespace conflict_free {

namespace {

// A kernel that works on each element many times takes long enough to be timed at few bytes.
constexpr int least_timed_elements = 1024;

std::vector<Size> sizes_of(std::initializer_list<int> lengths) {
    std::vector<Size> sizes;
    for (const int length : lengths) sizes.push_back({length, 1});
    return sizes;
}

}  // namespace

std::vector<float> read_numbers(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    const bool is_readable = stream && !std::filesystem::is_directory(file);
    const std::string text = is_readable ? std::string{std::istreambuf_iterator<char>(stream), {}} : "";
    if (!is_readable || stream.bad()) throw UsageError("--input: got '" + file + "', accepted: a file of text that can be read");
    constexpr const char* separators = " \t\r\n,";
    std::vector<float> numbers;
    for (std::size_t begin = 0; (begin = text.find_first_not_of(separators, begin)) != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
        float number = 0;
        const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, number);
        if (error != std::errc() || stop != text.data() + end)
            throw UsageError("--input: got '" + text.substr(begin, std::min<std::size_t>(end - begin, 40)) + "' in line " +
                             std::to_string(1 + std::ranges::count(text.substr(0, begin), '\n')) + " of '" + file +
                             "', accepted: numbers that a float can hold, separated by blanks, commas or ends of lines");
        numbers.push_back(number);
        begin = end;
    }
    return numbers;
}

ArrayChapter::~ArrayChapter() {
    for (const AnyArrays* arrays : arrays_) delete arrays;
}

ArrayChapter& ArrayChapter::lengths(std::initializer_list<int> lengths) {
    set_sizes(sizes_of(lengths));
    return *this;
}

ArrayChapter& ArrayChapter::gpu_lengths(std::initializer_list<int> lengths) {
    set_gpu_sizes(sizes_of(lengths));
    return *this;
}

ArrayChapter& ArrayChapter::traffic_lengths(std::initializer_list<int> lengths) {
    set_traffic_sizes(sizes_of(lengths));
    return *this;
}

ArrayChapter& ArrayChapter::counted_length(int length) {
    counted_size({length, 1});
    return *this;
}

ArrayChapter& ArrayChapter::work_is(std::string unit, std::function<double(double n)> amount) {
    unit_ = std::move(unit);
    amount_ = std::move(amount);
    return *this;
}

std::optional<Work> ArrayChapter::work(Size size) const {
    if (!amount_) return {};
    return Work{unit_, amount_(static_cast<double>(size.width))};
}

bool ArrayChapter::is_worth_timing(Size size) const {
    return amount_ ? size.width >= least_timed_elements : Chapter::is_worth_timing(size);
}

bool ArrayChapter::reads_input() const {
    return std::ranges::all_of(arrays_, [](const auto& arrays) { return arrays->reads_input(); });
}

Size ArrayChapter::read_input(const std::string& file) {
    std::size_t n = 0;
    for (const auto& arrays : arrays_) n = arrays->read_input(file);
    return {static_cast<int>(n), 1};
}

void ArrayChapter::prepare(Size size, int sets, std::uint64_t seed) {
    size_ = size;
    sets_ = sets;
    seed_ = seed;
    chosen_ = nullptr;
}

void ArrayChapter::choose(int kernel) {
    AnyArrays* arrays = place(kernel).first;
    if (arrays == chosen_) return;
    release();
    chosen_ = arrays;
    arrays->prepare(size_.count(), sets_, seed_);
}

void ArrayChapter::release() {
    if (chosen_) chosen_->release();
    chosen_ = nullptr;
}

std::size_t ArrayChapter::bytes_of_set(Size size) const {
    std::size_t most = 0;
    for (const auto& arrays : arrays_) most = std::max(most, arrays->bytes_of_set(size.count()));
    return most;
}

void ArrayChapter::add(RegisteredKernel kernel, AnyArrays* arrays, std::size_t number) {
    register_kernel(std::move(kernel));
    places_.emplace_back(arrays, static_cast<int>(number));
}

template class ArrayKernels<float, float>;
template class ArrayKernels<float3, int>;
template class ArrayKernels<int, int>;
template class ArrayKernels<unsigned, unsigned>;

}  // namespace conflict_free
