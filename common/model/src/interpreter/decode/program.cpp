#include "interpreter/decode/program.hpp"
#include "device/round_up.hpp"

#include <algorithm>
#include <set>

#include "interpreter/decode/decoder.hpp"
#include "interpreter/decode/repeatable.hpp"
#include "ptx/kernel_name.hpp"

namespace simt::interpreter {

namespace {

/// The offset of shared memory: an index below 0 leads to the gap before it.
constexpr std::size_t shared_begin = 1024;
/// The gap between two variables, for indexes past the end. It is a multiple of all banks, so that no word changes its bank.
constexpr std::size_t shared_gap = 1024;

template <class Visit> void for_each_operand(const ptx::Operand& operand, Visit& visit) {
    visit(operand);
    for (const ptx::Operand& element : operand.elements) for_each_operand(element, visit);
    for (const ptx::Operand& element : operand.second) for_each_operand(element, visit);
}

/// Finds the functions and variables that a kernel can reach, by the text alone.
class Reach {
public:
    explicit Reach(const LoadedModule& module) : module_(module) {}

    void add(int number) {
        if (!functions_.insert(number).second) return;
        order_.push_back(number);
        const auto& [text, function] = module_.functions[number];
        for (const ptx::Instruction& instruction : function->instructions) add(*text, *function, instruction);
    }

    /// A call through a pointer can reach every function whose address the module takes anywhere.
    void add_indirect() {
        if (!calls_indirectly_) return;
        for (int number = 0; number < static_cast<int>(module_.functions.size()); ++number)
            if (!module_.functions[number].function->is_entry) add(number);
    }

    const std::vector<int>& functions() const { return order_; }
    const std::vector<std::pair<const ptx::Module*, const ptx::Variable*>>& shared() const { return shared_; }
    bool is_repeatable() const { return is_repeatable_; }

private:
    void add(const ptx::Module& text, const ptx::Function& function, const ptx::Instruction& instruction) {
        if (instruction.opcode == "call" && !instruction.operands.empty()) {
            const ptx::Operand& first = instruction.operands.front();
            const ptx::Operand& callee = first.kind == ptx::Operand::Kind::vector ? instruction.operands.at(1) : first;
            calls_indirectly_ |= callee.kind == ptx::Operand::Kind::reg;
            is_repeatable_ &= callee.kind == ptx::Operand::Kind::reg || module_.find_function(text, callee.name) >= 0;
        }
        is_repeatable_ &= interpreter::is_repeatable(instruction);
        auto visit = [&](const ptx::Operand& operand) {
            is_repeatable_ &= interpreter::is_repeatable(operand);
            const bool named = operand.kind == ptx::Operand::Kind::symbol ||
                               (operand.kind == ptx::Operand::Kind::address && operand.base == ptx::Operand::Base::symbol);
            if (!named) return;
            if (operand.scope == ptx::Operand::Scope::function) {
                if (const int callee = module_.find_function(text, operand.name); callee >= 0) add(callee);
            } else if (operand.scope == ptx::Operand::Scope::module_variable) {
                const ptx::Variable& variable = text.variables[operand.index];
                if (variable.space == ptx::StateSpace::shared && std::ranges::find(shared_, std::pair{&text, &variable}) == shared_.end())
                    shared_.emplace_back(&text, &variable);
            }
        };
        for (const ptx::Operand& operand : instruction.operands) for_each_operand(operand, visit);
        static_cast<void>(function);
    }

    const LoadedModule& module_;
    std::set<int> functions_;
    std::vector<int> order_;
    std::vector<std::pair<const ptx::Module*, const ptx::Variable*>> shared_;
    bool calls_indirectly_ = false, is_repeatable_ = true;
};

/// Lays out a block's shared memory as a GPU does, with gaps between the variables.
class SharedLayout {
public:
    explicit SharedLayout(Program& program) : program_(program) {}

    void add(std::string name, const ptx::Variable& variable) {
        if (std::ranges::any_of(program_.shared, [&](const SharedVariable& other) { return other.name == name; })) return;
        if (variable.unsized_array || variable.linkage == ptx::Linkage::external) {
            dynamic_.push_back(std::move(name));
            dynamic_alignment_ = std::max<std::size_t>(dynamic_alignment_, variable.alignment);
            return;
        }
        used_ = memory::round_up(used_, std::max<std::size_t>(variable.alignment, 1));
        program_.shared.push_back({std::move(name), place(used_), variable.bytes});
        used_ += variable.bytes;
    }

    void finish() {
        program_.static_shared_bytes = used_;
        const std::size_t begin = memory::round_up(used_, std::max<std::size_t>(dynamic_alignment_, 16));
        const std::uint64_t offset = place(begin);
        for (std::string& name : dynamic_) program_.shared.push_back({std::move(name), offset, 0, true});
        program_.shared_extent = offset;
    }

private:
    std::uint64_t place(std::size_t packed) {
        const std::uint64_t offset = shared_begin + packed + gaps_;
        gaps_ += shared_gap;
        return offset;
    }

    Program& program_;
    std::size_t used_ = 0, gaps_ = 0, dynamic_alignment_ = 16;
    std::vector<std::string> dynamic_;
};

std::size_t bytes_of_parameters(const ptx::Function& function) {
    std::size_t bytes = 0;
    for (const ptx::Variable& parameter : function.parameters)
        bytes = memory::round_up(bytes, std::max<std::size_t>(parameter.alignment, 1)) + parameter.bytes;
    return bytes;
}

}  // namespace

const LoadedModule::Variable* LoadedModule::find_variable(const ptx::Module& text, const std::string& name) const {
    if (const auto own = internal_variables.find({&text, name}); own != internal_variables.end()) return &own->second;
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : &found->second;
}

int LoadedModule::find_function(const ptx::Module& text, const std::string& name) const {
    const auto alias = text.aliases.find(name);
    const std::string& wanted = alias == text.aliases.end() ? name : alias->second;
    if (const auto own = internal_functions.find({&text, wanted}); own != internal_functions.end()) return own->second;
    const auto found = function_numbers.find(wanted);
    return found == function_numbers.end() ? -1 : found->second;
}

std::unique_ptr<Program> decode(const LoadedModule& module, int kernel) {
    auto program = std::make_unique<Program>();
    program->module = &module;
    const ptx::Function& entry = *module.functions[kernel].function;
    program->name = simt::ptx::kernel_name(entry.name);
    program->codes.resize(module.functions.size());
    program->parameter_bytes = bytes_of_parameters(entry);
    Reach reach(module);
    reach.add(kernel);
    reach.add_indirect();
    SharedLayout layout(*program);
    for (const int number : reach.functions()) {
        const ptx::Function& function = *module.functions[number].function;
        for (const ptx::Variable& variable : function.variables)
            if (variable.space == ptx::StateSpace::shared) layout.add(function.name + "/" + variable.name, variable);
    }
    for (const auto& [text, variable] : reach.shared()) layout.add(variable->name, *variable);
    layout.finish();
    for (const int number : reach.functions()) program->codes[number] = Decoder(module, *program, number).decode();
    program->entry = program->codes[kernel].get();
    program->is_repeatable = reach.is_repeatable() && program->polls.empty();
    return program;
}

}  // namespace simt::interpreter
