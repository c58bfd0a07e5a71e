// Surfaces of each kind, read and written by kernels, inside and outside their bounds.

#include <cstring>

#include "made_textures.cuh"

enum class Kind { one, two, three, one_layered, two_layered, cube };

template <class T> __global__ void fill(Kind kind, cudaSurfaceObject_t surface, uint3 extent) {
    const unsigned i = threadIdx.x, x = i % extent.x, y = i / extent.x % extent.y, z = i / extent.x / extent.y;
    if (z >= extent.z) return;
    const int at = static_cast<int>(x * sizeof(T));
    T value{};
    value.x = static_cast<decltype(value.x)>(i + 1);
    value.y = static_cast<decltype(value.x)>(2 * i);
    switch (kind) {
        case Kind::one: surf1Dwrite(value, surface, at); break;
        case Kind::two: surf2Dwrite(value, surface, at, y); break;
        case Kind::three: surf3Dwrite(value, surface, at, y, z); break;
        case Kind::one_layered: surf1DLayeredwrite(value, surface, at, z); break;
        case Kind::two_layered: surf2DLayeredwrite(value, surface, at, y, z); break;
        case Kind::cube: surfCubemapwrite(value, surface, at, y, z); break;
    }
}

template <class T> __global__ void copy_out(Kind kind, cudaSurfaceObject_t surface, uint3 extent, T* out) {
    const unsigned i = threadIdx.x, x = i % extent.x, y = i / extent.x % extent.y, z = i / extent.x / extent.y;
    if (z >= extent.z) return;
    const int at = static_cast<int>(x * sizeof(T));
    switch (kind) {
        case Kind::one: out[i] = surf1Dread<T>(surface, at); break;
        case Kind::two: out[i] = surf2Dread<T>(surface, at, y); break;
        case Kind::three: out[i] = surf3Dread<T>(surface, at, y, z); break;
        case Kind::one_layered: out[i] = surf1DLayeredread<T>(surface, at, z); break;
        case Kind::two_layered: out[i] = surf2DLayeredread<T>(surface, at, y, z); break;
        case Kind::cube: out[i] = surfCubemapread<T>(surface, at, y, z); break;
    }
}

cudaSurfaceObject_t make_surface(cudaArray_t array) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface = 0;
    check(cudaCreateSurfaceObject(&surface, &resource), "cudaCreateSurfaceObject");
    return surface;
}

/// An array for surfaces, filled row by row.
template <class T> cudaArray_t make_rows(const T* texels, int width, int height) {
    return make_array<T>(make_cudaExtent(width, height, 0), cudaArraySurfaceLoadStore,
                         [=](auto x, auto y, auto) { return texels[y * width + x]; });
}

template <class T> void read_rows(cudaArray_t array, T* texels, int width, int height) {
    check(cudaMemcpy2DFromArray(texels, width * sizeof(T), array, 0, 0, width * sizeof(T), height, cudaMemcpyDefault),
          "cudaMemcpy2DFromArray");
}

template <class T> void test(const char* name, Kind kind, cudaExtent extent, unsigned flags) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaArray_t array;
    check(cudaMalloc3DArray(&array, &format, extent, flags | cudaArraySurfaceLoadStore), "cudaMalloc3DArray");
    const cudaSurfaceObject_t surface = make_surface(array);
    const auto side = [](std::size_t n) { return static_cast<unsigned>(n ? n : 1); };
    const uint3 sides = make_uint3(side(extent.width), side(extent.height), side(extent.depth));
    const unsigned count = sides.x * sides.y * sides.z;
    T* out;
    check(cudaMalloc(&out, count * sizeof(T)), "cudaMalloc");
    fill<T><<<1, count>>>(kind, surface, sides);
    copy_out<T><<<1, count>>>(kind, surface, sides, out);
    std::vector<T> got(count), direct(count);
    check(cudaMemcpy(got.data(), out, count * sizeof(T), cudaMemcpyDefault), name);
    cudaMemcpy3DParms copy{};
    copy.srcArray = array;
    copy.dstPtr = make_cudaPitchedPtr(direct.data(), sides.x * sizeof(T), sides.x, sides.y);
    copy.extent = make_cudaExtent(sides.x, sides.y, sides.z);
    copy.kind = cudaMemcpyDeviceToHost;
    check(cudaMemcpy3D(&copy), "cudaMemcpy3D");
    for (unsigned i = 0; i < count; ++i) {
        expect(name, static_cast<int>(i), got[i].x, static_cast<decltype(T::x)>(i + 1));
        expect(name, static_cast<int>(i), got[i].y, static_cast<decltype(T::x)>(2 * i));
        expect(name, static_cast<int>(i), direct[i].x, static_cast<decltype(T::x)>(i + 1));
    }
}

__global__ void go_outside(cudaSurfaceObject_t surface, int* out) {
    surf2Dwrite(7, surface, -4, 0, cudaBoundaryModeZero);
    surf2Dwrite(7, surface, 0, 3, cudaBoundaryModeZero);
    surf2Dwrite(8, surface, 40, 9, cudaBoundaryModeClamp);
    out[0] = surf2Dread<int>(surface, -4, 0, cudaBoundaryModeZero);
    out[1] = surf2Dread<int>(surface, 16, 1, cudaBoundaryModeZero);
    out[2] = surf2Dread<int>(surface, 12, 2, cudaBoundaryModeZero);
    out[3] = surf2Dread<int>(surface, -8, 1, cudaBoundaryModeClamp);
    out[4] = surf2Dread<int>(surface, 100, 100, cudaBoundaryModeClamp);
    asm volatile("suq.width.b32 %0, [%1];" : "=r"(out[5]) : "l"(surface));
    asm volatile("suq.height.b32 %0, [%1];" : "=r"(out[6]) : "l"(surface));
}

void test_outside() {
    const int start[] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
    const cudaArray_t array = make_rows(start, 4, 3);
    int *out, got[7], after[12];
    check(cudaMalloc(&out, sizeof got), "cudaMalloc");
    go_outside<<<1, 1>>>(make_surface(array), out);
    check(cudaMemcpy(got, out, sizeof got, cudaMemcpyDefault), "go_outside");
    read_rows(array, after, 4, 3);
    const int wanted[] = {0, 0, 8, 10, 8, 4, 3};
    for (int i = 0; i < 7; ++i) expect("outside", i, got[i], wanted[i]);
    for (int i = 0; i < 12; ++i) expect("after stores outside", i, after[i], i == 11 ? 8 : start[i]);
}

__global__ void reduce(cudaSurfaceObject_t surface) {
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(surface), "r"(4), "r"(1), "r"(threadIdx.x));
    asm volatile("sured.b.max.2d.s32.trap [%0, {%1, %2}], %3;" ::"l"(surface), "r"(8), "r"(1), "r"(static_cast<int>(threadIdx.x) - 40));
}

void test_reductions() {
    const int start[] = {0, 0, 0, 0, 0, 5, -100, 0, 0, 0, 0, 0};
    const cudaArray_t array = make_rows(start, 4, 3);
    reduce<<<1, 32>>>(make_surface(array));
    int after[12];
    read_rows(array, after, 4, 3);
    expect("sured.add", 0, after[5], 5 + 496);
    expect("sured.max", 0, after[6], -9);
}

__global__ void store_texels(cudaSurfaceObject_t surface, uint4 values) {
    asm volatile("sust.p.2d.v4.b32.trap [%0, {1, 1}], {%1, %2, %3, %4};" ::"l"(surface), "r"(values.x), "r"(values.y), "r"(values.z),
                 "r"(values.w));
    asm volatile("sust.p.2d.v2.b32.clamp [%0, {9, 0}], {%1, %2};" ::"l"(surface), "r"(values.x), "r"(values.y));
    asm volatile("sust.p.2d.b32.zero [%0, {4, 0}], {%1};" ::"l"(surface), "r"(values.x));
}

/// Rows of four texels of T, all of 0xAB, after store_texels(): (1, 1) and (3, 0) are written.
template <class T> void test_texels(const char* name, uint4 values, T wanted, T wanted_of_two) {
    T texels[8];
    std::memset(texels, 0xAB, sizeof texels);
    const cudaArray_t array = make_rows(texels, 4, 2);
    const cudaSurfaceObject_t surface = make_surface(array);
    store_texels<<<1, 1>>>(surface, values);
    T got[8];
    read_rows(array, got, 4, 2);
    texels[5] = wanted;
    texels[3] = wanted_of_two;
    for (int i = 0; i < static_cast<int>(sizeof texels); ++i)
        expect(name, i, reinterpret_cast<unsigned char*>(got)[i], reinterpret_cast<unsigned char*>(texels)[i]);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
}

__global__ void reduce_texels(cudaSurfaceObject_t surface, int value) {
    asm volatile("sured.p.min.2d.b32.trap [%0, {2, 1}], %1;" ::"l"(surface), "r"(value));
    asm volatile("sured.p.add.2d.b32.clamp [%0, {9, 0}], %1;" ::"l"(surface), "r"(value));
}

template <class T> void test_reduction(const char* name, T wanted) {
    T texels[8] = {100, 101, 102, 103, 104, 105, 106, 107};
    const cudaArray_t array = make_rows(texels, 4, 2);
    const cudaSurfaceObject_t surface = make_surface(array);
    reduce_texels<<<1, 1>>>(surface, -16);
    read_rows(array, texels, 4, 2);
    expect(name, 0, texels[6], wanted);
    expect(name, 1, texels[3], 103 - 16);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
}

unsigned bits_of(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// The results of an H200.
void test_formats() {
    test_texels<uchar4>("u8", {1, 300, 0xFFFFFFF0, 70000}, {1, 255, 255, 255}, {1, 255, 0, 0});
    test_texels<char4>("s8", {1, 300, 0xFFFFFFF0, 0xFFFF0000}, {1, 127, -16, -128}, {1, 127, 0, 0});
    test_texels<ushort2>("u16", {5, 70000, 3, 4}, {5, 65535}, {5, 65535});
    test_texels<short1>("s16", {70000, 2, 3, 4}, {32767}, {32767});
    test_texels<uint4>("u32", {1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 0, 0});
    test_texels<float4>("f32", {bits_of(1), bits_of(2), bits_of(3), bits_of(4)}, {1, 2, 3, 4}, {1, 2, 0, 0});
    test_reduction<int>("reduction of s32", -16);
    test_reduction<unsigned>("reduction of u32", 106);
}

int main() {
    test_formats();
    test<int2>("1D", Kind::one, make_cudaExtent(40, 0, 0), 0);
    test<uchar4>("2D of uchar4", Kind::two, make_cudaExtent(9, 7, 0), 0);
    test<float4>("2D of float4", Kind::two, make_cudaExtent(9, 7, 0), 0);
    test<short2>("3D", Kind::three, make_cudaExtent(5, 4, 3), 0);
    test<char2>("1D layered", Kind::one_layered, make_cudaExtent(5, 0, 4), cudaArrayLayered);
    test<int4>("2D layered", Kind::two_layered, make_cudaExtent(5, 4, 3), cudaArrayLayered);
    test<float2>("cube", Kind::cube, make_cudaExtent(4, 4, 6), cudaArrayCubemap);
    test_outside();
    test_reductions();
    std::printf(errors ? "%d errors\n" : "ok\n", errors);
    return errors != 0;
}
