// The chapter's program: gives each rank its part of the matrix, runs the steps on all ranks, checks and times them.

#include <algorithm>
#include <conflict_free/chapter.hpp>
#include <conflict_free/error.hpp>
#include <conflict_free/ranks.hpp>
#include <mutex>

#include "errors.hpp"
#include "rank.hpp"

namespace across_gpus {
namespace {

using conflict_free::parse_size;
using conflict_free::Ranks;
using conflict_free::Size;

constexpr int WARM_UP = 2;
// Smaller allocations can share a piece of memory, which other processes then reach as a whole.
constexpr std::size_t PIECE_OF_MEMORY = 2 << 20;

template <class Pointer>
void allocate(Pointer*& pointer, std::size_t bytes)
{
    if (!pointer)
        CHECK(cudaMalloc(&pointer, (bytes + PIECE_OF_MEMORY - 1) / PIECE_OF_MEMORY * PIECE_OF_MEMORY));
}

class ChapterOfRanks : public conflict_free::Chapter {
public:
    ChapterOfRanks(Ranks& ranks, std::vector<Step> steps);

    std::string speaker() const override { return ranks_.speaker(); }
    bool reports() const override { return ranks_.first() == 0; }
    Size size_from(std::string_view text) const override { return parse_size(text, 1 << 24, 1l << 48); }
    bool is_worth_timing(Size) const override { return true; }
    int element_bytes() const override { return sizeof(float); }
    // The bytes of the rank that sends most.
    std::size_t useful_bytes(Size size) const override { return most(size, &Rank::bytes_sent); }
    std::size_t bytes_of_set(Size size) const override { return 2 * most(size, &Rank::bytes_of_part); }

    void prepare(Size size, int sets, std::uint64_t seed) override;
    void choose(int step) override;
    void poison() override;
    void launch(int step, int set) override;
    std::string verify(int step) override;
    std::string wrong_counts(
        int step, const std::vector<simt::LaunchCounts>& launches, std::uint64_t link_bytes) override;
    std::map<std::string, double> figures(int) override { return figures_; }
    std::optional<conflict_free::Spread> time_across_gpus(int step, int samples) override;
    void release() override;

private:
    std::size_t most(Size size, std::size_t (Rank::*bytes)() const) const;
    void open();
    void each(const std::string& what, const std::function<void(Rank&)>& work)
    {
        ranks_.each(what, [&](int i) { work(here_[i]); });
    }

    Ranks& ranks_;
    std::vector<Step> steps_;
    // The ranks of this process.
    std::vector<Rank> here_;
    int pieces_ = 5;
    std::size_t bytes_ = 0;
    std::string difference_;
    std::map<std::string, double> figures_;
};

ChapterOfRanks::ChapterOfRanks(Ranks& ranks, std::vector<Step> steps)
    : Chapter("across_gpus", "How do you transpose a matrix that is split by rows over several GPUs?"),
      ranks_(ranks),
      steps_(std::move(steps))
{
    sizes({{1024, 1024}});
    for (const Step& step : steps_)
        register_kernel({.name = step.name, .is_baseline = !step.transposes});
    add_option("--devices", "GPUs of one process, or devices that the model has (all, or 1)", MOST_RANKS,
        [this](int count) { ranks_.take(count); });
    add_option("--pieces", "Pieces of in_pieces (5)", 16, [this](int count) { pieces_ = count; });
}

std::size_t ChapterOfRanks::most(Size size, std::size_t (Rank::*bytes)() const) const
{
    Rank rank;
    rank.ranks = ranks_.count();
    rank.width = size.width;
    rank.height = size.height;
    std::size_t most = 0;
    for (rank.rank = 0; rank.rank < rank.ranks; ++rank.rank)
        most = std::max(most, (rank.*bytes)());
    return most;
}

void ChapterOfRanks::open()
{
    if (ranks_.count() > MOST_RANKS)
        throw conflict_free::UsageError("got more than 64 ranks, accepted: at most 64");
    ranks_.open();
    here_.resize(ranks_.here());
    std::vector<unsigned*> flags(here_.size());
    each("taking flags", [&](Rank& rank) {
        const int i = &rank - here_.data();
        rank.rank = ranks_.first() + i;
        rank.ranks = ranks_.count();
        rank.pieces = pieces_;
        for (cudaStream_t* stream : {&rank.stream, &rank.copying, &rank.placing})
            CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
        allocate(flags[i], PIECE_OF_MEMORY);
        CHECK(cudaMemset(flags[i], 0, PIECE_OF_MEMORY));
        CHECK(cudaDeviceSynchronize());
        rank.flags.count = flags[i] + MOST_RANKS;
        rank.wrong = reinterpret_cast<unsigned long long*>(rank.flags.count + MOST_RANKS);
    });
    flags = ranks_.share(flags);
    for (Rank& rank : here_) {
        rank.flags.rank = rank.rank;
        rank.flags.ranks = rank.ranks;
        std::ranges::copy(flags, rank.flags.of);
    }
}

void ChapterOfRanks::prepare(Size size, int, std::uint64_t)
{
    if (here_.empty())
        open();
    // The others' rows are reached by their first, so all ranks' memory is of one size.
    bytes_ = most(size, &Rank::bytes_of_part);
    std::vector<float*> outputs(here_.size());
    each("taking memory", [&](Rank& rank) {
        rank.width = size.width;
        rank.height = size.height;
        allocate(rank.rows_of_input, bytes_);
        allocate(outputs[&rank - here_.data()], bytes_);
        fill_input(rank);
    });
    outputs = ranks_.share(outputs);
    for (Rank& rank : here_)
        rank.outputs = outputs;
}

// Allocates the memory that this step needs beside the input and the output.
void ChapterOfRanks::choose(int number)
{
    const Step& step = steps_[number];
    std::vector<ncclUniqueId> id(here_.size());
    if (step.communicates && !here_[0].communicator) {
        if (ranks_.first() == 0)
            CHECK(ncclGetUniqueId(&id[0]));
        id = ranks_.gather(id);
    }
    each("the set-up of step " + step.name, [&](Rank& rank) {
        if (step.stages) {
            allocate(rank.send, bytes_);
            allocate(rank.receive, bytes_);
        }
        if (step.keeps_whole)
            allocate(rank.whole, bytes_);
        if (step.communicates && !rank.communicator)
            CHECK(ncclCommInitRank(&rank.communicator, rank.ranks, id[0], rank.rank));
    });
    difference_.clear();
    figures_ = {{"ranks", ranks_.count()}, {"pieces", pieces_}};
}

// No step may pass with another step's results.
void ChapterOfRanks::poison()
{
    each("poisoning", [&](Rank& rank) {
        const std::size_t bytes = sizeof(float) * rank.columns(rank.rank) * rank.height;
        CHECK(cudaMemsetAsync(rank.output(), 0xff, bytes, rank.stream));
        CHECK(cudaStreamSynchronize(rank.stream));
    });
}

void ChapterOfRanks::launch(int step, int)
{
    each("step " + steps_[step].name, [&](Rank& rank) {
        steps_[step].enqueue(rank);
        CHECK(cudaStreamSynchronize(rank.stream));
    });
}

std::string ChapterOfRanks::verify(int step)
{
    if (!steps_[step].transposes || !difference_.empty())
        return difference_;
    std::vector<unsigned long long> wrong(here_.size());
    each("the check of step " + steps_[step].name,
        [&](Rank& rank) { wrong[&rank - here_.data()] = count_wrong(rank); });
    unsigned long long all = 0;
    for (unsigned long long of_rank : ranks_.gather(wrong))
        all += of_rank;
    return all > 0 ? std::to_string(all) + " elements are wrong" : "";
}

// Each byte goes over a link once, and through kernels as often as the step says.
std::string ChapterOfRanks::wrong_counts(
    int number, const std::vector<simt::LaunchCounts>& launches, std::uint64_t link_bytes)
{
    const Step& step = steps_[number];
    std::size_t loaded = 0, stored = 0, conflicts = 0, sent = 0;
    for (const simt::LaunchCounts& launch : launches)
        // The barrier between GPUs and NCCL do not count.
        if (launch.name.find("_blocks") != std::string::npos) {
            loaded += launch.global_load.bytes;
            stored += launch.global_store.bytes;
            conflicts += launch.shared_load.conflicts() + launch.shared_store.conflicts();
        }
    for (const Rank& rank : here_)
        sent += rank.bytes_sent();
    figures_.insert({{"link_bytes", link_bytes}, {"loaded_bytes", loaded}, {"stored_bytes", stored}});
    if (!step.transposes)
        return "";
    const Rank& rank = here_[0];
    const std::size_t moved =
        step.passes * sizeof(float) * rank.width * rank.height + step.passes_of_sent * sent;
    // The barriers' flags cross the links too: at most a word for each pair of ranks, and step.
    const std::size_t flags = 64 * sizeof(unsigned) * rank.ranks * rank.ranks;
    if (link_bytes < sent || link_bytes > sent + flags)
        return std::to_string(link_bytes) + " bytes went over links, " + std::to_string(sent) + " were to";
    for (std::size_t bytes : {loaded, stored})
        if (bytes != moved)
            return std::to_string(bytes) + " bytes went through kernels, " + std::to_string(moved) +
                   " were to";
    return conflicts > 0 ? std::to_string(conflicts) + " bank conflicts, there were to be none" : "";
}

std::optional<conflict_free::Spread> ChapterOfRanks::time_across_gpus(int step, int samples)
{
    // Data that arrives too late in the first run is in place after a second one.
    launch(step, 0);
    difference_ = verify(step);
    std::vector<double> slowest(samples, 0);
    std::mutex mutex;
    each("the timing of step " + steps_[step].name, [&](Rank& rank) {
        for (int i = 0; i < WARM_UP; ++i)
            steps_[step].enqueue(rank);
        // All ranks begin a sample together.
        const std::vector<double> times = conflict_free::sample_in_stream(
            rank.stream, samples, [&] { meet_all(rank); }, [&] { steps_[step].enqueue(rank); });
        const std::lock_guard lock(mutex);
        for (int i = 0; i < samples; ++i)
            slowest[i] = std::max(slowest[i], times[i]);
    });
    for (double& sample : slowest)
        sample = std::ranges::max(ranks_.gather(std::vector<double>(here_.size(), sample)));
    return conflict_free::spread_of(slowest, 1);
}

void ChapterOfRanks::release()
{
    ranks_.unshare({here_[0].outputs.begin(), here_[0].outputs.end()});
    each("freeing memory", [](Rank& rank) {
        for (float** memory :
            {&rank.rows_of_input, &rank.outputs[rank.rank], &rank.send, &rank.receive, &rank.whole}) {
            CHECK(cudaFree(*memory));
            *memory = nullptr;
        }
    });
}

}  // namespace

int run(int argc, char** argv, std::vector<Step> steps)
{
    Ranks ranks("across_gpus", argc, argv);
    return ranks.end(ChapterOfRanks(ranks, std::move(steps)).run(argc, argv));
}

}  // namespace across_gpus
