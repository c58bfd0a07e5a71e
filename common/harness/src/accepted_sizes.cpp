#include "conflict_free/accepted_sizes.hpp"

#include <utility>

namespace conflict_free {

AcceptedSizes operator&&(AcceptedSizes first, AcceptedSizes second) {
    if (!first.accepts) return second;
    if (!second.accepts) return first;
    return {[one = std::move(first.accepts), other = std::move(second.accepts)](Size size) { return one(size) && other(size); },
            first.text + " and " + second.text};
}

AcceptedSizes square_sizes() {
    return {[](Size size) { return size.width == size.height; }, "square sizes"};
}

AcceptedSizes multiples_of(int elements) {
    return {[elements](Size size) { return size.width % elements == 0 && size.height % elements == 0; },
            "multiples of " + std::to_string(elements)};
}

AcceptedSizes widths_up_to(int most) {
    return {[most](Size size) { return size.width <= most; }, "widths up to " + std::to_string(most)};
}

AcceptedSizes widths_from(int least) {
    return {[least](Size size) { return size.width >= least; }, "widths from " + std::to_string(least)};
}

AcceptedSizes at_most(int n) {
    return {[n](Size size) { return size.width <= n; }, "at most " + std::to_string(n) + " elements"};
}

}  // namespace conflict_free
