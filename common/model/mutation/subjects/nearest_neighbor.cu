// For each point the nearest other one, with the points read once per block, a tile at a time.

#include "subject.hpp"

#include <climits>

constexpr int tile_points = 128;

__device__ int squared_distance(int2 a, int2 b) { return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y); }

__global__ void nearest(int* neighbors, const int2* points, int n)
{
    __shared__ int2 tile[tile_points];
    const int i = blockIdx.x * tile_points + threadIdx.x;
    const int2 own = i < n ? points[i] : int2{0, 0};
    int best = -1, best_distance = INT_MAX;
    for (int first = 0; first < n; first += tile_points) {
        const int count = min(tile_points, n - first);
        if (threadIdx.x < count) tile[threadIdx.x] = points[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < count; ++j) {
            const int distance = squared_distance(own, tile[j]);
            if (first + j != i && distance < best_distance) {
                best = first + j;
                best_distance = distance;
            }
        }
        __syncthreads();
    }
    if (i < n) neighbors[i] = best;
}

std::vector<int> nearest_on_host(const std::vector<int2>& points)
{
    const int n = static_cast<int>(points.size());
    std::vector<int> neighbors(n, -1);
    for (int i = 0; i < n; ++i) {
        int best_distance = INT_MAX;
        for (int j = 0; j < n; ++j) {
            const int dx = points[i].x - points[j].x, dy = points[i].y - points[j].y;
            if (j == i || dx * dx + dy * dy >= best_distance) continue;
            neighbors[i] = j;
            best_distance = dx * dx + dy * dy;
        }
    }
    return neighbors;
}

bool solve(const subject::Problem& problem)
{
    const int n = problem.width;
    const std::vector<int> x = problem.random_values(n, 10000), y = problem.random_values(n, 10000);
    std::vector<int2> values(n);
    for (int i = 0; i < n; ++i) values[i] = int2{x[i], y[i]};
    subject::DeviceArray<int2> points(n);
    subject::DeviceArray<int> neighbors(n);
    points.upload(values);
    nearest<<<subject::divide_up(n, tile_points), tile_points>>>(neighbors.data(), points.data(), n);
    return subject::agree(neighbors.download(), nearest_on_host(values));
}

int main(int argc, char** argv) { return subject::run(argc, argv, solve); }
