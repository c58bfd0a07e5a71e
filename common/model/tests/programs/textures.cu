// Textures of each kind at coordinates whose values are known.

#include <cuda_fp16.h>

#include "../device_array.cuh"
#include "made_textures.cuh"

struct Point {
    float x, y, z;
    int layer;
};

enum class Kind { one, two, three, one_layered, two_layered, cube, cube_layered, fetch, level, gradient };

template <class T> __global__ void sample(Kind kind, cudaTextureObject_t texture, const Point* points, int count, T* out) {
    const int i = threadIdx.x;
    if (i >= count) return;
    const Point p = points[i];
    switch (kind) {
        case Kind::one: out[i] = tex1D<T>(texture, p.x); break;
        case Kind::two: out[i] = tex2D<T>(texture, p.x, p.y); break;
        case Kind::three: out[i] = tex3D<T>(texture, p.x, p.y, p.z); break;
        case Kind::one_layered: out[i] = tex1DLayered<T>(texture, p.x, p.layer); break;
        case Kind::two_layered: out[i] = tex2DLayered<T>(texture, p.x, p.y, p.layer); break;
        case Kind::cube: out[i] = texCubemap<T>(texture, p.x, p.y, p.z); break;
        case Kind::cube_layered: out[i] = texCubemapLayered<T>(texture, p.x, p.y, p.z, p.layer); break;
        case Kind::fetch: out[i] = tex1Dfetch<T>(texture, static_cast<int>(p.x)); break;
        case Kind::level: out[i] = tex2DLod<T>(texture, p.x, p.y, p.z); break;
        case Kind::gradient: out[i] = tex2DGrad<T>(texture, p.x, p.y, make_float2(p.z, 0), make_float2(0, p.z)); break;
    }
}

template <class T> std::vector<T> run(Kind kind, cudaTextureObject_t texture, const std::vector<Point>& points) {
    const DeviceArray<Point> in(points);
    const DeviceArray<T> out(points.size());
    sample<T><<<1, 64>>>(kind, texture, in, static_cast<int>(points.size()), out);
    check(cudaDeviceSynchronize(), "sample");
    return out.host();
}

void test_linear_memory() {
    std::vector<int> values(100);
    for (int i = 0; i < 100; ++i) values[i] = 1000 * i - 7;
    int* memory;
    check(cudaMalloc(&memory, 400), "cudaMalloc");
    check(cudaMemcpy(memory, values.data(), 400, cudaMemcpyDefault), "cudaMemcpy");
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = 400;
    const cudaTextureObject_t texture = make_texture(resource, {});
    const auto got = run<int>(Kind::fetch, texture, {{0}, {1}, {57}, {99}, {100}, {-1}});
    const int wanted[] = {-7, 993, 56993, 98993, 0, 0};
    for (int i = 0; i < 6; ++i) expect("linear memory", i, static_cast<float>(got[i]), static_cast<float>(wanted[i]));
    resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    Settings settings;
    settings.read = cudaReadModeNormalizedFloat;
    const auto scaled = run<float4>(Kind::fetch, make_texture(resource, settings), {{1}});
    expect("normalized", 0, scaled[0].x, (993 & 255) / 255.0f, 1e-6f);
    expect("normalized", 1, scaled[0].y, (993 >> 8) / 255.0f, 1e-6f);
}

void test_one_dimension() {
    const cudaArray_t array = make_array<float>(make_cudaExtent(8, 0, 0), 0, [](auto x, auto, auto) { return static_cast<float>(x * x); });
    const auto at = [](int i) { return static_cast<float>(i * i); };
    Settings settings;
    const auto points = run<float>(Kind::one, make_texture(array, settings), {{0.0f}, {0.99f}, {1.0f}, {7.5f}, {9.0f}, {-3.0f}});
    expect("1D point", points, {0, 0, 1, 49, 49, 0});
    settings.filter = cudaFilterModeLinear;
    std::vector<Point> fine;
    for (int i = 0; i < 64; ++i) fine.push_back({0.25f + i * 0.1237f});
    const auto smooth = run<float>(Kind::one, make_texture(array, settings), fine);
    for (int i = 0; i < 64; ++i) {
        const float x = fine[i].x - 0.5f, below = std::floor(x), fraction = std::floor((x - below) * 256 + 0.5f) / 256;
        const auto inside = [&](float j) { return at(j < 0 ? 0 : j > 7 ? 7 : static_cast<int>(j)); };
        expect("1D linear", i, smooth[i], (1 - fraction) * inside(below) + fraction * inside(below + 1), 1e-5f);
    }
}

void test_address_modes() {
    const cudaArray_t array = make_array<float>(make_cudaExtent(4, 0, 0), 0, [](auto x, auto, auto) { return static_cast<float>(x + 1); });
    const std::vector<Point> points = {{-0.3f}, {-1.1f}, {0.1f}, {0.6f}, {1.1f}, {1.3f}, {2.6f}, {0.999f}};
    struct Case {
        cudaTextureAddressMode mode;
        float wanted[8];
    };
    const Case cases[] = {{cudaAddressModeWrap, {3, 4, 1, 3, 1, 2, 3, 4}},
                          {cudaAddressModeMirror, {2, 4, 1, 3, 4, 3, 3, 4}},
                          {cudaAddressModeClamp, {1, 1, 1, 3, 4, 4, 4, 4}},
                          {cudaAddressModeBorder, {99, 99, 1, 3, 99, 99, 99, 4}}};
    for (const Case& one : cases) {
        Settings settings;
        settings.mode = one.mode;
        settings.normalized = true;
        const auto got = run<float>(Kind::one, make_texture(array, settings), points);
        for (int i = 0; i < 8; ++i) expect("address mode", 100 * one.mode + i, got[i], one.wanted[i]);
    }
    Settings settings;
    settings.normalized = true;
    settings.filter = cudaFilterModeLinear;
    settings.mode = cudaAddressModeWrap;
    auto got = run<float>(Kind::one, make_texture(array, settings), {{0}, {1}, {0.0625f}});
    expect("wrap linear", got, {2.5f, 2.5f, 1.75f});
    settings.mode = cudaAddressModeBorder;
    got = run<float>(Kind::one, make_texture(array, settings), {{0}, {1}, {0.5f}});
    // A texture of one dimension is filtered like the first row of one of two, above which lies the border.
    expect("border linear", got, {74.5f, 75.25f, 50.75f});
}

void test_more_dimensions() {
    const auto value = [](auto x, auto y, auto z) { return static_cast<float>(x + 10 * y + 100 * z); };
    Settings linear;
    linear.filter = cudaFilterModeLinear;
    const cudaArray_t two = make_array<float>(make_cudaExtent(6, 5, 0), 0, value);
    auto got = run<float>(Kind::two, make_texture(two, {}), {{2.5f, 3.5f}, {5.9f, 4.9f}, {-1, 7}});
    expect("2D point", got, {32, 45, 40});
    got = run<float>(Kind::two, make_texture(two, linear), {{2.5f, 3.5f}, {3, 2}, {2.75f, 0.5f}, {0, 0}});
    expect("2D linear", got, {32, 17.5f, 2.25f, 0});
    const cudaArray_t three = make_array<float>(make_cudaExtent(4, 5, 6), 0, value);
    got = run<float>(Kind::three, make_texture(three, {}), {{1.5f, 2.5f, 3.5f}, {3, 4, 5}});
    expect("3D point", got, {321, 543});
    got = run<float>(Kind::three, make_texture(three, linear), {{1.5f, 2.5f, 3.5f}, {2, 3, 4}});
    expect("3D linear", got, {321, 376.5f});
    const cudaArray_t layers = make_array<float>(make_cudaExtent(4, 5, 6), cudaArrayLayered, value);
    got = run<float>(Kind::two_layered, make_texture(layers, linear), {{1.5f, 2.5f, 0, 3}, {2, 3, 0, 5}, {2, 3, 0, 9}});
    expect("2D layered", got, {321, 526.5f, 526.5f});
    const cudaArray_t rows = make_array<float>(make_cudaExtent(4, 0, 6), cudaArrayLayered, value);
    got = run<float>(Kind::one_layered, make_texture(rows, linear), {{1.5f, 0, 0, 3}, {2, 0, 0, 4}});
    expect("1D layered", got, {301, 401.5f});
}

void test_pitched() {
    float* memory;
    std::size_t pitch;
    check(cudaMallocPitch(&memory, &pitch, 7 * sizeof(float), 5), "cudaMallocPitch");
    std::vector<float> values(35);
    for (int i = 0; i < 35; ++i) values[i] = static_cast<float>(i % 7 + 10 * (i / 7));
    check(cudaMemcpy2D(memory, pitch, values.data(), 28, 28, 5, cudaMemcpyDefault), "cudaMemcpy2D");
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {memory, cudaCreateChannelDesc<float>(), 7, 5, pitch};
    Settings settings;
    settings.filter = cudaFilterModeLinear;
    const auto got = run<float>(Kind::two, make_texture(resource, settings), {{2.5f, 3.5f}, {3, 2}, {50, 50}});
    expect("pitched", got, {32, 17.5f, 46});
}

void test_cube() {
    const auto value = [](auto x, auto y, auto z) { return static_cast<float>(x + 10 * y + 100 * z); };
    Settings settings;
    settings.normalized = true;
    const std::vector<Point> points = {{1, 0.1f, 0.1f, 1}, {-1, 0.1f, 0.1f, 1}, {0.1f, 1, 0.1f, 1}, {0.1f, -1, 0.1f, 1},
                                       {0.1f, 0.1f, 1, 1}, {0.1f, 0.1f, -1, 1}, {3, -2.7f, 2.7f, 0}};
    // Faces of 4 × 4: 0.1 lies in texel 2 and -0.1 in texel 1.
    const float wanted[] = {11, 112, 222, 312, 412, 511, 30};
    auto got = run<float>(Kind::cube, make_texture(make_array<float>(make_cudaExtent(4, 4, 6), cudaArrayCubemap, value), settings), points);
    for (int i = 0; i < 7; ++i) expect("cube", i, got[i], wanted[i]);
    got = run<float>(Kind::cube_layered,
                     make_texture(make_array<float>(make_cudaExtent(4, 4, 12), cudaArrayCubemap | cudaArrayLayered, value), settings),
                     points);
    for (int i = 0; i < 7; ++i) expect("layers of cubes", i, got[i], wanted[i] + 600 * points[i].layer);
}

void test_levels() {
    cudaMipmappedArray_t whole;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    check(cudaMallocMipmappedArray(&whole, &format, make_cudaExtent(8, 8, 0), 4), "cudaMallocMipmappedArray");
    for (unsigned level = 0; level < 4; ++level) {
        cudaArray_t array;
        check(cudaGetMipmappedArrayLevel(&array, whole, level), "cudaGetMipmappedArrayLevel");
        const int side = 8 >> level;
        std::vector<float> values(side * side);
        for (int i = 0; i < side * side; ++i) values[i] = static_cast<float>(100 * level + i % side);
        check(cudaMemcpy2DToArray(array, 0, 0, values.data(), side * sizeof(float), side * sizeof(float), side, cudaMemcpyDefault),
              "cudaMemcpy2DToArray");
    }
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = whole;
    Settings settings;
    settings.normalized = true;
    auto got = run<float>(Kind::level, make_texture(resource, settings),
                          {{0.55f, 0.5f, 0}, {0.55f, 0.5f, 1}, {0.55f, 0.5f, 1.4f}, {0.55f, 0.5f, 1.6f}, {0.55f, 0.5f, 9}});
    expect("level", got, {4, 102, 102, 201, 300});
    got = run<float>(Kind::two, make_texture(resource, settings), {{0.55f, 0.5f}});
    expect("level of a plain fetch", 0, got[0], 4);
    got = run<float>(Kind::gradient, make_texture(resource, settings), {{0.55f, 0.5f, 0.125f}, {0.55f, 0.5f, 0.25f}, {0.55f, 0.5f, 0.5f}});
    expect("gradient", got, {4, 102, 201});
    settings.mipmap_filter = cudaFilterModeLinear;
    got = run<float>(Kind::level, make_texture(resource, settings), {{0.55f, 0.5f, 0.5f}, {0.55f, 0.5f, 2.25f}});
    expect("between levels", got, {53, 225.75f});
}

void test_formats() {
    const cudaArray_t colors = make_array<uchar4>(
        make_cudaExtent(2, 1, 0), 0, [](auto x, auto, auto) { return x ? make_uchar4(255, 128, 20, 128) : make_uchar4(0, 1, 2, 3); });
    const auto raw = run<uchar4>(Kind::two, make_texture(colors, {}), {{1.5f, 0.5f}});
    expect("uchar4", 0, raw[0].y, 128);
    expect("uchar4", 1, raw[0].w, 128);
    Settings settings;
    settings.read = cudaReadModeNormalizedFloat;
    settings.srgb = true;
    settings.normalized = true;
    const auto srgb = run<float4>(Kind::two, make_texture(colors, settings), {{0.75f, 0.5f}});
    expect("sRGB", 0, srgb[0].x, 1, 1e-3f);
    expect("sRGB", 1, srgb[0].y, 0.21586f, 1e-3f);
    expect("sRGB", 2, srgb[0].w, 128 / 255.0f, 1e-3f);
    const cudaChannelFormatDesc half_format = cudaCreateChannelDescHalf();
    cudaArray_t halves;
    check(cudaMallocArray(&halves, &half_format, 4, 0), "cudaMallocArray");
    const __half values[] = {__float2half(1), __float2half(-2.5f), __float2half(65504), __float2half(6e-8f)};
    check(cudaMemcpy2DToArray(halves, 0, 0, values, 8, 8, 1, cudaMemcpyHostToDevice), "cudaMemcpy2DToArray");
    const auto got = run<float>(Kind::one, make_texture(halves, {}), {{0}, {1}, {2}, {3}});
    for (int i = 0; i < 4; ++i) expect("half", i, got[i], __half2float(values[i]));
    const cudaArray_t shorts =
        make_array<short2>(make_cudaExtent(2, 0, 0), 0, [](auto x, auto, auto) { return make_short2(x ? -32768 : 32767, -5); });
    settings = {};
    settings.read = cudaReadModeNormalizedFloat;
    settings.filter = cudaFilterModeLinear;
    const auto scaled = run<float2>(Kind::one, make_texture(shorts, settings), {{0.5f}, {1.5f}, {1}});
    expect("signed normalized", 0, scaled[0].x, 1, 1e-6f);
    expect("signed normalized", 1, scaled[1].x, -1, 1e-6f);
    expect("signed normalized", 2, scaled[2].x, 0, 1e-4f);
    expect("signed normalized", 3, scaled[2].y, -5 / 32767.0f, 1e-6f);
}

int main() {
    test_linear_memory();
    test_one_dimension();
    test_address_modes();
    test_more_dimensions();
    test_pitched();
    test_cube();
    test_levels();
    test_formats();
    std::printf(errors ? "%d errors\n" : "ok\n", errors);
    return errors != 0;
}
