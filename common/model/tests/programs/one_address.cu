// All lanes of a warp load and store at one address: in global memory, in shared memory, and through a pointer to either.

#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

constexpr int warps = 4, blocks = 3, lanes = 32;

// All lanes of a warp store the same bytes at the same place.
template <class Element> __global__ void global_memory(Element* out, const Element* in) {
    const int warp = blockIdx.x * warps + threadIdx.x / lanes;
    out[warp] = in[blocks * warps - 1 - warp];
}

template <class Element> __global__ void shared_memory(Element* out, const Element* in) {
    __shared__ Element words[warps];
    const int warp = threadIdx.x / lanes;
    words[warp] = in[blockIdx.x * warps + warp];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = words[warps - 1 - warp];
}

// Warps with odd numbers go through shared memory; the compiler does not know which do.
template <class Element> __global__ void either_memory(Element* out, const Element* in) {
    __shared__ Element words[warps];
    const int warp = threadIdx.x / lanes, of_all = blockIdx.x * warps + warp;
    Element* place = warp % 2 ? words + warp : out + of_all;
    *place = in[of_all];
    __syncwarp();
    out[of_all] = *place;
}

template <class Element> struct Memory {
    explicit Memory(std::size_t count) : count(count) { cudaMalloc(&data, count * sizeof(Element)); }
    ~Memory() { cudaFree(data); }
    std::vector<Element> values() const {
        std::vector<Element> host(count);
        cudaMemcpy(host.data(), data, count * sizeof(Element), cudaMemcpyDeviceToHost);
        return host;
    }
    Element* data = nullptr;
    std::size_t count;
};

template <class Element, class Expected> int errors(const Memory<Element>& out, Expected expected) {
    int found = 0;
    const std::vector<Element> values = out.values();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Element wanted = expected(i);
        found += std::memcmp(&values[i], &wanted, sizeof wanted) != 0;
    }
    return found;
}

template <class Element> int check(std::mt19937& random) {
    std::vector<Element> values(blocks * warps);
    for (auto& value : values) {
        unsigned bits[4];
        for (unsigned& word : bits) word = static_cast<unsigned>(random());
        std::memcpy(&value, bits, sizeof value);
    }
    Memory<Element> in(values.size()), out(values.size()), all(values.size() * lanes), either(values.size());
    cudaMemcpy(in.data, values.data(), values.size() * sizeof(Element), cudaMemcpyHostToDevice);
    global_memory<<<blocks, warps * lanes>>>(out.data, in.data);
    shared_memory<<<blocks, warps * lanes>>>(all.data, in.data);
    either_memory<<<blocks, warps * lanes>>>(either.data, in.data);
    return errors(out, [&](std::size_t i) { return values[values.size() - 1 - i]; }) +
           errors(all,
                  [&](std::size_t i) {
                      const std::size_t warp = i / lanes;
                      return values[warp / warps * warps + warps - 1 - warp % warps];
                  }) +
           errors(either, [&](std::size_t i) { return values[i]; });
}

int main() {
    std::mt19937 random(5);
    const int wrong =
        check<unsigned char>(random) + check<short>(random) + check<int>(random) + check<double>(random) + check<int4>(random);
    std::printf("%d errors\n", wrong);
    return wrong != 0 || cudaDeviceSynchronize() != cudaSuccess;
}
