// The places of operands while a kernel runs: registers, constants, special registers, variables, and the parts of addresses.

#include <algorithm>
#include <cstring>

#include "device/address_space.hpp"
#include "device/device.hpp"
#include "device/round_up.hpp"
#include "interpreter/decode/decoder.hpp"
#include "interpreter/schedule/special_registers.hpp"

namespace simt::interpreter {

std::uint32_t Decoder::take(std::size_t bytes) {
    const std::size_t offset = memory::round_up(code_->constants.size(), bytes >= 64 ? 64 : 4);
    code_->constants.resize(offset + bytes, 0);
    return static_cast<std::uint32_t>(offset);
}

std::uint32_t Decoder::take_lanes(int bytes) { return take(bytes == 0 ? 4 : static_cast<std::size_t>(bytes) * warp_size); }

std::uint32_t Decoder::constant(std::uint64_t bits, int bytes) {
    auto& known = constants_[bytes];
    for (const auto& [value, offset] : known)
        if (value == bits) return offset;
    const std::uint32_t offset = take_lanes(bytes);
    if (bytes == 0) {
        const std::uint32_t all = bits ? all_lanes : 0;
        std::memcpy(code_->constants.data() + offset, &all, sizeof all);
    } else {
        for (std::size_t lane = 0; lane < warp_size; ++lane) write_lane(code_->constants.data() + offset, lane, bits, bytes);
    }
    known.emplace_back(bits, offset);
    return offset;
}

std::uint32_t Decoder::scratch() {
    constexpr std::size_t widest = 16;
    if (scratch_ == no_operand) scratch_ = take(widest * warp_size);
    return scratch_;
}

std::uint32_t Decoder::special(const std::string& name, int bytes) {
    const std::string key = name + "/" + std::to_string(bytes);
    if (const auto found = specials_.find(key); found != specials_.end()) return found->second;
    const std::optional<Special> which = find_special(name);
    if (!which)
        throw DeviceError(error_invalid_ptx,
                          {MessageCode::special_register_not_supported, {{"register", name}, {"function", function_.name}}});
    const std::uint32_t offset = take_lanes(bytes);
    code_->specials.push_back({*which, offset, bytes});
    specials_[key] = offset;
    return offset;
}

std::uint32_t Decoder::local_address(std::uint64_t variable, int bytes, bool generic) {
    for (const LocalSlot& slot : code_->local_addresses)
        if (slot.variable == variable && slot.bytes == bytes && slot.generic == generic) return slot.offset;
    const std::uint32_t offset = take_lanes(bytes);
    code_->local_addresses.push_back({offset, bytes, variable, generic});
    return offset;
}

LocalPlace Decoder::local_place(const ptx::Operand& operand) const {
    const auto index = static_cast<std::size_t>(operand.index);
    switch (operand.scope) {
        case ptx::Operand::Scope::parameter: return code_->parameters.at(index);
        case ptx::Operand::Scope::return_parameter: return code_->returns.at(index);
        default: return variables_.at(index);
    }
}

std::uint64_t Decoder::symbol_value(const ptx::Operand& operand, int bytes) {
    using Scope = ptx::Operand::Scope;
    if (operand.scope == Scope::function) {
        const int number = module_.find_function(text_, operand.name);
        if (number < 0)
            throw DeviceError(error_invalid_ptx,
                              {MessageCode::address_of_function_without_body, {{"callee", operand.name}, {"function", function_.name}}});
        return memory::function_window + 16 * static_cast<std::uint64_t>(number);
    }
    const bool own = operand.scope == Scope::function_variable;
    const ptx::StateSpace space = own                                       ? function_.variables[operand.index].space
                                  : operand.scope == Scope::module_variable ? text_.variables[operand.index].space
                                                                            : ptx::StateSpace::param;
    if (space == ptx::StateSpace::shared) {
        const std::string name = own ? function_.name + "/" + operand.name : operand.name;
        for (const SharedVariable& variable : program_.shared)
            if (variable.name == name) return variable.offset;
        throw DeviceError(error_invalid_ptx,
                          {MessageCode::unknown_shared_variable, {{"variable", operand.name}, {"function", function_.name}}});
    }
    if (space == ptx::StateSpace::param) {
        std::uint64_t offset = 0;
        for (int i = 0; i <= operand.index; ++i) {
            const ptx::Variable& parameter = function_.parameters[i];
            offset = memory::round_up(offset, std::max<std::uint64_t>(parameter.alignment, 1));
            if (i < operand.index) offset += parameter.bytes;
        }
        return (bytes == 8 ? memory::parameter_window : 0) + offset;
    }
    const LoadedModule::Variable* variable = module_.find_variable(text_, operand.name);
    if (!variable) throw DeviceError(error_invalid_ptx, {MessageCode::undefined_variable, {{"variable", operand.name}}});
    return variable->address;
}

std::uint64_t Decoder::constant_bits(const ptx::Operand& operand, ptx::Type type, int bytes) {
    if (operand.kind == ptx::Operand::Kind::integer) {
        if (type == ptx::Type::f32 || type == ptx::Type::f64) {
            // An integer constant as a floating-point operand is converted.
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

std::uint32_t Decoder::register_place(const ptx::Operand& operand) const {
    const ptx::Register& reg = function_.registers[operand.index];
    const auto part = static_cast<std::uint32_t>(std::max(operand.component, 0));
    return registers_[operand.index] + part * static_cast<std::uint32_t>(bytes_in_register(reg.type) * warp_size);
}

std::uint32_t Decoder::slot(const ptx::Operand& operand, ptx::Type type) {
    using Kind = ptx::Operand::Kind;
    const int bytes = bytes_in_register(type);
    switch (operand.kind) {
        case Kind::reg: {
            const ptx::Register& reg = function_.registers[operand.index];
            // A handler would read and write past the end of a register that is too narrow.
            if (bytes > bytes_in_register(reg.type))
                throw DeviceError(error_invalid_ptx, {MessageCode::register_too_narrow,
                                                      {{"bits", 8 * bytes}, {"register", reg.name}, {"function", function_.name}}});
            return register_place(operand);
        }
        case Kind::special:
            if (operand.name == "WARP_SZ") return constant(warp_size, bytes);
            return special(operand.name, bytes);
        case Kind::integer:
        case Kind::floating: return constant(constant_bits(operand, type, bytes), bytes);
        case Kind::symbol: {
            const bool in_frame = (operand.scope == ptx::Operand::Scope::function_variable &&
                                   function_.variables[operand.index].space != ptx::StateSpace::shared) ||
                                  (!function_.is_entry && operand.scope == ptx::Operand::Scope::parameter) ||
                                  operand.scope == ptx::Operand::Scope::return_parameter;
            // The name of a local variable stands for its address in the local space; that of a parameter is generic here.
            const bool is_local = operand.scope == ptx::Operand::Scope::function_variable &&
                                  function_.variables[operand.index].space == ptx::StateSpace::local;
            if (in_frame) return local_address(local_place(operand).offset + static_cast<std::uint64_t>(operand.integer), bytes, !is_local);
            const std::uint64_t value = symbol_value(operand, bytes) + static_cast<std::uint64_t>(operand.integer);
            return constant(bytes < 8 ? value & ((std::uint64_t{1} << 8 * bytes) - 1) : value, bytes);
        }
        case Kind::sink: return scratch();
        default: break;
    }
    throw DeviceError(error_invalid_ptx, {MessageCode::unknown_operand, {{"function", function_.name}}});
}

AddressOperand Decoder::address(const ptx::Operand& operand, ptx::StateSpace space) {
    AddressOperand out;
    out.offset = operand.integer;
    if (operand.base == ptx::Operand::Base::reg) {
        ptx::Operand base;
        base.kind = ptx::Operand::Kind::reg;
        base.index = operand.index;
        base.component = operand.component;
        out.base_bytes = bytes_in_register(function_.registers[operand.index].type);
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
                                 (operand.scope == Scope::function_variable && space == ptx::StateSpace::param);
    if (frame_parameter) {
        const LocalPlace place = local_place(operand);
        out.in_frame = true;
        out.in_place = out.offset;
        out.place_bytes = place.bytes;
        out.offset += static_cast<std::int64_t>(place.offset);
        return out;
    }
    ptx::Operand base = operand;
    base.kind = ptx::Operand::Kind::symbol;
    base.integer = 0;
    // The text's address of a variable is in the variable's own space.
    const bool local = operand.scope == Scope::function_variable && function_.variables[operand.index].space == ptx::StateSpace::local;
    out.base_bytes = local || space == ptx::StateSpace::param ? 4 : 8;
    out.base = slot(base, out.base_bytes == 4 ? ptx::Type::b32 : ptx::Type::b64);
    return out;
}

std::uint32_t Decoder::label(const ptx::Operand& operand) const { return position(function_.labels[operand.index].instruction); }

}  // namespace simt::interpreter
