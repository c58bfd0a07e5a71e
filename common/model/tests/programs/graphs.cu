// Graphs whose nodes allocate and free memory, and graphs that kernels steer.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <vector>

int failures = 0;

#define CHECK(condition)                                                \
    if (!(condition)) {                                                 \
        std::printf("%s:%d: not %s\n", __FILE__, __LINE__, #condition); \
        ++failures;                                                     \
    }
#define RUN(call) CHECK((call) == cudaSuccess)

constexpr int count = 1000, block_size = 128, blocks = (count + block_size - 1) / block_size;

__global__ void square(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i] * in[i];
}

__global__ void negate(const int* in, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = -in[i];
}

__global__ void count_down(int* number, cudaGraphConditionalHandle goes_on) {
    if (threadIdx.x == 0) cudaGraphSetConditional(goes_on, --*number > 0);
}

__global__ void choose(const int* number, cudaGraphConditionalHandle chosen) { cudaGraphSetConditional(chosen, *number); }

__global__ void add(int* sum, int number) { *sum += number; }

struct Number {
    int* address = nullptr;
    explicit Number(int value) {
        RUN(cudaMalloc(&address, sizeof(int)));
        *this = value;
    }
    ~Number() { RUN(cudaFree(address)); }
    Number& operator=(int value) {
        RUN(cudaMemcpy(address, &value, sizeof value, cudaMemcpyHostToDevice));
        return *this;
    }
    operator int() const {
        int value = 0;
        RUN(cudaMemcpy(&value, address, sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }
};

std::uint64_t graph_bytes(cudaGraphMemAttributeType attribute) {
    std::uint64_t bytes = 0;
    RUN(cudaDeviceGetGraphMemAttribute(0, attribute, &bytes));
    return bytes;
}

/// Captures two streams, of which the second is destroyed before the capture ends. Returns the memory that the graph does not free.
int* capture(cudaGraph_t& graph, const std::vector<int>& in, std::vector<int>& squares) {
    const std::size_t bytes = count * sizeof(int);
    cudaStream_t stream, second;
    cudaEvent_t squared, copied;
    RUN(cudaStreamCreate(&stream));
    RUN(cudaStreamCreate(&second));
    RUN(cudaEventCreate(&squared));
    RUN(cudaEventCreate(&copied));
    int *given, *square_of, *negative;
    RUN(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    RUN(cudaMallocAsync(&given, bytes, stream));
    RUN(cudaMallocAsync(&square_of, bytes, stream));
    RUN(cudaMemcpyAsync(given, in.data(), bytes, cudaMemcpyHostToDevice, stream));
    square<<<blocks, block_size, 0, stream>>>(given, square_of);
    RUN(cudaEventRecord(squared, stream));
    RUN(cudaStreamWaitEvent(second, squared, 0));
    RUN(cudaMemcpyAsync(squares.data(), square_of, bytes, cudaMemcpyDeviceToHost, second));
    RUN(cudaFreeAsync(given, stream));
    RUN(cudaMallocAsync(&negative, bytes, stream));
    negate<<<blocks, block_size, 0, stream>>>(square_of, negative);
    RUN(cudaEventRecord(squared, stream));
    RUN(cudaStreamWaitEvent(second, squared, 0));
    RUN(cudaFreeAsync(square_of, second));
    RUN(cudaEventRecord(copied, second));
    RUN(cudaStreamWaitEvent(stream, copied, 0));
    RUN(cudaStreamDestroy(second));
    RUN(cudaStreamEndCapture(stream, &graph));
    RUN(cudaStreamDestroy(stream));
    RUN(cudaEventDestroy(squared));
    RUN(cudaEventDestroy(copied));
    return negative;
}

void memory_of_a_graph() {
    std::vector<int> in(count), squares(count), back(count);
    for (int i = 0; i < count; ++i) in[i] = i * 37 % 1001;
    cudaGraph_t graph;
    cudaGraphExec_t once, again;
    int* const negative = capture(graph, in, squares);
    RUN(cudaGraphInstantiate(&once, graph, 0));
    cudaGraph_t clone;
    CHECK(cudaGraphClone(&clone, graph) == cudaErrorNotSupported);
    CHECK(cudaGraphInstantiate(&again, graph, 0) == cudaErrorNotSupported);
    CHECK(graph_bytes(cudaGraphMemAttrUsedMemCurrent) == 0);
    CHECK(cudaFree(negative) == cudaErrorInvalidValue);
    for (int launch = 0; launch < 3; ++launch) {
        std::fill(squares.begin(), squares.end(), 0);
        RUN(cudaGraphLaunch(once, 0));
        CHECK(graph_bytes(cudaGraphMemAttrUsedMemCurrent) >= 2 * count * sizeof(int));
        RUN(cudaMemcpy(back.data(), negative, count * sizeof(int), cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int i = 0; i < count; ++i) wrong += squares[i] != in[i] * in[i] || back[i] != -squares[i];
        CHECK(wrong == 0);
        CHECK(cudaGraphLaunch(once, 0) == cudaErrorInvalidValue);  // its allocation has not been freed
        if (launch == 0) RUN(cudaFree(negative));
        if (launch == 1) RUN(cudaFreeAsync(negative, 0));
    }
    RUN(cudaGraphExecDestroy(once));
    RUN(cudaGraphInstantiate(&again, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    RUN(cudaGraphDestroy(graph));
    RUN(cudaGraphLaunch(again, 0));
    RUN(cudaGraphLaunch(again, 0));
    RUN(cudaDeviceGraphMemTrim(0));
    CHECK(graph_bytes(cudaGraphMemAttrUsedMemCurrent) >= count * sizeof(int));
    RUN(cudaGraphExecDestroy(again));
    // Memory that is not freed outlives the graph.
    RUN(cudaMemcpy(back.data(), negative, count * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(back[5] == -in[5] * in[5]);
    RUN(cudaFree(negative));
    CHECK(cudaFree(negative) == cudaErrorInvalidValue);
    RUN(cudaDeviceGraphMemTrim(0));
    CHECK(graph_bytes(cudaGraphMemAttrUsedMemCurrent) == 0);
    CHECK(graph_bytes(cudaGraphMemAttrReservedMemHigh) >= 2 * count * sizeof(int));
    std::uint64_t zero = 0, one = 1;
    RUN(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &zero));
    CHECK(graph_bytes(cudaGraphMemAttrReservedMemHigh) == graph_bytes(cudaGraphMemAttrReservedMemCurrent));
    CHECK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &one) == cudaErrorInvalidValue);
    CHECK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero) == cudaErrorInvalidValue);
    cudaGetLastError();
}

cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, void* kernel, std::initializer_list<void*> arguments) {
    std::vector<void*> list(arguments);
    cudaGraphNodeParams parameters = {cudaGraphNodeTypeKernel};
    parameters.kernel.func = kernel;
    parameters.kernel.gridDim = parameters.kernel.blockDim = dim3(1);
    parameters.kernel.kernelParams = list.data();
    cudaGraphNode_t node = nullptr;
    RUN(cudaGraphAddNode(&node, graph, after ? &after : nullptr, nullptr, after ? 1 : 0, &parameters));
    return node;
}

/// Adds a conditional node and returns its bodies.
cudaGraphNode_t add_conditional(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle handle,
                                cudaGraphConditionalNodeType type, unsigned size, std::vector<cudaGraph_t>& bodies) {
    cudaGraphNodeParams parameters = {cudaGraphNodeTypeConditional};
    parameters.conditional.handle = handle;
    parameters.conditional.type = type;
    parameters.conditional.size = size;
    cudaGraphNode_t node = nullptr;
    RUN(cudaGraphAddNode(&node, graph, after ? &after : nullptr, nullptr, after ? 1 : 0, &parameters));
    bodies.assign(parameters.conditional.phGraph_out, parameters.conditional.phGraph_out + size);
    return node;
}

void a_loop() {
    Number left(5), sum(0);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphConditionalHandle goes_on;
    std::vector<cudaGraph_t> bodies;
    RUN(cudaGraphCreate(&graph, 0));
    RUN(cudaGraphConditionalHandleCreate(&goes_on, graph, 1, cudaGraphCondAssignDefault));
    const cudaGraphNode_t loop = add_conditional(graph, nullptr, goes_on, cudaGraphCondTypeWhile, 1, bodies);
    cudaGraphNodeType type;
    RUN(cudaGraphNodeGetType(loop, &type));
    CHECK(type == cudaGraphNodeTypeConditional);
    int hundred = 100;
    add_kernel(graph, loop, (void*)add, {&sum.address, &hundred});

    cudaStream_t stream;
    RUN(cudaStreamCreate(&stream));
    RUN(cudaStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(sum.address, 1);
    count_down<<<1, 32, 0, stream>>>(left.address, goes_on);
    RUN(cudaStreamEndCapture(stream, nullptr));
    RUN(cudaStreamDestroy(stream));

    RUN(cudaGraphInstantiate(&executable, graph, 0));
    RUN(cudaGraphDestroy(graph));
    RUN(cudaGraphLaunch(executable, 0));
    CHECK(sum == 105 && left == 0);
    left = 3, sum = 0;
    RUN(cudaGraphLaunch(executable, 0));
    CHECK(sum == 103 && left == 0);
    RUN(cudaGraphExecDestroy(executable));
}

void a_choice(cudaGraphConditionalNodeType type, unsigned size) {
    Number number(0), sum(0);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphConditionalHandle chosen;
    std::vector<cudaGraph_t> bodies;
    RUN(cudaGraphCreate(&graph, 0));
    RUN(cudaGraphConditionalHandleCreate(&chosen, graph));
    const cudaGraphNode_t first = add_kernel(graph, nullptr, (void*)choose, {&number.address, &chosen});
    add_conditional(graph, first, chosen, type, size, bodies);
    for (int body = 0; body < static_cast<int>(size); ++body) {
        int power = 1 << body;
        add_kernel(bodies[body], nullptr, (void*)add, {&sum.address, &power});
    }
    RUN(cudaGraphInstantiate(&executable, graph, 0));
    for (int value = 0; value < 5; ++value) {
        number = value, sum = 0;
        RUN(cudaGraphLaunch(executable, 0));
        const bool is_switch = type == cudaGraphCondTypeSwitch;
        const unsigned body = is_switch ? value : value ? 0 : 1;
        CHECK(sum == (body < size ? 1 << body : 0));
    }
    RUN(cudaGraphExecDestroy(executable));
    RUN(cudaGraphDestroy(graph));
}

void mistakes() {
    cudaGraph_t graph, other;
    cudaGraphNode_t node;
    cudaGraphConditionalHandle handle;
    RUN(cudaGraphCreate(&graph, 0));
    RUN(cudaGraphCreate(&other, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, 8) == cudaErrorInvalidValue);
    RUN(cudaGraphConditionalHandleCreate(&handle, graph));
    cudaGraphNodeParams parameters = {cudaGraphNodeTypeConditional};
    parameters.conditional.handle = handle;
    parameters.conditional.type = cudaGraphCondTypeWhile;
    parameters.conditional.size = 2;
    CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters) == cudaErrorInvalidValue);
    parameters.conditional.size = 1;
    CHECK(cudaGraphAddNode(&node, other, nullptr, nullptr, 0, &parameters) == cudaErrorInvalidValue);
    RUN(cudaGraphDestroy(graph));
    RUN(cudaGraphDestroy(other));
    cudaGetLastError();
}

int main() {
    memory_of_a_graph();
    a_loop();
    a_choice(cudaGraphCondTypeIf, 1);
    a_choice(cudaGraphCondTypeIf, 2);
    a_choice(cudaGraphCondTypeSwitch, 4);
    mistakes();
    std::printf(failures ? "%d checks failed\n" : "passed\n", failures);
    return failures != 0;
}
