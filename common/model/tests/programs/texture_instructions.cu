// Textures beyond plain samples: four gathered texels, sizes, and samples at an offset from the coordinates.

#include "made_textures.cuh"

__global__ void gather(cudaTextureObject_t texture, float4* out, float x, float y) {
    out[0] = tex2Dgather<float4>(texture, x, y, 0);
    out[1] = tex2Dgather<float4>(texture, x, y, 1);
}

void test_gather() {
    const cudaArray_t array = make_array<float2>(make_cudaExtent(6, 5, 0), cudaArrayTextureGather, [](auto x, auto y, auto) {
        return make_float2(static_cast<float>(x + 10 * y), static_cast<float>(x * y));
    });
    float4 *out, got[2];
    check(cudaMalloc(&out, sizeof got), "cudaMalloc");
    gather<<<1, 1>>>(make_texture(array, {}), out, 3, 2);
    check(cudaMemcpy(got, out, sizeof got, cudaMemcpyDefault), "gather");
    const float wanted[] = {22, 23, 13, 12, 4, 6, 3, 2};
    for (int i = 0; i < 8; ++i) expect("gather", i, (&got[0].x)[i], wanted[i]);
}

__global__ void ask(cudaTextureObject_t texture, unsigned* out) {
    asm volatile("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(texture));
    asm volatile("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(texture));
}

void test_queries() {
    const cudaArray_t array = make_array<float>(make_cudaExtent(6, 5, 0), 0, [](auto, auto, auto) { return 0.0f; });
    unsigned *out, got[2];
    check(cudaMalloc(&out, sizeof got), "cudaMalloc");
    ask<<<1, 1>>>(make_texture(array, {}), out);
    check(cudaMemcpy(got, out, sizeof got, cudaMemcpyDefault), "ask");
    expect("txq", 0, static_cast<float>(got[0]), 6);
    expect("txq", 1, static_cast<float>(got[1]), 5);
}

/// Two samples at an offset, one of them with a depth, which CUDA's objects do not compare with, and four gathered texels.
__global__ void sample_beside(cudaTextureObject_t texture, float x, float y, float* out) {
    [[maybe_unused]] float unused[3];
    asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {1, -2};"
                 : "=f"(out[0]), "=f"(unused[0]), "=f"(unused[1]), "=f"(unused[2])
                 : "l"(texture), "f"(x), "f"(y));
    asm volatile("tex.level.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7, {%8, %9};"
                 : "=f"(out[1]), "=f"(unused[0]), "=f"(unused[1]), "=f"(unused[2])
                 : "l"(texture), "f"(x), "f"(y), "f"(0.0f), "r"(-1), "r"(3));
    asm volatile("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}], {1, 1};"
                 : "=f"(out[2]), "=f"(unused[0]), "=f"(unused[1]), "=f"(unused[2])
                 : "l"(texture), "r"(static_cast<int>(x)), "r"(static_cast<int>(y)));
    asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;"
                 : "=f"(out[3]), "=f"(unused[0]), "=f"(unused[1]), "=f"(unused[2])
                 : "l"(texture), "f"(x), "f"(y), "f"(12.0f));
    asm volatile("tld4.r.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {2, 1};"
                 : "=f"(out[4]), "=f"(out[5]), "=f"(out[6]), "=f"(out[7])
                 : "l"(texture), "f"(x), "f"(y));
}

/// The results of an H200.
void test_offsets() {
    const cudaArray_t array = make_array<float>(make_cudaExtent(8, 8, 0), cudaArrayTextureGather,
                                                [](auto x, auto y, auto) { return static_cast<float>(8 * y + x); });
    float *out, got[8];
    check(cudaMalloc(&out, sizeof got), "cudaMalloc");
    const auto test = [&](cudaTextureFilterMode filter, float x, float y, std::vector<float> wanted) {
        Settings settings;
        settings.filter = filter;
        sample_beside<<<1, 1>>>(make_texture(array, settings), x, y, out);
        check(cudaMemcpy(got, out, sizeof got, cudaMemcpyDefault), "sample_beside");
        for (int i = 0; i < 8; ++i) expect("offset", i, got[i], wanted[i], 1e-3f);
    };
    test(cudaFilterModePoint, 1.5f, 2.25f, {2, 40, 26, 17, 27, 28, 20, 19});
    test(cudaFilterModeLinear, 1.5f, 2.25f, {2, 38, 26, 15, 27, 28, 20, 19});
    test(cudaFilterModeLinear, 0.1f, 0.1f, {0.601562f, 20.8125f, 9, 0, 9, 10, 2, 1});
    test(cudaFilterModePoint, 7.9f, 7.6f, {47, 62, 0, 63, 63, 63, 63, 63});
}

int main() {
    test_gather();
    test_queries();
    test_offsets();
    std::printf(errors ? "%d errors\n" : "ok\n", errors);
    return errors != 0;
}
