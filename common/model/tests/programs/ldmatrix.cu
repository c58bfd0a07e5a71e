// ldmatrix, stmatrix and movmatrix: the place of every element.

#include <cstdio>

constexpr int columns = 40;  // elements from one row to the next: 80 bytes
constexpr int results = 24;

__device__ unsigned address_of(const void* pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

__global__ void access(unsigned* out, unsigned short* stored) {
    __shared__ alignas(16) unsigned short tile[32][columns], back[32][columns];
    const unsigned lane = threadIdx.x;
    for (unsigned i = lane; i < 32 * columns; i += 32) tile[0][i] = static_cast<unsigned short>(i), back[0][i] = 0xFFFF;
    __syncwarp();
    unsigned r[results] = {};
    // Matrix i is rows 8i to 8i+7, columns 8 to 15.
    const unsigned from = address_of(&tile[lane][8]), to = address_of(&back[lane][16]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
                 : "r"(from));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16 {%0,%1}, [%2+16];" : "=r"(r[8]), "=r"(r[9]) : "r"(from));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(r[10]) : "l"(static_cast<const void*>(&tile[lane][8])));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r[11]) : "r"(r[0]));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(to), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" ::"r"(to + 16), "r"(r[0]), "r"(r[1]) : "memory");
    __syncwarp();
    for (int i = 0; i < results; ++i) out[32 * i + lane] = r[i];
    for (unsigned i = lane; i < 32 * columns; i += 32) stored[i] = back[0][i];
}

int errors = 0;

void expect(const char* what, int lane, unsigned got, unsigned wanted) {
    if (got != wanted && ++errors < 10) std::printf("%s, lane %d: %08x, and not %08x\n", what, lane, got, wanted);
}

unsigned element(int row, int column) { return static_cast<unsigned>(row * columns + column); }

int main() {
    unsigned *device, host[results * 32];
    unsigned short *stored_device, stored[32][columns];
    cudaMalloc(&device, sizeof host);
    cudaMalloc(&stored_device, sizeof stored);
    access<<<1, 32>>>(device, stored_device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDefault);
    cudaMemcpy(stored, stored_device, sizeof stored, cudaMemcpyDefault);
    for (int lane = 0; lane < 32; ++lane) {
        const int line = lane / 4, pair = lane % 4 * 2;
        const auto rows = [&](int matrix, int column) {
            return element(8 * matrix + line, column + pair) | element(8 * matrix + line, column + pair + 1) << 16;
        };
        const auto turned = [&](int matrix, int column) {
            return element(8 * matrix + pair, column + line) | element(8 * matrix + pair + 1, column + line) << 16;
        };
        for (int i = 0; i < 4; ++i) {
            expect("ldmatrix.x4", lane, host[32 * i + lane], rows(i, 8));
            expect("ldmatrix.x4.trans", lane, host[32 * (4 + i) + lane], turned(i, 8));
        }
        expect("ldmatrix.x2", lane, host[32 * 8 + lane], rows(0, 16));
        expect("ldmatrix.x2", lane, host[32 * 9 + lane], rows(1, 16));
        expect("ldmatrix.x1", lane, host[32 * 10 + lane], rows(0, 8));
        expect("movmatrix", lane, host[32 * 11 + lane], turned(0, 8));
    }
    for (int row = 0; row < 32; ++row)
        for (int i = 0; i < 8; ++i) {
            expect("stmatrix.x4", row, stored[row][16 + i], element(row, 8 + i));
            expect("stmatrix.x2.trans", row, stored[row][24 + i], row < 16 ? element(row / 8 * 8 + i, 8 + row % 8) : 0xFFFF);
            expect("what is not stored", row, stored[row][i], 0xFFFF);
        }
    std::printf(errors ? "%d errors\n" : "ok\n", errors);
    return errors != 0;
}
