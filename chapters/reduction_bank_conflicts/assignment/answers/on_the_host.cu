// Wrong: the number is right, but the host finds it in a copy.

#include <algorithm>
#include <cuda_runtime.h>

void find_minimum(int* minimum, const int* numbers, int n)
{
    int* copy = new int[n];
    cudaMemcpy(copy, numbers, n * sizeof(int), cudaMemcpyDeviceToHost);
    const int* smallest = std::min_element(copy, copy + n);
    int found[2] = {*smallest, int(smallest - copy)};
    cudaMemcpy(minimum, found, sizeof found, cudaMemcpyHostToDevice);
    delete[] copy;
}
