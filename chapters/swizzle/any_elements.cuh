// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Elements of 1 to 16 bytes in rows of any number of them, of matrices that begin at any of them.
#pragma once

#include "constants.cuh"

#include <cstdint>
#include <type_traits>

// [WordOf]
// The type that a lane stores at once: an element, or 4 bytes of smaller ones.
template <int BYTES>
struct WordOf {
    using type = uint32_t;
};
template <>
struct WordOf<8> {
    using type = uint64_t;
};
template <>
struct WordOf<16> {
    using type = uint4;
};
// [/WordOf]

// [Tile]
constexpr int LANES = 32;
constexpr int BANKS = 32;

// A tile lies in shared memory as it is written: by columns, of which a word holds PER_WORD rows.
// The rows are those that the block writes, and before them those of a sector.
template <class Element, int COLUMNS_, int ROWS_, int THREADS_>
struct Tile {
    using Word = typename WordOf<sizeof(Element)>::type;
    static constexpr int COLUMNS = COLUMNS_, ROWS = ROWS_, THREADS = THREADS_, WARPS = THREADS / LANES;
    static constexpr int PER_WORD = sizeof(Word) / sizeof(Element),
                         PER_SECTOR = SECTOR_BYTES / sizeof(Element);
    static constexpr int ALL_ROWS = ROWS + PER_SECTOR, COLUMN_WORDS = ALL_ROWS / PER_WORD;

    // Good: lanes take columns 1, 4 or 8 apart. With an odd pitch these fill the banks, every 4th
    // or every 8th of them, and one word more every 32 columns fills those between.
    static constexpr int PITCH = COLUMN_WORDS | 1;
    __host__ __device__ static constexpr int place(int column, int word)
    {
        return column * PITCH + column / BANKS + word;
    }
    static constexpr int WORDS = COLUMNS * PITCH + COLUMNS / BANKS;
};
// [/Tile]

// [load_prefetching]
// Loads that ask the L2 to bring the 256 bytes around them, for the block of the next columns.
#if __CUDA_ARCH__ < 800
template <class Unit>
__device__ Unit load_prefetching(const Unit* from)
{
    return *from;
}
#else
__device__ uint32_t load_prefetching(const uint32_t* from)
{
    uint32_t value;
    asm volatile("ld.global.L2::256B.u32 %0, [%1];" : "=r"(value) : "l"(from));
    return value;
}

__device__ uint64_t load_prefetching(const uint64_t* from)
{
    uint64_t value;
    asm volatile("ld.global.L2::256B.u64 %0, [%1];" : "=l"(value) : "l"(from));
    return value;
}

__device__ uint2 load_prefetching(const uint2* from)
{
    uint2 value;
    asm volatile("ld.global.L2::256B.v2.u32 {%0, %1}, [%2];" : "=r"(value.x), "=r"(value.y) : "l"(from));
    return value;
}

__device__ uint4 load_prefetching(const uint4* from)
{
    uint4 value;
    asm volatile("ld.global.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
        : "l"(from));
    return value;
}
#endif
// [/load_prefetching]

// [Piece]
// The piece of a row that a lane takes: an element, or 8 bytes of smaller ones. These begin in a unit of 8,
// `late` bits behind its start, and end in the next: both are loaded, each from where it lies.
template <class Element>
struct Piece {
    using Word = typename WordOf<sizeof(Element)>::type;
    using Unit = std::conditional_t<sizeof(Element) < sizeof(Word), uint2, Word>;
    static constexpr int WORDS = sizeof(Unit) / sizeof(Word);

    uintptr_t unit;
    unsigned late;

    __device__ void begin_at(const Element* first)
    {
        unit = reinterpret_cast<uintptr_t>(first) & ~(sizeof(Unit) - 1);
        late = reinterpret_cast<uintptr_t>(first) % sizeof(Unit) * 8;
    }

    __device__ void load(Word (&words)[WORDS]) const
    {
        auto from = reinterpret_cast<const Unit*>(unit);
        if constexpr (WORDS == 1) {
            words[0] = load_prefetching(from);
        } else {
            uint2 low = load_prefetching(from), high = load_prefetching(from + 1);
            bool second = late >= 32;
            uint32_t begin = second ? low.y : low.x, middle = second ? high.x : low.y,
                     end = second ? high.y : high.x;
            words[0] = __funnelshift_r(begin, middle, late);
            words[1] = __funnelshift_r(middle, end, late);
        }
    }
};
// [/Piece]

// [columns_of]
// From the words of as many rows as a word has elements, the words of as many columns.
__device__ void columns_of(uint32_t (&words)[4])
{
    uint32_t a = __byte_perm(words[0], words[1], 0x5140), b = __byte_perm(words[0], words[1], 0x7362);
    uint32_t c = __byte_perm(words[2], words[3], 0x5140), d = __byte_perm(words[2], words[3], 0x7362);
    words[0] = __byte_perm(a, c, 0x5410), words[1] = __byte_perm(a, c, 0x7632);
    words[2] = __byte_perm(b, d, 0x5410), words[3] = __byte_perm(b, d, 0x7632);
}

__device__ void columns_of(uint32_t (&words)[2])
{
    uint32_t first = __byte_perm(words[0], words[1], 0x5410);
    words[1] = __byte_perm(words[0], words[1], 0x7632);
    words[0] = first;
}

template <class Word>
__device__ void columns_of(Word (&)[1])
{}
// [/columns_of]

// [load_inside]
// Loads a row of a tile that lies inside the matrix: no lane looks where the matrix ends.
template <class Tile, class Element>
__device__ void load_inside(typename Tile::Word* tile, const Element* input, int width, int left, int top)
{
    constexpr int PER_WORD = Tile::PER_WORD, WORDS = Piece<Element>::WORDS,
                  PIECES = Tile::COLUMNS / (WORDS * PER_WORD);
    constexpr int STEP = Tile::THREADS / PIECES, LOADS = (Tile::COLUMN_WORDS + STEP - 1) / STEP;
    int column = threadIdx.x % PIECES * (WORDS * PER_WORD), first = threadIdx.x / PIECES;

    Piece<Element> rows[PER_WORD];
    for (int p = 0; p < PER_WORD; ++p)
        rows[p].begin_at(
            input + static_cast<ptrdiff_t>(top + first * PER_WORD + p) * width + left + column);

    // A step is of whole units: each row is as late as the one a step before it.
    static_assert(STEP * PER_WORD * sizeof(Element) % sizeof(typename Piece<Element>::Unit) == 0);
    ptrdiff_t step_bytes = static_cast<ptrdiff_t>(STEP * PER_WORD * sizeof(Element)) * width;
#pragma unroll
    for (int i = 0; i < LOADS; ++i) {
        int word = first + i * STEP;
        bool inside = (i + 1) * STEP <= Tile::COLUMN_WORDS || word < Tile::COLUMN_WORDS;
        typename Tile::Word words[WORDS][PER_WORD] = {};
        for (int p = 0; p < PER_WORD; ++p) {
            typename Tile::Word piece[WORDS] = {};
            if (inside)
                rows[p].load(piece);
            for (int w = 0; w < WORDS; ++w)
                words[w][p] = piece[w];
            rows[p].unit += step_bytes;
        }
        for (int w = 0; w < WORDS; ++w) {
            columns_of(words[w]);
            for (int p = 0; p < PER_WORD; ++p)
                if (inside)
                    tile[Tile::place(column + w * PER_WORD + p, word)] = words[w][p];
        }
    }
}
// [/load_inside]

// [load_at_edge]
// Of any tile: each element for itself, if the matrix has it.
template <class Tile, class Element>
__device__ void load_at_edge(
    typename Tile::Word* tile, const Element* input, int width, int height, int left, int top)
{
#pragma unroll 4
    for (int i = threadIdx.x; i < Tile::COLUMNS * Tile::COLUMN_WORDS; i += Tile::THREADS) {
        int column = i % Tile::COLUMNS, word = i / Tile::COLUMNS, x = left + column;
        alignas(typename Tile::Word) Element elements[Tile::PER_WORD] = {};
        for (int p = 0; p < Tile::PER_WORD; ++p) {
            int y = top + word * Tile::PER_WORD + p;
            if (x < width && y >= 0 && y < height)
                elements[p] = input[static_cast<size_t>(y) * width + x];
        }
        tile[Tile::place(column, word)] = *reinterpret_cast<typename Tile::Word*>(elements);
    }
}
// [/load_at_edge]

// [store]
// A warp writes a row of the output from where its first sector begins: neighboring words by lane.
template <class Tile, bool INSIDE, class Element>
__device__ void store(
    Element* output, const typename Tile::Word* tile, int width, int height, int left, int top)
{
    using Word = typename Tile::Word;
    constexpr int PER_WORD = Tile::PER_WORD, PER_SECTOR = Tile::PER_SECTOR;
    // Rows of the output that far apart begin at the same place in a sector.
    constexpr int STEP = Tile::WARPS > PER_SECTOR ? Tile::WARPS : PER_SECTOR;
    static_assert(STEP % PER_SECTOR == 0 && STEP % Tile::WARPS == 0 && Tile::COLUMNS % STEP == 0);

    for (int first = threadIdx.x / LANES; first < STEP; first += Tile::WARPS) {
        Element* begin = output + static_cast<size_t>(left + first) * height;
        int back = reinterpret_cast<uintptr_t>(begin) / sizeof(Element) % PER_SECTOR,
            row = PER_SECTOR - back;
        // Its words of the tile begin within words: in `low`, and they end in `high`.
        const Word* low = &tile[Tile::place(first, row / PER_WORD + threadIdx.x % LANES)];
        const Word* high = &tile[Tile::place(first, (row + PER_WORD - 1) / PER_WORD + threadIdx.x % LANES)];
        int y = top + row + threadIdx.x % LANES * PER_WORD;
        Element* to = begin + y;
        for (int column = 0; column < Tile::COLUMNS;
            column += STEP, to += STEP * static_cast<ptrdiff_t>(height)) {
            if (!INSIDE && left + first + column >= width)
                break;
            for (int j = 0; j < Tile::ROWS; j += LANES * PER_WORD) {
                if (!INSIDE && (y + j + PER_WORD <= 0 || y + j >= height))
                    continue;
                Word word = low[Tile::place(column, j / PER_WORD)];
                if constexpr (PER_WORD > 1)
                    word = __funnelshift_r(word, high[Tile::place(column, j / PER_WORD)],
                        row % PER_WORD * (8 * sizeof(Element)));
                if (INSIDE || (y + j >= 0 && y + j + PER_WORD <= height))
                    *reinterpret_cast<Word*>(to + j) = word;
                else
                    for (int p = 0; p < PER_WORD; ++p)
                        if (y + j + p >= 0 && y + j + p < height)
                            to[j + p] = reinterpret_cast<const Element*>(&word)[p];
            }
        }
    }
}
// [/store]

// [transpose_any]
template <class Element, int COLUMNS, int ROWS, int THREADS>
__device__ void transpose_any(Element* output, const Element* input, int width, int height)
{
    using Block = Tile<Element, COLUMNS, ROWS, THREADS>;
    __shared__ typename Block::Word tile[Block::WORDS];

    int left = blockIdx.y * COLUMNS, top = static_cast<int>(blockIdx.x * ROWS) - Block::PER_SECTOR;
    bool inside = top > 0 && top + Block::ALL_ROWS < height && left + COLUMNS <= width;
    if (inside)
        load_inside<Block>(tile, input, width, left, top);
    else
        load_at_edge<Block>(tile, input, width, height, left, top);

    __syncthreads();

    if (inside)
        store<Block, true>(output, tile, width, height, left, top);
    else
        store<Block, false>(output, tile, width, height, left, top);
}
// [/transpose_any]

// [transpose_any_1_byte]
__global__ void __launch_bounds__(256, 4)
    transpose_any_1_byte(uint8_t* output, const uint8_t* input, int width, int height)
{
    // At most 64 registers, so that four blocks fit a multiprocessor.
    transpose_any<uint8_t, 256, 128, 256>(output, input, width, height);
}
// [/transpose_any_1_byte]

// [transpose_any_2_bytes]
__global__ void __launch_bounds__(256, 4)
    transpose_any_2_bytes(uint16_t* output, const uint16_t* input, int width, int height)
{
    transpose_any<uint16_t, 128, 128, 256>(output, input, width, height);
}
// [/transpose_any_2_bytes]

// [transpose_any_4_bytes]
__global__ void __launch_bounds__(512)
    transpose_any_4_bytes(uint32_t* output, const uint32_t* input, int width, int height)
{
    transpose_any<uint32_t, 64, 64, 512>(output, input, width, height);
}
// [/transpose_any_4_bytes]

// [transpose_any_8_bytes]
__global__ void __launch_bounds__(512)
    transpose_any_8_bytes(uint64_t* output, const uint64_t* input, int width, int height)
{
    transpose_any<uint64_t, 64, 32, 512>(output, input, width, height);
}
// [/transpose_any_8_bytes]

// [transpose_any_16_bytes]
__global__ void __launch_bounds__(256)
    transpose_any_16_bytes(uint4* output, const uint4* input, int width, int height)
{
    transpose_any<uint4, 16, 32, 256>(output, input, width, height);
}
// [/transpose_any_16_bytes]
