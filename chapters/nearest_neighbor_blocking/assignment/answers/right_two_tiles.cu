// Right: two tiles take turns, so that one barrier for each tile is enough. It is in C style, with macros and named variables for lists.

#include <cuda_runtime.h>
#include <math.h>

#define THREADS 128
#define SHIFT(q, k) (far##q[k + 1] = far##q[k], i##q[k + 1] = i##q[k])
#define PUT(q, k, d) (far##q[k] = (d), i##q[k] = j)
#define OFFER(q, d)                                        \
    if ((d) < far##q[3]) {                                   \
        if ((d) < far##q[2]) {                               \
            SHIFT(q, 2);                                   \
            if ((d) < far##q[1]) {                           \
                SHIFT(q, 1);                               \
                if ((d) < far##q[0]) {                       \
                    SHIFT(q, 0);                           \
                    PUT(q, 0, d);                          \
                } else PUT(q, 1, d);                       \
            } else PUT(q, 2, d);                           \
        } else PUT(q, 3, d);                               \
    }

static __device__ inline float apart(float3 a, float3 b)
{
    float3 c = {a.x - b.x, a.y - b.y, a.z - b.z};
    return c.x * c.x + c.y * c.y + c.z * c.z;
}

extern "C" __global__ void nearest(int4* out, const float3* in, int n)
{
    __shared__ float3 tiles[2][THREADS];
    float fara[4] = {INFINITY, INFINITY, INFINITY, INFINITY}, farb[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    int ia[4] = {-1, -1, -1, -1}, ib[4] = {-1, -1, -1, -1};
    int a = 2 * THREADS * blockIdx.x + threadIdx.x, b = a + THREADS, turn = 0, first, j;
    float3 pa = {0, 0, 0}, pb = {0, 0, 0};
    if (a < n) pa = in[a];
    if (b < n) pb = in[b];

    for (first = 0; first < n; first += THREADS, turn = !turn) {
        if (first + threadIdx.x < n) tiles[turn][threadIdx.x] = in[first + threadIdx.x];
        __syncthreads();
#pragma unroll 1
        for (j = first; j < n && j < first + THREADS; ++j) {
            float3 p = tiles[turn][j - first];
            float to_a = j == a ? INFINITY : apart(pa, p), to_b = j == b ? INFINITY : apart(pb, p);
            OFFER(a, to_a)
            OFFER(b, to_b)
        }
    }
    if (a < n) out[a] = make_int4(ia[0], ia[1], ia[2], ia[3]);
    if (b < n) out[b] = make_int4(ib[0], ib[1], ib[2], ib[3]);
}

void nearest_four(int* neighbors, const float3* points, int n)
{
    nearest<<<(n + 2 * THREADS - 1) / (2 * THREADS), THREADS>>>((int4*)neighbors, points, n);
}
