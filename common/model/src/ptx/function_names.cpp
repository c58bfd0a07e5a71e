#include "ptx/function_names.hpp"

#include <algorithm>

namespace simt::ptx {

namespace {

constexpr std::size_t most_scopes = 256;
/// Registers are declared by the thousand as `name<N>`; variables are not, so N is small for them.
constexpr int most_parameterized_variables = 4096;

Operand::Scope scope_of(Symbol::Kind kind) {
    switch (kind) {
        case Symbol::Kind::variable: return Operand::Scope::function_variable;
        case Symbol::Kind::parameter: return Operand::Scope::parameter;
        case Symbol::Kind::return_parameter: return Operand::Scope::return_parameter;
        case Symbol::Kind::hidden_variable: return Operand::Scope::module_variable;
        default: return Operand::Scope::unresolved;
    }
}

int last_index(std::size_t size) { return static_cast<int>(size) - 1; }

}  // namespace

bool is_special_register(std::string_view name) {
    constexpr std::string_view names[] = {
        "%tid",
        "%ntid",
        "%laneid",
        "%warpid",
        "%nwarpid",
        "%ctaid",
        "%nctaid",
        "%smid",
        "%nsmid",
        "%gridid",
        "%clock",
        "%clock_hi",
        "%clock64",
        "%total_smem_size",
        "%aggr_smem_size",
        "%dynamic_smem_size",
        "%current_graph_exec",
        "%is_explicit_cluster",
        "%clusterid",
        "%nclusterid",
    };
    constexpr std::string_view beginnings[] = {"%lanemask_", "%pm", "%envreg", "%globaltimer", "%reserved_smem_offset", "%cluster_"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names) ||
           std::any_of(std::begin(beginnings), std::end(beginnings),
                       [&](std::string_view beginning) { return name.starts_with(beginning); });
}

FunctionNames::FunctionNames(ModuleState& state, Function& function) : state_(state), function_(function), scopes_(1) {}

void FunctionNames::open_scope() {
    if (scopes_.size() == most_scopes) state_.lexer.fail("scopes are nested too deep, accepted: " + std::to_string(most_scopes));
    scopes_.emplace_back();
}

void FunctionNames::declare(std::string_view name, Symbol symbol) {
    if (!scopes_.back().names.try_emplace(name, symbol).second) state_.lexer.fail(in_quotes(name) + " is declared twice in one scope");
}

void FunctionNames::declare_register(std::string_view name, const Declared& declared) {
    function_.registers.push_back({std::string(name), declared.variable.type, declared.vector});
    declare(name, {Symbol::Kind::reg, last_index(function_.registers.size()), 0});
}

void FunctionNames::declare_variable(std::string_view name, const Declared& declared, Linkage linkage) {
    Variable variable = declared.variable;
    variable.name = name;
    variable.linkage = linkage;
    if (variable.space == StateSpace::global || variable.space == StateSpace::constant) {
        declare(name, {Symbol::Kind::hidden_variable, state_.add_hidden_variable(std::move(variable)), declared.element_bytes});
        return;
    }
    function_.variables.push_back(std::move(variable));
    declare(name, {Symbol::Kind::variable, last_index(function_.variables.size()), declared.element_bytes});
}

void FunctionNames::declare_parameters(const std::vector<Declared>& declared, bool returns) {
    std::vector<Variable>& list = returns ? function_.returns : function_.parameters;
    for (const Declared& parameter : declared) {
        list.push_back(parameter.variable);
        if (parameter.variable.space == StateSpace::reg) {
            state_.count_registers(1);
            declare_register(parameter.name, parameter);
        } else if (parameter.name != "_") {
            const Symbol::Kind kind = returns ? Symbol::Kind::return_parameter : Symbol::Kind::parameter;
            declare(parameter.name, {kind, last_index(list.size()), parameter.element_bytes});
        }
    }
}

void FunctionNames::declare_in_body(Declared&& declared, Linkage linkage) {
    const bool is_register = declared.variable.space == StateSpace::reg;
    if (is_register) state_.count_registers(static_cast<std::size_t>(std::max(declared.count, 1)));
    else if (declared.count > most_parameterized_variables)
        state_.lexer.fail("more than " + std::to_string(most_parameterized_variables) + " variables in one declaration");
    const auto declare_one = [&](std::string_view name) {
        if (is_register) declare_register(name, declared);
        else declare_variable(name, declared, linkage);
    };
    if (declared.count < 0) return declare_one(declared.name);
    for (int i = 0; i < declared.count; ++i) declare_one(made_names_.emplace_back(std::string(declared.name) + std::to_string(i)));
}

void FunctionNames::declare_label(std::string_view name) {
    function_.labels.push_back({std::string(name), static_cast<int>(function_.instructions.size())});
    declare(name, {Symbol::Kind::label, last_index(function_.labels.size()), 0});
}

void FunctionNames::declare_branch_targets(std::string_view name, const std::vector<std::string_view>& labels) {
    Targets& targets = function_.targets.emplace_back();
    targets.name = name;
    targets.labels.assign(labels.size(), -1);
    const int index = last_index(function_.targets.size());
    declare(name, {Symbol::Kind::targets, index, 0});
    for (std::size_t i = 0; i < labels.size(); ++i) scopes_.back().waiting.push_back({nullptr, labels[i], state_.lexer.line(), index, i});
}

const Symbol* FunctionNames::find(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        const auto found = scope->names.find(name);
        if (found != scope->names.end() && found->second.declared_first()) return &found->second;
    }
    return nullptr;
}

std::uint64_t FunctionNames::element_bytes(std::string_view name) const {
    if (const Symbol* symbol = find(name)) return symbol->element_bytes;
    const ModuleSymbol* symbol = state_.find(name);
    return symbol == nullptr ? 0 : symbol->element_bytes;
}

void FunctionNames::resolve_operands(std::vector<Operand>& operands, int line) {
    for (Operand& operand : operands) {
        resolve_operand(operand, line);
        if (!operand.elements.empty()) resolve_operands(operand.elements, line);
        if (!operand.second.empty()) resolve_operands(operand.second, line);
    }
}

void FunctionNames::resolve_operand(Operand& operand, int line) {
    const bool is_address = operand.kind == Operand::Kind::address && operand.base == Operand::Base::symbol;
    if (operand.kind != Operand::Kind::symbol && !is_address) return;
    if (const Symbol* symbol = find(operand.name)) {
        operand.scope = scope_of(symbol->kind);
        operand.index = symbol->index;
        return;
    }
    if (is_address && state_.resolve(operand)) return;
    scopes_.back().waiting.push_back({&operand, operand.name, line, -1, 0});
}

bool FunctionNames::settle(const Waiting& waiting, const Scope& scope) {
    const auto found = scope.names.find(waiting.name);
    if (found == scope.names.end() || found->second.declared_first()) return false;
    const Symbol& symbol = found->second;
    const bool is_label = symbol.kind == Symbol::Kind::label;
    if (waiting.operand == nullptr) {
        if (!is_label) fail_at(waiting.line, function_.name, in_quotes(waiting.name) + " is no label");
        function_.targets[waiting.targets].labels[waiting.entry] = symbol.index;
        return true;
    }
    Operand& operand = *waiting.operand;
    if (operand.kind != Operand::Kind::symbol || operand.integer != 0)
        fail_at(waiting.line, function_.name, "the label " + in_quotes(waiting.name) + " stands where a variable is accepted");
    if (is_label) operand.kind = Operand::Kind::label;
    operand.index = symbol.index;
    return true;
}

void FunctionNames::close_scope() {
    const Scope scope = std::move(scopes_.back());
    scopes_.pop_back();
    for (const Waiting& waiting : scope.waiting) {
        if (settle(waiting, scope)) continue;
        if (scopes_.empty()) leave_to_module(waiting);
        else scopes_.back().waiting.push_back(waiting);
    }
}

void FunctionNames::leave_to_module(const Waiting& waiting) {
    if (waiting.operand == nullptr) fail_at(waiting.line, function_.name, "the label " + in_quotes(waiting.name) + " is not declared");
    if (!state_.resolve(*waiting.operand)) state_.resolve_later(*waiting.operand, waiting.line);
}

}  // namespace simt::ptx
