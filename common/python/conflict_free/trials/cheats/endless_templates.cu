// Keeps the compiler busy without end.

template <int n>
struct Deep {
    static constexpr long value = Deep<n + 1>::value + 1;
};

GRADED_DECLARATION
{
    static_assert(Deep<0>::value);
}
