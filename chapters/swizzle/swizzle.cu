// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Can a tile be free of conflicts with no padding at all?
//
// Padding moves each row of a tile on. Swizzling leaves the rows where they are, and exchanges the columns within each by
// XOR with the row's number. It costs no shared memory, it works where accesses of 16 bytes leave padding no room, and
// the same pattern serves elements of 1 to 16 bytes.

#include <conflict_free/matrix_chapter.hpp>

#include <cstdint>
#include <cstring>

// [constants]
// The square tile of single floats.
constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;

// A unit is what one access of 16 bytes moves. Eight of them fill the banks.
constexpr int UNIT_BYTES = 16;
constexpr int UNITS_IN_BANKS = 8;

// The square tile of units: 64 x 64 floats.
constexpr int WIDE_DIM = 64;
constexpr int UNIT_FLOATS = 4;
constexpr int UNITS = WIDE_DIM / UNIT_FLOATS;

constexpr int SECTOR_BYTES = 32;
// [/constants]

// [transpose_swizzled_scalar]
__global__ void transpose_swizzled_scalar(float* output, const float* input, int width, int height)
{
    // No padding: 32 rows of 32 words.
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    // Column x of row y lies in place x ^ y of that row.
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = input[(y + j) * width + x];

    __syncthreads();

    // Good: down a column, each row has it in another place.
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            output[(y + j) * height + x] = tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x];
}
// [/transpose_swizzled_scalar]

// [column_of]
__device__ float element(const float4& unit, int i) { return i == 0 ? unit.x : i == 1 ? unit.y : i == 2 ? unit.z : unit.w; }

// Column i of a block of 4 x 4, whose rows lie in registers. Once the loop
// over i is unrolled this moves nothing: it says which register is which.
__device__ float4 column_of(const float4* rows, int i)
{
    return make_float4(element(rows[0], i), element(rows[1], i), element(rows[2], i), element(rows[3], i));
}
// [/column_of]

// [transpose_swizzled_vectorized]
__global__ void transpose_swizzled_vectorized(float* output, const float* input, int width, int height)
{
    // Each row is a column of the input: 16 units, and no padding.
    __shared__ float4 tile[WIDE_DIM][UNITS];

    int x = blockIdx.y * WIDE_DIM + UNIT_FLOATS * threadIdx.x;
    int y = blockIdx.x * WIDE_DIM + UNIT_FLOATS * threadIdx.y;

    // A thread takes a block of 4 x 4: four loads of 16 bytes.
    float4 rows[UNIT_FLOATS];
    if (x < width && y < height) {
        for (int i = 0; i < UNIT_FLOATS; ++i)
            rows[i] = *reinterpret_cast<const float4*>(&input[(y + i) * width + x]);

        // Good: eight neighboring lanes have eight different threadIdx.x % 8.
        for (int i = 0; i < UNIT_FLOATS; ++i)
            tile[UNIT_FLOATS * threadIdx.x + i][threadIdx.y ^ threadIdx.x % UNITS_IN_BANKS] = column_of(rows, i);
    }

    __syncthreads();

    // Good: a row of the tile is 256 bytes of a row of the output.
    x = blockIdx.x * WIDE_DIM + UNIT_FLOATS * threadIdx.x;
    y = blockIdx.y * WIDE_DIM + threadIdx.y;
    for (int j = 0; j < WIDE_DIM; j += UNITS)
        if (x < height && y + j < width) {
            unsigned row = threadIdx.y + j;
            float4 unit = tile[row][threadIdx.x ^ row / UNIT_FLOATS % UNITS_IN_BANKS];
            *reinterpret_cast<float4*>(&output[(y + j) * height + x]) = unit;
        }
}
// [/transpose_swizzled_vectorized]

// [transpose_elements]
// A tile of COLUMNS x ROWS elements in shared memory, by units. Width and height must be multiples of those in a unit.
template <class Element, int COLUMNS, int ROWS, int THREADS>
__device__ void transpose_elements(Element* output, const Element* input, int width, int height)
{
    constexpr int PER_UNIT = UNIT_BYTES / sizeof(Element);
    constexpr int ROW_UNITS = COLUMNS / PER_UNIT;
    constexpr int LOADS = ROWS * ROW_UNITS / THREADS;
    constexpr int STORES = COLUMNS * (ROWS / PER_UNIT) / THREADS;
    __shared__ uint4 tile[ROWS][ROW_UNITS];

    int left = blockIdx.y * COLUMNS, top = blockIdx.x * ROWS;
    int place = threadIdx.x % ROW_UNITS, row = threadIdx.x / ROW_UNITS;

    uint4 units[LOADS];
    for (int i = 0; i < LOADS; ++i) {
        int x = left + place * PER_UNIT, y = top + row + i * (THREADS / ROW_UNITS);
        bool inside = x < width && y < height;
        units[i] = inside ? *reinterpret_cast<const uint4*>(&input[static_cast<size_t>(y) * width + x]) : uint4{};
    }
    // The rows of one unit of the output have the same swizzle.
    for (int i = 0; i < LOADS; ++i) {
        int r = row + i * (THREADS / ROW_UNITS);
        tile[r][place ^ r / PER_UNIT % UNITS_IN_BANKS] = units[i];
    }

    __syncthreads();

    // A warp writes 8 units of each of 4 rows of the output.
    for (int i = 0; i < STORES; ++i) {
        int index = threadIdx.x / UNITS_IN_BANKS + i * (THREADS / UNITS_IN_BANKS);
        int column = index % COLUMNS;
        int unit = threadIdx.x % UNITS_IN_BANKS + index / COLUMNS * UNITS_IN_BANKS;
        int x = top + unit * PER_UNIT, y = left + column;
        alignas(uint4) Element elements[PER_UNIT];
        for (int k = 0; k < PER_UNIT; ++k) {
            const uint4& from = tile[unit * PER_UNIT + k][column / PER_UNIT ^ unit % UNITS_IN_BANKS];
            elements[k] = reinterpret_cast<const Element*>(&from)[column % PER_UNIT];
        }
        if (x < height && y < width)
            *reinterpret_cast<uint4*>(&output[static_cast<size_t>(y) * height + x]) = *reinterpret_cast<uint4*>(elements);
    }
}
// [/transpose_elements]

// [transpose_1_byte]
__global__ void __launch_bounds__(512) transpose_1_byte(uint8_t* output, const uint8_t* input, int width, int height)
{
    transpose_elements<uint8_t, 256, 128, 512>(output, input, width, height);
}
// [/transpose_1_byte]

// [transpose_2_bytes]
__global__ void __launch_bounds__(512) transpose_2_bytes(uint16_t* output, const uint16_t* input, int width, int height)
{
    transpose_elements<uint16_t, 128, 128, 512>(output, input, width, height);
}
// [/transpose_2_bytes]

// [transpose_4_bytes]
__global__ void __launch_bounds__(512) transpose_4_bytes(uint32_t* output, const uint32_t* input, int width, int height)
{
    transpose_elements<uint32_t, 64, 64, 512>(output, input, width, height);
}
// [/transpose_4_bytes]

// [transpose_8_bytes]
__global__ void __launch_bounds__(512) transpose_8_bytes(uint64_t* output, const uint64_t* input, int width, int height)
{
    transpose_elements<uint64_t, 32, 64, 512>(output, input, width, height);
}
// [/transpose_8_bytes]

// [transpose_16_bytes]
__global__ void __launch_bounds__(512) transpose_16_bytes(uint4* output, const uint4* input, int width, int height)
{
    transpose_elements<uint4, 32, 32, 512>(output, input, width, height);
}
// [/transpose_16_bytes]

// [load_unit]
// The unit that begins at `first`, of a matrix that ends at `end`. What lies behind its end is not read.
template <class Element>
__device__ uint4 load_unit(const Element* input, size_t first, size_t end)
{
    constexpr int PER_UNIT = UNIT_BYTES / sizeof(Element);
    if (first + PER_UNIT <= end) return *reinterpret_cast<const uint4*>(&input[first]);
    alignas(uint4) Element elements[PER_UNIT] = {};
    for (int k = 0; k < PER_UNIT; ++k)
        if (first + k < end) elements[k] = input[first + k];
    return *reinterpret_cast<uint4*>(elements);
}
// [/load_unit]

// [transpose_windows]
// Rows that begin anywhere: of each row of the input, the units that hold its piece of the tile, and of each row of the
// output, units from its first whole sector on. Both matrices must begin with a unit.
template <class Element, int COLUMNS, int ROWS, int THREADS>
__device__ void transpose_windows(Element* output, const Element* input, int width, int height)
{
    constexpr int PER_UNIT = UNIT_BYTES / sizeof(Element), PER_SECTOR = SECTOR_BYTES / sizeof(Element);
    constexpr int ROW_UNITS = COLUMNS / PER_UNIT + 1, TILE_ROWS = ROWS + PER_SECTOR;
    constexpr int PITCH = (ROW_UNITS + UNITS_IN_BANKS - 1) / UNITS_IN_BANKS * UNITS_IN_BANKS;
    constexpr int LOADS = (TILE_ROWS * ROW_UNITS + THREADS - 1) / THREADS;
    constexpr int STORES = COLUMNS * (ROWS / PER_UNIT) / THREADS;
    __shared__ uint4 tile[TILE_ROWS][PITCH];

    int left = blockIdx.y * COLUMNS, top = static_cast<int>(blockIdx.x * ROWS) - PER_SECTOR;
    uint4 units[LOADS];
    for (int i = 0; i < LOADS; ++i) {
        int index = threadIdx.x + i * THREADS, y = top + index / ROW_UNITS;
        bool inside = index < TILE_ROWS * ROW_UNITS && y >= 0 && y < height;
        size_t first = (static_cast<size_t>(y) * width + left) / PER_UNIT + index % ROW_UNITS;
        units[i] = inside ? load_unit(input, first * PER_UNIT, static_cast<size_t>(width) * height) : uint4{};
    }
    for (int i = 0; i < LOADS; ++i) {
        int index = threadIdx.x + i * THREADS, row = index / ROW_UNITS;
        if (index < TILE_ROWS * ROW_UNITS)
            tile[row][index % ROW_UNITS ^ row / PER_UNIT % UNITS_IN_BANKS] = units[i];
    }

    __syncthreads();

    for (int i = 0; i < STORES; ++i) {
        int index = threadIdx.x / UNITS_IN_BANKS + i * (THREADS / UNITS_IN_BANKS);
        int column = index % COLUMNS;
        int unit = threadIdx.x % UNITS_IN_BANKS + index / COLUMNS * UNITS_IN_BANKS;
        if (left + column >= width) continue;
        // The row of the output begins `back` elements behind the start of a sector.
        size_t begin = static_cast<size_t>(left + column) * height;
        int back = begin % PER_SECTOR;
        int row = PER_SECTOR - back + unit * PER_UNIT, x = top + row;
        if (x + PER_UNIT <= 0 || x >= height) continue;
        alignas(uint4) Element elements[PER_UNIT];
        for (int k = 0; k < PER_UNIT; ++k) {
            // Each row of the tile begins as many elements late as its row of the input.
            unsigned late = (static_cast<unsigned>(x + k) * width + left) % PER_UNIT;
            unsigned place = (column + late) / PER_UNIT ^ static_cast<unsigned>(row + k) / PER_UNIT % UNITS_IN_BANKS;
            elements[k] = reinterpret_cast<const Element*>(&tile[row + k][place])[(column + late) % PER_UNIT];
        }
        if (x >= 0 && x + PER_UNIT <= height)
            *reinterpret_cast<uint4*>(&output[begin + x]) = *reinterpret_cast<uint4*>(elements);
        else
            for (int k = 0; k < PER_UNIT; ++k)
                if (x + k >= 0 && x + k < height) output[begin + x + k] = elements[k];
    }
}
// [/transpose_windows]

// [transpose_windows_1_byte]
__global__ void __launch_bounds__(256) transpose_windows_1_byte(uint8_t* output, const uint8_t* input, int width, int height)
{
    transpose_windows<uint8_t, 128, 128, 256>(output, input, width, height);
}
// [/transpose_windows_1_byte]

// [transpose_windows_2_bytes]
__global__ void __launch_bounds__(256) transpose_windows_2_bytes(uint16_t* output, const uint16_t* input, int width, int height)
{
    transpose_windows<uint16_t, 128, 64, 256>(output, input, width, height);
}
// [/transpose_windows_2_bytes]

// [launch]
int blocks_for(int elements, int per_block) { return (elements + per_block - 1) / per_block; }

// Blocks numbered along the rows of tiles.
dim3 grid_along(int width, int height) { return dim3(blocks_for(width, TILE_DIM), blocks_for(height, TILE_DIM)); }

// Blocks numbered down the columns of tiles.
dim3 grid_down(int width, int height, int columns, int rows)
{
    return dim3(blocks_for(height, rows), blocks_for(width, columns));
}

const dim3 block(TILE_DIM, BLOCK_ROWS);
const dim3 block_of_units(UNITS, UNITS);
// [/launch]

// [entry]
using namespace conflict_free;

float transposed(const float* input, Size size, std::size_t index)
{
    std::size_t row = index / size.height, column = index % size.height;
    return input[column * size.width + row];
}

// The bytes of the matrix, taken as rows of other elements, of which the last CUT of each row's worth are left out.
template <class Element, int CUT>
Size as_elements(Size size) { return {static_cast<int>(size.width * sizeof(float) / sizeof(Element)) - CUT, size.height}; }

// Four bytes of the transpose of such a matrix.
template <class Element, int CUT>
float transposed_as(const float* input, Size size, std::size_t index)
{
    auto bytes = reinterpret_cast<const unsigned char*>(input);
    const Size matrix = as_elements<Element, CUT>(size);
    unsigned char expected[sizeof(float)];
    for (std::size_t i = 0; i < sizeof(float); ++i) {
        std::size_t element = (index * sizeof(float) + i) / sizeof(Element), part = (index * sizeof(float) + i) % sizeof(Element);
        std::size_t row = element / matrix.height, column = element % matrix.height;
        bool inside = element < matrix.count();
        expected[i] = inside ? bytes[(column * matrix.width + row) * sizeof(Element) + part] : 0xFF;
    }
    float value;
    std::memcpy(&value, expected, sizeof value);
    return value;
}

using Chapters = MatrixChapter<float>;

// Adds a kernel on elements of another type. Its tile has `columns` by `rows` of them.
template <class Element, int CUT = 0, class Kernel>
Chapters& add(Chapters& chapter, std::string name, Kernel kernel, int columns, int rows, int row_margin, int threads)
{
    return chapter.kernel(std::move(name),
        [=](const Matrices<float>& m) {
            const Size matrix = as_elements<Element, CUT>({m.width, m.height});
            const dim3 grid = grid_down(matrix.width, matrix.height + row_margin, columns, rows);
            auto output = reinterpret_cast<Element*>(m.output);
            auto input = reinterpret_cast<const Element*>(m.input);
            kernel<<<grid, threads>>>(output, input, matrix.width, matrix.height);
        }, transposed_as<Element, CUT>);
}

template <class Element, class Kernel>
void add_whole_units(Chapters& chapter, std::string name, Kernel kernel, int columns, int rows)
{
    add<Element>(chapter, std::move(name), kernel, columns, rows, 0, 512)
        .only_at_multiples_of(UNIT_BYTES)
        .expect(global_load.sectors_per_request == 16)
        .expect(global_store.sectors_per_request == 16)
        .expect(shared_load.conflicts == 0)
        .expect(shared_store.conflicts == 0);
}

// Without the last element of each row, rows are not multiples of a unit, nor of an even number of bytes.
template <class Element, class Kernel>
void add_windows(Chapters& chapter, std::string name, Kernel kernel, int columns, int rows)
{
    add<Element, 1>(chapter, std::move(name), kernel, columns, rows, SECTOR_BYTES / sizeof(Element) - 1, 256);
}

int main(int argc, char** argv)
{
    Chapters chapter("swizzle", "Can a tile be free of conflicts with no padding at all?");
    chapter.sizes({{2048, 2048}, {1024, 256}, {1008, 720}, {100, 70}, {16, 48}, {33, 31}, {31, 33}, {1, 7}, {1, 1}});
    chapter.gpu_sizes({{16384, 16384}, {8192, 8192}, {8191, 16385}, {16385, 8191}});
    chapter.whole_tiles(256);

    chapter.kernel("transpose_swizzled_scalar",
        [](const Matrices<float>& m) {
            transpose_swizzled_scalar<<<grid_along(m.width, m.height), block>>>(m.output, m.input, m.width, m.height);
        }, transposed)
        .expect(global_load.sectors_per_request == 4)
        .expect(global_store.sectors_per_request == 4)
        .expect(shared_load.conflicts == 0)
        .expect(shared_store.conflicts == 0);

    chapter.kernel("transpose_swizzled_vectorized",
        [](const Matrices<float>& m) {
            const dim3 grid = grid_down(m.width, m.height, WIDE_DIM, WIDE_DIM);
            transpose_swizzled_vectorized<<<grid, block_of_units>>>(m.output, m.input, m.width, m.height);
        }, transposed)
        .only_at_multiples_of(UNIT_FLOATS)
        .expect(global_load.sectors_per_request == 16)
        .expect(global_store.sectors_per_request == 16)
        .expect(shared_load.conflicts == 0)
        .expect(shared_store.conflicts == 0);

    add_whole_units<uint8_t>(chapter, "transpose_1_byte", transpose_1_byte, 256, 128);
    add_whole_units<uint16_t>(chapter, "transpose_2_bytes", transpose_2_bytes, 128, 128);
    add_whole_units<uint32_t>(chapter, "transpose_4_bytes", transpose_4_bytes, 64, 64);
    add_whole_units<uint64_t>(chapter, "transpose_8_bytes", transpose_8_bytes, 32, 64);
    add_whole_units<uint4>(chapter, "transpose_16_bytes", transpose_16_bytes, 32, 32);

    add_windows<uint8_t>(chapter, "transpose_windows_1_byte", transpose_windows_1_byte, 128, 128);
    add_windows<uint16_t>(chapter, "transpose_windows_2_bytes", transpose_windows_2_bytes, 128, 64);

    return chapter.run(argc, argv);
}
// [/entry]
