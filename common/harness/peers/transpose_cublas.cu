// The transpose of cuBLAS, timed and checked as the kernels of the chapters are. scripts/measure --peers stores the text
// between a call's markers with its times.

#include <conflict_free/matrix_chapter.hpp>
#include <conflict_free/matrix_references.hpp>

#include "cublas.hpp"
#include "peers.hpp"

using namespace conflict_free;

void cublas_geam(const Matrices<float>& m) {
    const cublasHandle_t handle = cublas();
    const float one = 1, zero = 0;
    // cuBLAS stores columns: our height rows of width elements are its width rows and height columns.
    // [cublas_geam]
    CUBLAS_CHECK(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m.height, m.width, &one, m.input, m.width, &zero, m.output, m.height,
                             m.output, m.height));
    // [/cublas_geam]
}

int main(int argc, char** argv) {
    Peers<MatrixChapter<float>> peers("peers_transpose", "How fast do libraries transpose a matrix of floats?");
    peers.sizes({{2048, 2048}, {1000, 700}, {33, 31}, {1, 1}});
    peers.gpu_sizes({{16384, 16384}});

    peers.add_baseline(
        {.name = "cublas_geam", .launch = cublas_geam, .expected = transposed<float>, .library = Library{"cuBLAS", cublas_version()}});

    return peers.run(argc, argv);
}
