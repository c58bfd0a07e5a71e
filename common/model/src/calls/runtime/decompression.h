/** @file
    What the model takes of liblz4.so.1 and libzstd.so.1, declared as their own headers do. Systems have these libraries, and
    rarely the headers. */
#ifndef SIMT_RUNTIME_DECOMPRESSION_H
#define SIMT_RUNTIME_DECOMPRESSION_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Decompresses `source_bytes` of LZ4 into at most `target_bytes`. Returns the number of bytes, negative for damaged input. */
int LZ4_decompress_safe(const char* source, char* target, int source_bytes, int target_bytes);

/** Decompresses `source_bytes` of Zstandard into at most `target_bytes`. Returns the number of bytes, or an error's code. */
size_t ZSTD_decompress(void* target, size_t target_bytes, const void* source, size_t source_bytes);

/** Not 0 if a result of ZSTD_decompress is an error's code. */
unsigned ZSTD_isError(size_t code);

#ifdef __cplusplus
}
#endif
#endif
