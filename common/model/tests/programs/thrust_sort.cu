// Thrust: a sort of keys that fit into one block, a transformation and a sum.

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

struct Collatz {
    __host__ __device__ unsigned operator()(unsigned v) const { return v % 2 ? 3 * v + 1 : v / 2; }
};

int main() {
    std::mt19937 random(7);
    std::vector<unsigned> keys(3000), values(20000);
    for (unsigned& k : keys) k = random();
    for (unsigned& v : values) v = random() % 100000;
    int errors = 0;

    thrust::device_vector<unsigned> sorted(keys.begin(), keys.end());
    thrust::sort(sorted.begin(), sorted.end());
    std::sort(keys.begin(), keys.end());
    errors += !std::equal(keys.begin(), keys.end(), thrust::host_vector<unsigned>(sorted).begin());

    thrust::device_vector<unsigned> of(values.begin(), values.end()), next(values.size());
    thrust::transform(of.begin(), of.end(), next.begin(), Collatz());
    const unsigned sum = thrust::reduce(next.begin(), next.end(), 0u);
    std::transform(values.begin(), values.end(), values.begin(), Collatz());
    errors += sum != std::accumulate(values.begin(), values.end(), 0u);
    std::printf("%d errors\n", errors);
    return errors != 0;
}
