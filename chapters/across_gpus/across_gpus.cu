// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How do you transpose a matrix that is split by rows over several GPUs?

#include <algorithm>

#include "moves.cuh"

namespace across_gpus {

// [constants]
constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;
// [/constants]

// [transpose_blocks]
// Transposes a block of the matrix for each rank. A block goes to memory of this GPU or of
// another's: the kernel cannot tell.
__global__ void transpose_blocks(const __grid_constant__ Blocks blocks, unsigned tiles, bool in_turns)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // Good: tiles for this GPU and for others take turns, so that the links are busy all the time.
    const Block& block = blocks.block[in_turns ? blockIdx.x % blocks.count : blockIdx.x / tiles];
    int number = in_turns ? blockIdx.x / blocks.count : blockIdx.x % tiles;
    int tiles_down = (block.rows + TILE_DIM - 1) / TILE_DIM;
    int row = number % tiles_down * TILE_DIM, column = number / tiles_down * TILE_DIM;
    if (column >= block.columns)
        return;

    int x = column + threadIdx.x, y = row + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < block.columns && y + j < block.rows)
            tile[threadIdx.y + j][threadIdx.x] = block.source[(y + j) * block.source_pitch + x];

    __syncthreads();

    // Good: a warp writes 128 neighboring bytes, a whole line, be it of this GPU or of another.
    x = row + threadIdx.x, y = column + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < block.rows && y + j < block.columns)
            block.destination[(y + j) * block.destination_pitch + x] = tile[threadIdx.x][threadIdx.y + j];
}
// [/transpose_blocks]

// [transpose]
void transpose(const Blocks& blocks, cudaStream_t stream, bool in_turns = true)
{
    unsigned most = 0;
    for (int i = 0; i < blocks.count; ++i) {
        const Block& block = blocks.block[i];
        unsigned down = (block.rows + TILE_DIM - 1) / TILE_DIM,
                 across = (block.columns + TILE_DIM - 1) / TILE_DIM;
        most = std::max(most, down * across);
    }
    if (most == 0)
        return;
    transpose_blocks<<<most * blocks.count, dim3(TILE_DIM, BLOCK_ROWS), 0, stream>>>(
        blocks, most, in_turns);
    CHECK(cudaGetLastError());
}
// [/transpose]

// [as_pytorch]
// Transpose, pack, send, concatenate: four times through memory.
void as_pytorch(Rank& rank)
{
    std::size_t mine = rank.rows(rank.rank);
    Blocks whole{}, packed{};
    whole.block[whole.count++] = {rank.input(), rank.whole, rank.width, mine, int(mine), int(rank.width)};
    transpose(whole, rank.stream);
    for (int other = 0; other < rank.ranks; ++other)
        packed.block[packed.count++] = {rank.whole + rank.column(other) * mine, to_send(rank, other), mine,
            mine, rank.columns(other), int(mine)};
    place(packed, rank.stream);
    exchange(rank, 0, 1, true, rank.stream);
    concatenate(rank, 0, 1, true, rank.stream);
}
// [/as_pytorch]

// [to_send_buffers]
// Tiles for others are written where they are sent from, this rank's own where they stay.
void transpose_to_send_buffers(Rank& rank)
{
    Blocks blocks{};
    for (int i = 0; i < rank.ranks; ++i) {
        int other = after(rank, i);
        blocks.block[blocks.count++] =
            other == rank.rank ? block_for(rank, other, place_in_output(rank, other), rank.height)
                               : block_for(rank, other, to_send(rank, other), rank.rows(rank.rank));
    }
    transpose(blocks, rank.stream);
}
// [/to_send_buffers]

// [in_send_order]
// Nothing is packed. What arrives is still one run of bytes, and is put into its columns.
void in_send_order(Rank& rank)
{
    transpose_to_send_buffers(rank);
    exchange(rank, 0, 1, false, rank.stream);
    concatenate(rank, 0, 1, false, rank.stream);
}
// [/in_send_order]

// [in_place]
// Nothing is concatenated either: a copy engine puts each row of a block where it belongs.
void in_place(Rank& rank)
{
    meet_all(rank);
    transpose_to_send_buffers(rank);
    for (int i = 0; i + 1 < rank.ranks; ++i)
        copy_rows(rank, after(rank, i), 0, rank.columns(after(rank, i)), rank.stream);
    meet_all(rank);
}
// [/in_place]

// [piece_begin]
// Where a piece begins. Each is twice as large as the one before; or all are `equal`.
int piece_begin(int columns, int piece, int pieces, bool equal)
{
    std::size_t before = equal ? piece : (1u << piece) - 1, all = equal ? pieces : (1u << pieces) - 1;
    return piece == pieces ? columns : static_cast<int>(columns * before / all / 4 * 4);
}
// [/piece_begin]

// [transpose_piece]
void transpose_piece(Rank& rank, int piece, int pieces, bool equal)
{
    Blocks blocks{};
    for (int i = 0; i + 1 < rank.ranks; ++i) {
        int other = after(rank, i), columns = rank.columns(other);
        int begin = piece_begin(columns, piece, pieces, equal),
            end = piece_begin(columns, piece + 1, pieces, equal);
        std::size_t mine = rank.rows(rank.rank);
        blocks.block[blocks.count++] =
            block_for(rank, other, begin, end, to_send(rank, other) + begin * mine, mine);
    }
    transpose(blocks, rank.stream);
}

void transpose_own(Rank& rank)
{
    Blocks own{};
    own.block[own.count++] = block_for(rank, rank.rank, place_in_output(rank, rank.rank), rank.height);
    transpose(own, rank.stream);
}
// [/transpose_piece]

// [in_pieces]
// While a copy engine sends a piece, the next is transposed. This rank's own block comes last.
void send_in_pieces(Rank& rank, bool equal)
{
    std::size_t event = 0;
    meet_all(rank);
    for (int piece = 0; piece < rank.pieces; ++piece) {
        transpose_piece(rank, piece, rank.pieces, equal);
        fork(rank, rank.copying, rank.stream, event);
        for (int i = 0; i + 1 < rank.ranks; ++i) {
            int other = after(rank, i), columns = rank.columns(other);
            copy_rows(rank, other, piece_begin(columns, piece, rank.pieces, equal),
                piece_begin(columns, piece + 1, rank.pieces, equal), rank.copying);
        }
    }
    transpose_own(rank);
    fork(rank, rank.stream, rank.copying, event);
    meet_all(rank);
}

void in_pieces(Rank& rank) { send_in_pieces(rank, false); }
// [/in_pieces]

// [in_equal_pieces]
void in_equal_pieces(Rank& rank) { send_in_pieces(rank, true); }
// [/in_equal_pieces]

// [in_pieces_by_nccl]
// Bad: NCCL sends by kernels, which need the multiprocessors that transpose.
void in_pieces_by_nccl(Rank& rank)
{
    std::size_t event = 0;
    for (int piece = 0; piece < rank.pieces; ++piece) {
        transpose_piece(rank, piece, rank.pieces, true);
        fork(rank, rank.copying, rank.stream, event);
        exchange(rank, piece, rank.pieces, false, rank.copying);
        fork(rank, rank.placing, rank.copying, event);
        concatenate(rank, piece, rank.pieces, false, rank.placing);
    }
    transpose_own(rank);
    fork(rank, rank.stream, rank.placing, event);
}
// [/in_pieces_by_nccl]

// [direct]
// Each tile is written straight into the output, whoever has it.
void write_directly(Rank& rank, bool in_turns)
{
    Blocks blocks{};
    for (int i = 0; i < rank.ranks; ++i) {
        int other = after(rank, i);
        blocks.block[blocks.count++] = block_for(rank, other, place_in_output(rank, other), rank.height);
    }
    // No GPU writes into an output that another still reads, and none goes on before all blocks have arrived.
    meet_all(rank);
    transpose(blocks, rank.stream, in_turns);
    meet_all(rank);
}

void direct(Rank& rank) { write_directly(rank, true); }
// [/direct]

// [direct_by_rank]
// Bad: all tiles for others come first, and the links are idle while this rank transposes its own.
void direct_by_rank(Rank& rank) { write_directly(rank, false); }
// [/direct_by_rank]

void peer_copy(Rank& rank)
{
    // As many bytes as the transpose sends, to the next rank's output, in no order.
    int other = after(rank, 0);
    std::size_t bytes = std::min(rank.bytes_sent(), sizeof(float) * rank.columns(other) * rank.height);
    if (rank.ranks > 1)
        CHECK(cudaMemcpyAsync(rank.outputs[other], rank.send, bytes, cudaMemcpyDefault, rank.stream));
}

void nccl_exchange(Rank& rank) { exchange(rank, 0, 1, false, rank.stream); }

std::vector<Step> all_steps()
{
    return {
        {.name = "peer_copy", .enqueue = peer_copy, .transposes = false},
        {.name = "nccl_exchange", .enqueue = nccl_exchange, .transposes = false, .communicates = true},
        {.name = "as_pytorch",
            .enqueue = as_pytorch,
            .communicates = true,
            .keeps_whole = true,
            .passes = 3},
        {.name = "in_send_order", .enqueue = in_send_order, .communicates = true, .passes_of_sent = 1},
        {.name = "in_place", .enqueue = in_place},
        {.name = "in_pieces", .enqueue = in_pieces},
        {.name = "in_equal_pieces", .enqueue = in_equal_pieces},
        {.name = "in_pieces_by_nccl",
            .enqueue = in_pieces_by_nccl,
            .communicates = true,
            .passes_of_sent = 1},
        {.name = "direct", .enqueue = direct, .stages = false},
        {.name = "direct_by_rank", .enqueue = direct_by_rank, .stages = false},
    };
}

}  // namespace across_gpus

int main(int argc, char** argv) { return across_gpus::run(argc, argv, across_gpus::all_steps()); }
