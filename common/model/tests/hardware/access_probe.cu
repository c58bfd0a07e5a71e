// One warp, one access, many address patterns: how many wavefronts, requests and sectors does each take?
//
// An ordinary CUDA program. Each case is one launch, which a line on standard output names. A profiler gives the hardware's
// counts, and the counting model gives its own; the order of launches joins the two.

#include "feature_patterns.cuh"

template <class T> __global__ void shared_load(T* output, const __grid_constant__ Pattern pattern) {
    extern __shared__ uint4 memory[];
    unsigned* words = reinterpret_cast<unsigned*>(memory);
    for (int i = threadIdx.x; i < SHARED_BYTES / 4; i += LANES) words[i] = i;
    __syncthreads();
    if (takes_part(pattern)) output[threadIdx.x] = *reinterpret_cast<T*>(reinterpret_cast<char*>(memory) + pattern.offset[threadIdx.x]);
}

template <class T> __global__ void shared_store(T* output, const __grid_constant__ Pattern pattern) {
    extern __shared__ uint4 memory[];
    T* element = reinterpret_cast<T*>(reinterpret_cast<char*>(memory) + pattern.offset[threadIdx.x]);
    if (takes_part(pattern)) *element = T{threadIdx.x};
    __syncthreads();
    if (takes_part(pattern)) output[threadIdx.x] = *element;
}

template <class T> __global__ void global_load(T* output, const char* memory, const __grid_constant__ Pattern pattern) {
    if (takes_part(pattern)) output[threadIdx.x] = *reinterpret_cast<const T*>(memory + pattern.offset[threadIdx.x]);
}

template <class T> __global__ void global_store(char* memory, const __grid_constant__ Pattern pattern) {
    if (takes_part(pattern)) *reinterpret_cast<T*>(memory + pattern.offset[threadIdx.x]) = T{threadIdx.x};
}

/// The ways to run a pattern.
enum class Ways { all, shared_load };

/// Runs one pattern. `element` gives each lane's element.
template <class T>
void probe(const char* type, const std::string& name, const std::function<unsigned(unsigned)>& element, unsigned active = ~0u,
           Ways ways = Ways::all) {
    static char* memory = nullptr;
    static T* output = nullptr;
    if (!memory) {
        check(cudaMalloc(&memory, SHARED_BYTES));
        check(cudaMemset(memory, 1, SHARED_BYTES));
        check(cudaMalloc(&output, LANES * sizeof(T)));
    }
    Pattern pattern{{}, active, {}};
    for (unsigned lane = 0; lane < LANES; ++lane) pattern.offset[lane] = element(lane) * sizeof(T);

    const auto print = [&](const char* space, const char* operation) {
        std::printf("%s %s %s %s %08x", space, operation, type, name.c_str(), active);
        for (unsigned offset : pattern.offset) std::printf(" %u", offset);
        std::printf("\n");
        check(cudaGetLastError());
    };
    shared_load<T><<<1, LANES, SHARED_BYTES>>>(output, pattern);
    print("shared", "load");
    if (ways == Ways::shared_load) return;
    shared_store<T><<<1, LANES, SHARED_BYTES>>>(output, pattern);
    print("shared", "store");
    global_load<T><<<1, LANES>>>(output, memory, pattern);
    print("global", "load");
    global_store<T><<<1, LANES>>>(memory, pattern);
    print("global", "store");
    check(cudaDeviceSynchronize());
}

template <class T> void probe_all(const char* type) {
    const auto contiguous = [](unsigned lane) { return lane; };
    probe<T>(type, "contiguous", contiguous);
    probe<T>(type, "uniform", [](unsigned) { return 0u; });
    probe<T>(type, "pairs", [](unsigned lane) { return lane / 2; });
    probe<T>(type, "quads", [](unsigned lane) { return lane / 4; });
    probe<T>(type, "octets", [](unsigned lane) { return lane / 8; });
    for (unsigned period : {2u, 4u, 8u, 16u})
        probe<T>(type, "period_" + std::to_string(period), [=](unsigned lane) { return lane % period; });
    for (unsigned stride = 2; stride <= 33; ++stride)
        probe<T>(type, "stride_" + std::to_string(stride), [=](unsigned lane) { return lane * stride; });
    probe<T>(type, "reversed", [](unsigned lane) { return 31 - lane; });
    probe<T>(type, "half_swapped", [](unsigned lane) { return lane ^ 16; });
    probe<T>(type, "neighbors_swapped", [](unsigned lane) { return lane ^ 1; });
    for (unsigned active :
         {0x1u, 0x80000000u, 0x80000001u, 0x55555555u, 0x11111111u, 0x0000FFFFu, 0xFFFF0000u, 0x000000FFu, 0x00FF00FFu, 0x7FFFFFFFu}) {
        probe<T>(type, "contiguous_masked", contiguous, active);
        probe<T>(type, "stride_32_masked", [](unsigned lane) { return lane * 32; }, active);
        probe<T>(type, "pairs_masked", [](unsigned lane) { return lane / 2; }, active);
    }
    const unsigned row = 128 / sizeof(T);
    probe<T>(type, "conflict_in_phase", [=](unsigned lane) { return lane == 1 ? 8 * row : lane; });
    probe<T>(type, "conflict_across_phases", [=](unsigned lane) { return lane == 31 ? 8 * row : lane; });
    probe<T>(type, "conflict_in_each_phase", [=](unsigned lane) { return lane % 4 == 1 ? (lane - 1) + 8 * row : lane; });
    probe<T>(type, "two_rows_alternating", [=](unsigned lane) { return lane % 2 ? 8 * row : 0u; });
    probe<T>(type, "two_rows_by_halves", [=](unsigned lane) { return lane / 16 ? 8 * row : 0u; });
    probe<T>(type, "two_rows_by_quarters", [=](unsigned lane) { return lane / 8 % 2 ? 8 * row : 0u; });
    for (unsigned range : {4u, 8u, 16u, 32u, 64u, 128u})
        for (unsigned seed = 0; seed < 5; ++seed) {
            Random random(range + seed);
            unsigned element[LANES];
            for (unsigned& e : element) e = random.below(range);
            const unsigned active = seed < 3 ? ~0u : random.below(1u << 16) << 16 | random.below(1u << 16);
            probe<T>(
                type, "random_below_" + std::to_string(range) + "_seed_" + std::to_string(seed),
                [&](unsigned lane) { return element[lane]; }, active);
        }
}

/// Which phases of a wide load merge depends on which lanes read the same and which are inactive: many random cases of
/// few elements and masks of every density.
template <class T> void probe_merging(const char* type) {
    Random random(7);
    for (unsigned range : {2u, 3u, 4u, 8u})
        for (unsigned density = 1; density <= 4; ++density)
            for (unsigned seed = 0; seed < 8; ++seed) {
                unsigned element[LANES], active = 0;
                for (unsigned lane = 0; lane < LANES; ++lane) {
                    // Half of the cases copy from a neighbor often, so that pairs are common.
                    const bool copies = lane > 1 && seed % 2 && random.below(4);
                    element[lane] = copies ? element[lane - 1 - seed / 2 % 2] : random.below(range);
                    active |= (random.below(4) < density ? 1u : 0u) << lane;
                }
                if (!active) active = 1;
                probe<T>(
                    type, "merging_" + std::to_string(range) + "_" + std::to_string(density) + "_" + std::to_string(seed),
                    [&](unsigned lane) { return element[lane]; }, active, Ways::shared_load);
            }
}

/// Masks and addresses with structure, which independent random lanes hardly ever show: partners that agree or are
/// inactive together, whole halves, lane 31 mostly active, and one address read by any number of lanes.
template <class T> void probe_merging_of_partners(const char* type) {
    const unsigned elements_of_row = 128 / sizeof(T);
    Random random(21);
    for (unsigned i = 0; i < 384; ++i) {
        const unsigned addresses = i % 5, mask = random.below(6), density = 1 + random.below(4);
        const unsigned range = i % 8 == 7 ? 8 * elements_of_row : i % 8 < 2 ? 1 : 1 + random.below(elements_of_row);
        unsigned element[LANES], active = 0;
        for (unsigned lane = 0; lane < LANES; ++lane) {
            const unsigned partner = addresses == 0 ? lane & ~1u : addresses == 1 ? lane & ~2u : addresses == 2 ? lane & ~3u : lane;
            const unsigned fresh = random.below(range);
            element[lane] = partner == lane ? fresh : element[partner];
            const unsigned mask_partner = mask == 0 ? lane & ~1u : mask == 1 ? lane & ~2u : mask == 2 ? lane & ~3u : lane;
            bool takes_part = random.below(4) < density;
            if (mask_partner != lane) takes_part = active >> mask_partner & 1;
            if (mask == 3 && lane < 16 || mask == 4 && lane >= 16) takes_part = true;
            active |= (takes_part ? 1u : 0u) << lane;
        }
        if (random.below(3)) active |= 1u << 31;
        if (!active) active = 1;
        probe<T>(type, "partners_" + std::to_string(i), [&](unsigned lane) { return element[lane]; }, active, Ways::shared_load);
    }
}

int main() {
    probe_all<unsigned>("4");
    probe_all<uint2>("8");
    probe_all<uint4>("16");
    probe_merging<uint2>("8");
    probe_merging<uint4>("16");
    probe_merging_of_partners<uint2>("8");
    probe_merging_of_partners<uint4>("16");
    check(cudaDeviceSynchronize());
    return 0;
}
