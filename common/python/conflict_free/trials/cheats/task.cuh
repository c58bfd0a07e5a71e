// The part that all tasks have in common. A Task has these members besides:
//   threads(), elements(), results()   numbers
//   is_round()                         whether the sizes are those of the first visible case
//   call(function)                     calls a function with the parameters of the assignment's
//   work(i, read, put)                 does the work of thread i, with read(index) and put(index, result)
template <class Element, class Result> struct Data {
    Result* output;
    const Element* input;

    /// Runs before the kernel.
    void prepare() const {}
    __device__ void store(int k, Result value) const { output[k] = value; }
    static void keep(Result* results, int k, Result value) { results[k] = value; }
};

