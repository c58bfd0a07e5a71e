// Dominators by the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001), on basic blocks;
// post-dominators are those of the reversed flow with one virtual exit. Loops are natural loops: what can reach the source of an
// edge to a block that dominates it.

#include "interpreter/decode/flow.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace simt::interpreter {

namespace {

using ptx::Numbered;

bool is_branch(const ptx::Instruction& i) { return i.opcode == "bra" || i.opcode == "brx"; }

bool ends_thread(const ptx::Instruction& i) { return i.opcode == "ret" || i.opcode == "exit" || i.opcode == "trap"; }

/// The basic blocks of a function. Block number `count` is the virtual exit.
class Blocks {
public:
    explicit Blocks(const ptx::Function& function) : function_(function) {
        const std::size_t size = function.instructions.size();
        Numbered<bool> starts(size + 1, false);
        starts[0] = true;
        for (const ptx::Label& label : function.labels) starts[label.instruction] = true;
        for (std::size_t i = 0; i < size; ++i)
            if (is_branch(function.instructions[i]) || ends_thread(function.instructions[i])) starts[i + 1] = true;
        block_of_.resize(size + 1);
        for (std::size_t i = 0; i < size; ++i) {
            if (starts[i]) first_.push_back(static_cast<int>(i));
            block_of_[i] = static_cast<int>(first_.size()) - 1;
        }
        block_of_[size] = count();
        successors_.resize(first_.size());
        for (int block = 0; block < count(); ++block) find_successors(block);
    }

    int count() const { return static_cast<int>(first_.size()); }
    int block_of(int instruction) const { return block_of_[instruction]; }
    int first(int block) const { return first_[block]; }
    const Numbered<int>& successors(int block) const { return successors_[block]; }

private:
    int end_of(int block) const { return block + 1 < count() ? first_[block + 1] : static_cast<int>(function_.instructions.size()); }

    void find_successors(int block) {
        Numbered<int>& to = successors_[block];
        const ptx::Instruction& last = function_.instructions[end_of(block) - 1];
        const bool conditional = last.guard >= 0;
        const auto add_label = [&](int label) { to.push_back(block_of(function_.labels[label].instruction)); };
        if (last.opcode == "bra") {
            add_label(last.operands.at(0).index);
        } else if (last.opcode == "brx") {
            for (const ptx::Targets& targets : function_.targets)
                if (targets.name == last.operands.at(1).name)
                    for (const int label : targets.labels) add_label(label);
        } else if (ends_thread(last)) {
            to.push_back(count());
        }
        if (conditional || !(is_branch(last) || ends_thread(last))) to.push_back(block_of(end_of(block)));
        std::ranges::sort(to);
        to.erase(std::ranges::unique(to).begin(), to.end());
    }

    const ptx::Function& function_;
    Numbered<int> first_, block_of_;
    Numbered<Numbered<int>> successors_;
};

using Edges = Numbered<Numbered<int>>;

Edges reversed(const Edges& edges) {
    Edges back(edges.size());
    for (std::size_t from = 0; from < edges.size(); ++from)
        for (const int to : edges[from]) back[to].push_back(static_cast<int>(from));
    return back;
}

/// Nodes that can be reached from `root`, in reverse post-order.
Numbered<int> order_from(const Edges& edges, int root) {
    Numbered<int> order;
    Numbered<bool> seen(edges.size(), false);
    std::vector<std::pair<int, std::size_t>> open{{root, 0}};
    seen[root] = true;
    while (!open.empty()) {
        auto& [node, next] = open.back();
        const auto& to = edges[node];
        if (next == to.size()) {
            order.push_back(node);
            open.pop_back();
            continue;
        }
        const int candidate = to[next++];
        if (seen[candidate]) continue;
        seen[candidate] = true;
        open.emplace_back(candidate, 0);
    }
    std::ranges::reverse(order);
    return order;
}

/// The immediate dominator of each node, from `root`; -1 for nodes that cannot be reached.
Numbered<int> immediate_dominators(const Edges& edges, int root) {
    const Edges back = reversed(edges);
    const Numbered<int> order = order_from(edges, root);
    Numbered<int> position(edges.size(), -1), dominator(edges.size(), -1);
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<int>(i);
    const auto meet = [&](int a, int b) {
        while (a != b) {
            while (position[a] > position[b]) a = dominator[a];
            while (position[b] > position[a]) b = dominator[b];
        }
        return a;
    };
    dominator[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (const int node : order) {
            if (node == root) continue;
            int found = -1;
            for (const int from : back[node])
                if (dominator[from] >= 0) found = found < 0 ? from : meet(found, from);
            if (found == dominator[node]) continue;
            dominator[node] = found;
            changed = true;
        }
    }
    return dominator;
}

/// The natural loops of a function, those with one head taken together.
class Loops {
public:
    Loops(const Blocks& blocks, const Edges& edges) : loop_of_(edges.size(), -1) {
        const Numbered<int> dominators = immediate_dominators(edges, 0);
        const Edges back = reversed(edges);
        for (int block = 0; block < blocks.count(); ++block)
            for (const int head : edges[block])
                if (head < blocks.count() && dominates(dominators, head, block)) add(head, block, back);
        // Smaller loops come first, since each block belongs to the innermost loop.
        Numbered<int> by_size(heads_.size());
        for (std::size_t i = 0; i < by_size.size(); ++i) by_size[i] = static_cast<int>(i);
        const auto size_of = [&](int loop) { return std::ranges::count(members_[loop], true); };
        std::ranges::sort(by_size, {}, size_of);
        parents_.assign(heads_.size(), -1);
        for (std::size_t i = 0; i < by_size.size(); ++i) {
            const int loop = by_size[i];
            for (std::size_t block = 0; block < loop_of_.size(); ++block)
                if (holds_block(loop, static_cast<int>(block)) && loop_of_[block] < 0) loop_of_[block] = loop;
            for (std::size_t j = i + 1; j < by_size.size() && parents_[loop] < 0; ++j)
                if (holds_block(by_size[j], heads_[loop])) parents_[loop] = by_size[j];
        }
    }

    int loop_of(int block) const { return loop_of_[block]; }
    int head(int loop) const { return heads_[loop]; }
    const Numbered<int>& parents() const { return parents_; }
    bool holds_block(int loop, int block) const { return loop < 0 || members_[loop][block]; }

private:
    static bool dominates(const Numbered<int>& dominators, int head, int block) {
        while (block != head && dominators[block] >= 0 && dominators[block] != block) block = dominators[block];
        return block == head;
    }

    void add(int head, int source, const Edges& back) {
        const auto known = std::ranges::find(heads_, head);
        const auto loop = known - heads_.begin();
        if (known == heads_.end()) {
            heads_.push_back(head);
            members_.emplace_back(back.size(), false);
            members_.back()[head] = true;
        }
        Numbered<int> open{source};
        while (!open.empty()) {
            const int block = open.back();
            open.pop_back();
            if (members_[loop][block]) continue;
            members_[loop][block] = true;
            for (const int from : back[block]) open.push_back(from);
        }
    }

    Numbered<int> heads_, loop_of_, parents_;
    Numbered<Numbered<bool>> members_;
};

/// Post-dominators within one iteration of a loop, for the paths that stay in it; those of the function for loop -1.
class PostDominators {
public:
    PostDominators(const Blocks& blocks, const Edges& edges, const Loops& loops) : blocks_(blocks), edges_(edges), loops_(loops) {}

    /// The immediate post-dominator of a block; the number of blocks if there is none but the end.
    int of(int loop, int block) {
        auto& known = found_[loop];
        if (known.empty()) {
            Edges inside(edges_.size());
            for (int from = 0; from < blocks_.count(); ++from) {
                if (!loops_.holds_block(loop, from)) continue;
                auto& to = inside[from];
                for (const int next : edges_[from]) {
                    if (loop >= 0 && next == loops_.head(loop)) to.push_back(blocks_.count());
                    else if (next == blocks_.count() || loops_.holds_block(loop, next)) to.push_back(next);
                }
                if (to.empty()) to.push_back(blocks_.count());
            }
            known = immediate_dominators(reversed(inside), blocks_.count());
        }
        const int join = known[block];
        return join < 0 ? blocks_.count() : join;
    }

private:
    const Blocks& blocks_;
    const Edges& edges_;
    const Loops& loops_;
    std::map<int, Numbered<int>> found_;
};

}  // namespace

bool holds(const Numbered<int>& parents, int outer, int inner) {
    while (inner != outer && inner >= 0) inner = parents[inner];
    return inner == outer;
}

std::size_t results_of(const ptx::Instruction& instruction) {
    static constexpr std::string_view without[] = {"st", "red", "bra", "brx", "call", "bar", "barrier", "ret"};
    return instruction.operands.empty() || std::ranges::find(without, instruction.opcode) != std::end(without) ? 0 : 1;
}

Flow find_flow(const ptx::Function& function) {
    const std::size_t size = function.instructions.size();
    Flow flow{Numbered<int>(size, -1), Numbered<int>(size, -1), Numbered<int>(size + 1, -1), {}};
    if (size == 0) return flow;
    const Blocks blocks(function);
    Edges edges;
    for (int block = 0; block < blocks.count(); ++block) edges.push_back(blocks.successors(block));
    edges.emplace_back();
    const Loops loops(blocks, edges);
    PostDominators post_dominators(blocks, edges, loops);
    flow.parents = loops.parents();
    for (std::size_t i = 0; i < size; ++i) {
        const int block = blocks.block_of(static_cast<int>(i));
        flow.loops[i] = loops.loop_of(block);
        if (!is_branch(function.instructions[i])) continue;
        int loop = loops.loop_of(block);
        const auto leaves = [&](int target) { return !loops.holds_block(loop, target); };
        while (loop >= 0 && std::ranges::any_of(edges[block], leaves)) loop = flow.parents[loop];
        int join = post_dominators.of(loop, block);
        // The paths of an iteration meet only in the next iteration.
        if (join == blocks.count() && loop >= 0) join = loops.head(loop);
        flow.join_loops[i] = loop;
        if (join < blocks.count()) flow.joins[i] = blocks.first(join);
    }
    return flow;
}

}  // namespace simt::interpreter
