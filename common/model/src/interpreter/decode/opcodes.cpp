#include "interpreter/decode/opcodes.hpp"

#include <unordered_map>
#include <vector>

namespace simt::interpreter {

// The functions that the rows name.
#define EXECUTES(opcode, handler) void handler(Warp& warp, const DecodedInstruction& instruction);
#define LANEWISE(opcode, finder) Semantics finder(const ptx::Instruction& instruction);
#define DECODES(opcode, decoder_function) \
    bool decoder_function(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out);
#define TENSOR(opcode, decoder_function)                                                                   \
    namespace tensor {                                                                                     \
    bool decoder_function(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out); \
    }
#define TEXTURE(opcode, decoder_function)                                                                  \
    namespace texture {                                                                                    \
    bool decoder_function(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out); \
    }
#include "interpreter/decode/opcodes.def"
#undef EXECUTES
#undef LANEWISE
#undef DECODES
#undef TENSOR
#undef TEXTURE

namespace {

using Table = std::unordered_map<std::string_view, std::vector<Form>>;

Table make_table() {
    Table table;
#define EXECUTES(opcode, handler) table[opcode].push_back({.executes = handler});
#define LANEWISE(opcode, finder) table[opcode].push_back({.finds = finder});
#define DECODES(opcode, decoder) table[opcode].push_back({.decodes = decoder});
#define TENSOR(opcode, decoder) DECODES(opcode, tensor::decoder)
#define TEXTURE(opcode, decoder) DECODES(opcode, texture::decoder)
#include "interpreter/decode/opcodes.def"
#undef EXECUTES
#undef LANEWISE
#undef DECODES
#undef TENSOR
#undef TEXTURE
    return table;
}

}  // namespace

std::span<const Form> forms_of(std::string_view opcode) {
    static const Table table = make_table();
    const auto found = table.find(opcode);
    return found == table.end() ? std::span<const Form>() : std::span<const Form>(found->second);
}

Semantics find_lanewise(const ptx::Instruction& instruction) {
    for (const Form& form : forms_of(instruction.opcode)) {
        if (!form.finds) continue;
        if (const Semantics found = form.finds(instruction); found.execute) return found;
    }
    return {};
}

void do_nothing(Warp&, const DecodedInstruction&) {}

}  // namespace simt::interpreter
