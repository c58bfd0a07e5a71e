// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Surfaces of each kind, read and written by kernels, and what happens outside them.

#include <cstdio>
#include <vector>

int errors = 0;

void check(cudaError_t error, const char* what)
{
    if (error == cudaSuccess) return;
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
    ++errors;
}

void expect(const char* what, int i, long long got, long long wanted)
{
    if (got == wanted || ++errors > 40) return;
    std::printf("%s, value %d: %lld, and not %lld\n", what, i, got, wanted);
}

enum class Kind { one, two, three, one_layered, two_layered, cube };

template <class T>
__global__ void fill(Kind kind, cudaSurfaceObject_t surface, uint3 extent)
{
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

template <class T>
__global__ void copy_out(Kind kind, cudaSurfaceObject_t surface, uint3 extent, T* out)
{
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

cudaSurfaceObject_t make_surface(cudaArray_t array)
{
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface = 0;
    check(cudaCreateSurfaceObject(&surface, &resource), "cudaCreateSurfaceObject");
    return surface;
}

template <class T>
void test(const char* name, Kind kind, cudaExtent extent, unsigned flags)
{
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

__global__ void go_outside(cudaSurfaceObject_t surface, int* out)
{
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

void test_outside()
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    check(cudaMallocArray(&array, &format, 4, 3, cudaArraySurfaceLoadStore), "cudaMallocArray");
    const int start[] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
    check(cudaMemcpy2DToArray(array, 0, 0, start, 16, 16, 3, cudaMemcpyDefault), "cudaMemcpy2DToArray");
    int *out, got[7], after[12];
    check(cudaMalloc(&out, sizeof got), "cudaMalloc");
    go_outside<<<1, 1>>>(make_surface(array), out);
    check(cudaMemcpy(got, out, sizeof got, cudaMemcpyDefault), "go_outside");
    check(cudaMemcpy2DFromArray(after, 16, array, 0, 0, 16, 3, cudaMemcpyDefault), "cudaMemcpy2DFromArray");
    const int wanted[] = {0, 0, 8, 10, 8, 4, 3};
    for (int i = 0; i < 7; ++i) expect("outside", i, got[i], wanted[i]);
    for (int i = 0; i < 12; ++i) expect("after stores outside", i, after[i], i == 11 ? 8 : start[i]);
}

__global__ void reduce(cudaSurfaceObject_t surface)
{
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(surface), "r"(4), "r"(1), "r"(threadIdx.x));
    asm volatile("sured.b.max.2d.s32.trap [%0, {%1, %2}], %3;" ::"l"(surface), "r"(8), "r"(1), "r"(static_cast<int>(threadIdx.x) - 40));
}

void test_reductions()
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    check(cudaMallocArray(&array, &format, 4, 3, cudaArraySurfaceLoadStore), "cudaMallocArray");
    const int start[] = {0, 0, 0, 0, 0, 5, -100, 0, 0, 0, 0, 0};
    check(cudaMemcpy2DToArray(array, 0, 0, start, 16, 16, 3, cudaMemcpyDefault), "cudaMemcpy2DToArray");
    reduce<<<1, 32>>>(make_surface(array));
    int after[12];
    check(cudaMemcpy2DFromArray(after, 16, array, 0, 0, 16, 3, cudaMemcpyDefault), "cudaMemcpy2DFromArray");
    expect("sured.add", 0, after[5], 5 + 496);
    expect("sured.max", 0, after[6], -9);
}

int main()
{
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
