// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "warp/decoder.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "memory/address_space.hpp"
#include "runtime/device.hpp"
#include "warp/arithmetic.hpp"
#include "warp/flow.hpp"
#include "warp/launch.hpp"
#include "warp/source_place.hpp"
#include "warp/special_registers.hpp"

namespace simt::warp {

namespace {

constexpr int error_invalid_ptx = 218;

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

Decoder::Decoder(const Module& module, Program& program, int function)
    : module_(module),
      program_(program),
      text_(*module.functions[static_cast<std::size_t>(function)].text),
      function_(*module.functions[static_cast<std::size_t>(function)].function),
      code_(std::make_unique<Code>())
{
    code_->name = function_.name;
    code_->is_entry = function_.is_entry;
    code_->function = function;
}

std::unique_ptr<Code> Decoder::decode()
{
    lay_out_local_memory();
    lay_out_registers();
    refuse_branches_without_label();
    flow_ = find_flow(function_);
    code_->loop_parents = flow_.parents;
    polls_ = find_polls(function_, flow_);
    place_instructions();
    std::vector<bool> is_join(function_.instructions.size() + 1, false);
    for (const int join : flow_.joins)
        if (join >= 0) is_join[static_cast<std::size_t>(join)] = true;
    for (current_ = 0; current_ < static_cast<int>(function_.instructions.size()); ++current_) {
        if (is_join[static_cast<std::size_t>(current_)]) code_->instructions.push_back(join_instruction());
        code_->instructions.push_back(decode(function_.instructions[static_cast<std::size_t>(current_)]));
    }
    // A function may end without `ret`.
    ptx::Instruction end;
    end.opcode = "ret";
    Instruction last;
    decode_control(*this, end, last);
    if (is_join.back()) code_->instructions.push_back(join_instruction());
    code_->instructions.push_back(last);
    code_->frame_bytes = code_->constants.size();
    return std::move(code_);
}

void Decoder::lay_out_local_memory()
{
    std::uint64_t next = 0;
    const auto place = [&](const ptx::Variable& variable) {
        next = round_up(next, std::max<std::uint64_t>(variable.alignment, 1));
        const LocalPlace at{next, variable.bytes};
        next += variable.bytes;
        return at;
    };
    if (!function_.is_entry) {
        for (const ptx::Variable& variable : function_.parameters) code_->parameters.push_back(place(variable));
        for (const ptx::Variable& variable : function_.returns) code_->returns.push_back(place(variable));
    }
    for (const ptx::Variable& variable : function_.variables) {
        const bool local = variable.space == ptx::Space::local || variable.space == ptx::Space::param;
        variables_.push_back(local ? place(variable) : LocalPlace{0, 0});
    }
    code_->local_bytes = round_up(next, 16);
}

void Decoder::lay_out_registers()
{
    // Offsets stay valid while constants are added behind the registers.
    for (const ptx::Register& reg : function_.registers) {
        const int bytes = bytes_in_register(reg.type);
        const std::size_t parts = reg.vector ? static_cast<std::size_t>(reg.vector) : 1;
        registers_.push_back(take(std::max<std::size_t>(static_cast<std::size_t>(bytes) * lanes_of_warp * parts, 4)));
    }
}

void Decoder::place_instructions()
{
    std::vector<bool> is_join(function_.instructions.size() + 1, false);
    for (const int join : flow_.joins)
        if (join >= 0) is_join[static_cast<std::size_t>(join)] = true;
    std::uint32_t next = 0;
    for (std::size_t i = 0; i <= function_.instructions.size(); ++i) {
        // A branch to a place where lanes meet goes to the instruction that lets them meet.
        positions_.push_back(next);
        next += is_join[i] ? 2 : 1;
    }
}

Branch Decoder::branch_to(int label_index) const
{
    const auto at = static_cast<std::size_t>(current_);
    const int target = function_.labels[static_cast<std::size_t>(label_index)].instruction;
    Branch branch;
    branch.target = position(target);
    branch.join = flow_.joins[at] < 0 ? no_operand : position(flow_.joins[at]);
    branch.join_loop = flow_.join_loops[at];
    branch.target_loop = flow_.loops[static_cast<std::size_t>(target)];
    branch.next_loop = flow_.loops[at + 1];
    branch.target_leaves = !holds(flow_.parents, flow_.loops[at], branch.target_loop);
    branch.next_leaves = !holds(flow_.parents, flow_.loops[at], branch.next_loop);
    return branch;
}

std::uint32_t Decoder::take(std::size_t bytes)
{
    const std::size_t offset = round_up(code_->constants.size(), bytes >= 64 ? 64 : 4);
    code_->constants.resize(offset + bytes, 0);
    return static_cast<std::uint32_t>(offset);
}

std::uint32_t Decoder::constant(std::uint64_t bits, int bytes)
{
    auto& known = constants_[bytes];
    for (const auto& [value, offset] : known)
        if (value == bits) return offset;
    const std::uint32_t offset = bytes == 0 ? take(4) : take(static_cast<std::size_t>(bytes) * lanes_of_warp);
    if (bytes == 0) {
        const std::uint32_t all = bits ? all_lanes : 0;
        std::memcpy(code_->constants.data() + offset, &all, sizeof all);
    } else {
        for (int lane = 0; lane < lanes_of_warp; ++lane)
            std::memcpy(code_->constants.data() + offset + lane * bytes, &bits, static_cast<std::size_t>(std::min(bytes, 8)));
    }
    known.emplace_back(bits, offset);
    return offset;
}

std::uint32_t Decoder::scratch()
{
    constexpr std::size_t widest = 16;
    if (scratch_ == no_operand) scratch_ = take(widest * lanes_of_warp);
    return scratch_;
}

std::uint32_t Decoder::special(const std::string& name, int bytes)
{
    const std::string key = name + "/" + std::to_string(bytes);
    if (const auto found = specials_.find(key); found != specials_.end()) return found->second;
    const std::optional<Special> which = find_special(name);
    if (!which)
        throw DeviceError(error_invalid_ptx,
                          {MessageCode::special_register_not_supported, {{"register", name}, {"function", function_.name}}});
    const std::uint32_t offset = bytes == 0 ? take(4) : take(static_cast<std::size_t>(bytes) * lanes_of_warp);
    code_->specials.push_back({*which, offset, bytes});
    specials_[key] = offset;
    return offset;
}

std::uint32_t Decoder::local_address(std::uint64_t variable, int bytes, bool generic)
{
    for (const LocalSlot& slot : code_->local_addresses)
        if (slot.variable == variable && slot.bytes == bytes && slot.generic == generic) return slot.offset;
    const std::uint32_t offset = take(static_cast<std::size_t>(bytes) * lanes_of_warp);
    code_->local_addresses.push_back({offset, bytes, variable, generic});
    return offset;
}

LocalPlace Decoder::local_place(const ptx::Operand& operand) const
{
    const auto index = static_cast<std::size_t>(operand.index);
    switch (operand.scope) {
        case ptx::Operand::Scope::parameter: return code_->parameters.at(index);
        case ptx::Operand::Scope::return_parameter: return code_->returns.at(index);
        default: return variables_.at(index);
    }
}

std::uint64_t Decoder::symbol_value(const ptx::Operand& operand, int bytes)
{
    using Scope = ptx::Operand::Scope;
    if (operand.scope == Scope::function) {
        const int number = module_.find_function(text_, operand.name);
        if (number < 0)
            throw DeviceError(error_invalid_ptx,
                              {MessageCode::address_of_function_without_body, {{"callee", operand.name}, {"function", function_.name}}});
        return memory::function_window + 16 * static_cast<std::uint64_t>(number);
    }
    const bool own = operand.scope == Scope::function_variable;
    const ptx::Space space = own                                       ? function_.variables[static_cast<std::size_t>(operand.index)].space
                             : operand.scope == Scope::module_variable ? text_.variables[static_cast<std::size_t>(operand.index)].space
                                                                       : ptx::Space::param;
    if (space == ptx::Space::shared) {
        const std::string name = own ? function_.name + "/" + operand.name : operand.name;
        for (const SharedVariable& variable : program_.shared)
            if (variable.name == name) return variable.offset;
        throw DeviceError(error_invalid_ptx,
                          {MessageCode::unknown_shared_variable, {{"variable", operand.name}, {"function", function_.name}}});
    }
    if (space == ptx::Space::param) {
        std::uint64_t offset = 0;
        for (int i = 0; i <= operand.index; ++i) {
            const ptx::Variable& parameter = function_.parameters[static_cast<std::size_t>(i)];
            offset = round_up(offset, std::max<std::uint64_t>(parameter.alignment, 1));
            if (i < operand.index) offset += parameter.bytes;
        }
        return (bytes == 8 ? memory::parameter_window : 0) + offset;
    }
    const Module::Variable* variable = module_.find_variable(text_, operand.name);
    if (!variable) throw DeviceError(error_invalid_ptx, {MessageCode::undefined_variable, {{"variable", operand.name}}});
    return variable->address;
}

std::uint64_t Decoder::constant_bits(const ptx::Operand& operand, ptx::Type type, int bytes)
{
    if (operand.kind == ptx::Operand::Kind::integer) {
        if (type == ptx::Type::f32 || type == ptx::Type::f64) {
            // An integer constant in the place of a number is that number.
            if (type == ptx::Type::f64) return std::bit_cast<std::uint64_t>(static_cast<double>(operand.integer));
            return std::bit_cast<std::uint32_t>(static_cast<float>(operand.integer));
        }
        const std::uint64_t bits = static_cast<std::uint64_t>(operand.integer);
        return bytes == 0 || bytes >= 8 ? bits : bits & ((std::uint64_t{1} << 8 * bytes) - 1);
    }
    const auto bits = static_cast<std::uint64_t>(operand.integer);
    if (operand.is_float32)
        return bytes == 8 ? std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))))
                          : bits;
    return bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits))) : bits;
}

std::uint32_t Decoder::register_place(const ptx::Operand& operand) const
{
    const ptx::Register& reg = function_.registers[static_cast<std::size_t>(operand.index)];
    const auto part = static_cast<std::uint32_t>(std::max(operand.component, 0));
    return registers_[static_cast<std::size_t>(operand.index)] +
           part * static_cast<std::uint32_t>(bytes_in_register(reg.type) * lanes_of_warp);
}

std::uint32_t Decoder::slot(const ptx::Operand& operand, ptx::Type type)
{
    using Kind = ptx::Operand::Kind;
    const int bytes = bytes_in_register(type);
    switch (operand.kind) {
        case Kind::reg: {
            const ptx::Register& reg = function_.registers[static_cast<std::size_t>(operand.index)];
            // Handlers would read and write beyond a register that is too narrow.
            if (bytes > bytes_in_register(reg.type))
                throw DeviceError(error_invalid_ptx, {MessageCode::register_too_narrow,
                                                      {{"bits", 8 * bytes}, {"register", reg.name}, {"function", function_.name}}});
            return register_place(operand);
        }
        case Kind::special:
            if (operand.name == "WARP_SZ") return constant(lanes_of_warp, bytes);
            return special(operand.name, bytes);
        case Kind::integer:
        case Kind::floating: return constant(constant_bits(operand, type, bytes), bytes);
        case Kind::symbol: {
            const bool in_frame = (operand.scope == ptx::Operand::Scope::function_variable &&
                                   function_.variables[static_cast<std::size_t>(operand.index)].space != ptx::Space::shared) ||
                                  (!function_.is_entry && operand.scope == ptx::Operand::Scope::parameter) ||
                                  operand.scope == ptx::Operand::Scope::return_parameter;
            // The name of a local variable stands for its address in the local space; that of a parameter is generic here.
            const bool is_local = operand.scope == ptx::Operand::Scope::function_variable &&
                                  function_.variables[static_cast<std::size_t>(operand.index)].space == ptx::Space::local;
            if (in_frame) return local_address(local_place(operand).offset + static_cast<std::uint64_t>(operand.integer), bytes, !is_local);
            const std::uint64_t value = symbol_value(operand, bytes) + static_cast<std::uint64_t>(operand.integer);
            return constant(bytes < 8 ? value & ((std::uint64_t{1} << 8 * bytes) - 1) : value, bytes);
        }
        case Kind::sink: return scratch();
        default: break;
    }
    throw DeviceError(error_invalid_ptx, {MessageCode::unknown_operand, {{"function", function_.name}}});
}

AddressOperand Decoder::address(const ptx::Operand& operand, ptx::Space space)
{
    AddressOperand out;
    out.offset = operand.integer;
    if (operand.base == ptx::Operand::Base::reg) {
        ptx::Operand base;
        base.kind = ptx::Operand::Kind::reg;
        base.index = operand.index;
        base.component = operand.component;
        out.base_bytes = bytes_in_register(function_.registers[static_cast<std::size_t>(operand.index)].type);
        if (out.base_bytes != 4 && out.base_bytes != 8)
            throw DeviceError(error_invalid_ptx, {MessageCode::address_register_width, {{"function", function_.name}}});
        out.base = register_place(base);
        return out;
    }
    if (operand.base == ptx::Operand::Base::none) {
        out.base = constant(static_cast<std::uint64_t>(operand.integer), 8);
        out.offset = 0;
        return out;
    }
    using Scope = ptx::Operand::Scope;
    const bool frame_parameter = (operand.scope == Scope::parameter && !function_.is_entry) || operand.scope == Scope::return_parameter ||
                                 (operand.scope == Scope::function_variable && space == ptx::Space::param);
    if (frame_parameter) {
        out.in_frame = true;
        out.offset += static_cast<std::int64_t>(local_place(operand).offset);
        return out;
    }
    ptx::Operand base = operand;
    base.kind = ptx::Operand::Kind::symbol;
    base.integer = 0;
    // In the text an address of a variable is one in the variable's own space.
    const bool local = operand.scope == Scope::function_variable &&
                       function_.variables[static_cast<std::size_t>(operand.index)].space == ptx::Space::local;
    out.base_bytes = local || space == ptx::Space::param ? 4 : 8;
    out.base = slot(base, out.base_bytes == 4 ? ptx::Type::b32 : ptx::Type::b64);
    return out;
}

std::uint32_t Decoder::label(const ptx::Operand& operand) const
{
    return position(function_.labels[static_cast<std::size_t>(operand.index)].instruction);
}

int Decoder::add_poll()
{
    if (!polls_[static_cast<std::size_t>(current_)]) return -1;
    program_.polls.push_back(source_place(text_, function_.instructions[static_cast<std::size_t>(current_)].location));
    return static_cast<int>(program_.polls.size()) - 1;
}

std::uint32_t Decoder::next_program_counter(const ptx::Instruction& instruction)
{
    module_.instruction_places.push_back({source_place(text_, instruction.location), code_->function});
    return static_cast<std::uint32_t>(module_.instruction_places.size() - 1);
}

Instruction Decoder::decode(const ptx::Instruction& instruction)
{
    refuse_sinks_as_sources(instruction);
    Instruction out;
    if (instruction.guard >= 0) {
        out.guard = registers_[static_cast<std::size_t>(instruction.guard)];
        if (instruction.guard_negated) out.negated |= 1u << 31;
    }
    out.program_counter = next_program_counter(instruction);
    for (const auto family : {decode_control, decode_memory, decode_address, decode_exchange, decode_barrier, decode_atomic,
                              decode_asynchronous, decode_texture, decode_tensor})
        if (family(*this, instruction, out)) return out;
    decode_arithmetic(instruction, out);
    return out;
}

void Decoder::decode_arithmetic(const ptx::Instruction& instruction, Instruction& out)
{
    const Semantics semantics = find_arithmetic(instruction);
    if (!semantics.execute) refuse(instruction);
    out.execute = semantics.execute;
    out.immediate = semantics.immediate;
    std::size_t n = 0;
    const auto type_of = [&] { return semantics.types[std::min(n, semantics.types.size() - 1)]; };
    const auto add_one = [&](const ptx::Operand& operand) {
        if (n < out.width.size()) out.width[n] = static_cast<std::uint8_t>(register_bytes(operand, type_of()));
        if (operand.negated && type_of() == ptx::Type::pred) negate(out, static_cast<int>(n));
        add(out, slot(operand, type_of()));
        ++n;
    };
    for (const ptx::Operand& operand : instruction.operands) {
        if (operand.kind == ptx::Operand::Kind::vector)
            for (const ptx::Operand& element : operand.elements) add_one(element);
        else add_one(operand);
        for (const ptx::Operand& second : operand.second) add_one(second);
    }
}

Message Decoder::message_of(MessageCode code, const ptx::Instruction& instruction) const
{
    std::string text = instruction.opcode;
    for (const std::string& modifier : instruction.modifiers) text += "." + modifier;
    Message message(code, {{"instruction", text}, {"kernel", program_.name}});
    if (const ptx::Location& location = instruction.location; location.file >= 0) {
        const std::filesystem::path file(text_.files[static_cast<std::size_t>(location.file)]);
        message.fields.insert(message.fields.end(), {{"file", file.filename().string()}, {"line", location.line}});
    }
    return message;
}

void Decoder::refuse(const ptx::Instruction& instruction, const char* part) const
{
    Message message = message_of(MessageCode::instruction_not_supported, instruction);
    if (part) message.fields.emplace_back("part", part);
    throw DeviceError(error_not_supported, std::move(message));
}

void Decoder::refuse(const ptx::Instruction& instruction, MessageCode code) const
{
    throw DeviceError(error_not_supported, message_of(code, instruction));
}

void Decoder::refuse_callee(const ptx::Instruction& instruction, const std::string& callee) const
{
    Message message = message_of(MessageCode::function_without_body, instruction);
    message.fields.emplace_back("callee", callee);
    throw DeviceError(error_not_supported, std::move(message));
}

}  // namespace simt::warp
