// One warp, one access to a texture or a surface, many patterns of texels. Texels are numbered along the rows of their array or
// memory; an argument such as "texture image" runs only these cases.

#include "feature_patterns.cuh"

char* memory;
uint4* output;

/// The extents of the array or memory for each operation.
constexpr unsigned IMAGE = 64, ROW = 4096, SMALL = 16, CUBE_FACES = 6;

template <class T> __device__ unsigned texel_of(const Pattern& pattern) {
    return pattern.offset[threadIdx.x] / static_cast<unsigned>(sizeof(T));
}

template <class T> __global__ void fetch(T* output, cudaTextureObject_t texture, const __grid_constant__ Pattern pattern) {
    if (takes_part(pattern)) output[threadIdx.x] = tex1Dfetch<T>(texture, static_cast<int>(texel_of<T>(pattern)));
}

template <class T> __global__ void row(T* output, cudaTextureObject_t texture, const __grid_constant__ Pattern pattern) {
    if (takes_part(pattern)) output[threadIdx.x] = tex1D<T>(texture, static_cast<float>(texel_of<T>(pattern)) + 0.5f);
}

/// With `centre` 0.5 one texel is read; with 1 a linear filter mixes four.
template <class T> __global__ void image(T* output, cudaTextureObject_t texture, float centre, const __grid_constant__ Pattern pattern) {
    const unsigned texel = texel_of<T>(pattern);
    if (takes_part(pattern))
        output[threadIdx.x] =
            tex2D<T>(texture, static_cast<float>(texel % IMAGE) + centre, static_cast<float>(texel / IMAGE % IMAGE) + centre);
}

template <class T> __global__ void gather(unsigned* output, cudaTextureObject_t texture, const __grid_constant__ Pattern pattern) {
    const unsigned texel = texel_of<T>(pattern);
    if (!takes_part(pattern)) return;
    const uint4 four =
        tex2Dgather<uint4>(texture, static_cast<float>(texel % IMAGE) + 1.0f, static_cast<float>(texel / IMAGE % IMAGE) + 1.0f);
    output[threadIdx.x] = four.x + four.y + four.z + four.w;
}

template <class T> __global__ void volume(T* output, cudaTextureObject_t texture, const __grid_constant__ Pattern pattern) {
    const unsigned texel = texel_of<T>(pattern);
    if (takes_part(pattern))
        output[threadIdx.x] = tex3D<T>(texture, static_cast<float>(texel % SMALL) + 0.5f, static_cast<float>(texel / SMALL % SMALL) + 0.5f,
                                       static_cast<float>(texel / SMALL / SMALL % SMALL) + 0.5f);
}

template <class T> __global__ void layers(T* output, cudaTextureObject_t texture, const __grid_constant__ Pattern pattern) {
    const unsigned texel = texel_of<T>(pattern);
    if (takes_part(pattern))
        output[threadIdx.x] =
            tex2DLayered<T>(texture, static_cast<float>(texel % SMALL) + 0.5f, static_cast<float>(texel / SMALL % SMALL) + 0.5f,
                            static_cast<int>(texel / SMALL / SMALL % SMALL));
}

/// The faces are those of the axes x, -x, y, -y, z, -z; the texel is told by the two other coordinates.
template <class T> __global__ void cube(T* output, cudaTextureObject_t texture, const __grid_constant__ Pattern pattern) {
    const unsigned texel = texel_of<T>(pattern), face = texel / SMALL / SMALL % CUBE_FACES;
    const float s = (static_cast<float>(texel % SMALL) + 0.5f) * 2 / SMALL - 1,
                t = (static_cast<float>(texel / SMALL % SMALL) + 0.5f) * 2 / SMALL - 1;
    const float x[] = {1, -1, s, s, s, -s}, y[] = {-t, -t, 1, -1, -t, -t}, z[] = {-s, s, t, -t, 1, -1};
    if (takes_part(pattern)) output[threadIdx.x] = texCubemap<T>(texture, x[face], y[face], z[face]);
}

template <class T> __global__ void surface_load(T* output, cudaSurfaceObject_t surface, const __grid_constant__ Pattern pattern) {
    const unsigned texel = texel_of<T>(pattern);
    if (takes_part(pattern))
        output[threadIdx.x] = surf2Dread<T>(surface, static_cast<int>(texel % IMAGE * sizeof(T)), static_cast<int>(texel / IMAGE % IMAGE));
}

template <class T> __global__ void surface_store(T value, cudaSurfaceObject_t surface, const __grid_constant__ Pattern pattern) {
    const unsigned texel = texel_of<T>(pattern);
    if (takes_part(pattern))
        surf2Dwrite<T>(value, surface, static_cast<int>(texel % IMAGE * sizeof(T)), static_cast<int>(texel / IMAGE % IMAGE));
}

cudaTextureObject_t texture_of(const cudaResourceDesc& resource, cudaTextureFilterMode filter) {
    cudaTextureDesc how{};
    how.readMode = cudaReadModeElementType;
    how.filterMode = filter;
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
    cudaTextureObject_t made = 0;
    check(cudaCreateTextureObject(&made, &resource, &how, nullptr));
    return made;
}

template <class T> cudaTextureObject_t texture_of_memory() {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = SHARED_BYTES;
    return texture_of(resource, cudaFilterModePoint);
}

template <class T> cudaResourceDesc array_of(cudaExtent extent, unsigned flags) {
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<T>();
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    check(cudaMalloc3DArray(&resource.res.array.array, &texel, extent, flags));
    return resource;
}

template <class T> void add_ways(std::vector<Way>& ways) {
    constexpr int bytes = sizeof(T);
    static T* const out = reinterpret_cast<T*>(output);
    static const cudaTextureObject_t of_memory = texture_of_memory<T>();
    static const auto of = [](cudaExtent extent, unsigned flags) { return texture_of(array_of<T>(extent, flags), cudaFilterModePoint); };
    static const cudaTextureObject_t of_row = of({ROW, 0, 0}, 0), of_image = of({IMAGE, IMAGE, 0}, 0),
                                     of_volume = of({SMALL, SMALL, SMALL}, 0);
    static const cudaTextureObject_t of_layers = of({SMALL, SMALL, SMALL}, cudaArrayLayered),
                                     of_cube = of({SMALL, SMALL, CUBE_FACES}, cudaArrayCubemap);
    ways.push_back({"texture", "fetch", bytes, [](const Pattern& p) { fetch<T><<<1, LANES>>>(out, of_memory, p); }});
    ways.push_back({"texture", "row", bytes, [](const Pattern& p) { row<T><<<1, LANES>>>(out, of_row, p); }});
    ways.push_back({"texture", "image", bytes, [](const Pattern& p) { image<T><<<1, LANES>>>(out, of_image, 0.5f, p); }});
    ways.push_back({"texture", "volume", bytes, [](const Pattern& p) { volume<T><<<1, LANES>>>(out, of_volume, p); }});
    ways.push_back({"texture", "layers", bytes, [](const Pattern& p) { layers<T><<<1, LANES>>>(out, of_layers, p); }});
    ways.push_back({"texture", "cube", bytes, [](const Pattern& p) { cube<T><<<1, LANES>>>(out, of_cube, p); }});
    cudaSurfaceObject_t made = 0;
    const cudaResourceDesc resource = array_of<T>({IMAGE, IMAGE, 0}, cudaArraySurfaceLoadStore);
    check(cudaCreateSurfaceObject(&made, &resource));
    static const cudaSurfaceObject_t surface = made;
    ways.push_back({"texture", "surface_load", bytes, [](const Pattern& p) { surface_load<T><<<1, LANES>>>(out, surface, p); }});
    ways.push_back({"texture", "surface_store", bytes, [](const Pattern& p) { surface_store<T><<<1, LANES>>>(T{}, surface, p); }});
}

template <class T> void add_filtered(std::vector<Way>& ways) {
    static const cudaTextureObject_t of_image = texture_of(array_of<T>({IMAGE, IMAGE, 0}, 0), cudaFilterModeLinear);
    ways.push_back({"texture", "filtered", static_cast<int>(sizeof(T)),
                    [](const Pattern& p) { image<T><<<1, LANES>>>(reinterpret_cast<T*>(output), of_image, 1.0f, p); }});
}

void add_gathered(std::vector<Way>& ways) {
    static const cudaTextureObject_t of_image =
        texture_of(array_of<unsigned>({IMAGE, IMAGE, 0}, cudaArrayTextureGather), cudaFilterModePoint);
    ways.push_back({"texture", "gather", 4,
                    [](const Pattern& p) { gather<unsigned><<<1, LANES>>>(reinterpret_cast<unsigned*>(output), of_image, p); }});
}

int main(int count, char** arguments) {
    check(cudaMalloc(&memory, SHARED_BYTES));
    check(cudaMemset(memory, 0, SHARED_BYTES));
    check(cudaMalloc(&output, 64 * sizeof(uint4)));
    std::vector<Way> ways;
    add_ways<unsigned char>(ways);
    add_ways<unsigned>(ways);
    add_ways<uint2>(ways);
    add_ways<uint4>(ways);
    add_filtered<float>(ways);
    add_filtered<float2>(ways);
    add_filtered<float4>(ways);
    add_gathered(ways);
    Prober(ways, count > 1 ? arguments[1] : "").run_all();
    return 0;
}
