// Decoded functions, and all that a kernel can reach, ready to be executed.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "interpreter/decode/instruction.hpp"
#include "simt/hazard.hpp"
#include "simt/machine.hpp"

namespace simt::interpreter {

struct Code;
struct LoadedModule;

// clang-format off
/// Special registers whose value is fixed while a block runs.
enum class Special : std::uint8_t {
    tid_x, tid_y, tid_z,
    ntid_x, ntid_y, ntid_z,
    ctaid_x, ctaid_y, ctaid_z,
    nctaid_x, nctaid_y, nctaid_z,
    laneid, warpid, nwarpid, smid, nsmid, gridid,
    lanemask_eq, lanemask_le, lanemask_lt, lanemask_ge, lanemask_gt,
    dynamic_smem_size, total_smem_size, zero, workspace_high, workspace_low,
    clusterid_x, clusterid_y, clusterid_z,
    nclusterid_x, nclusterid_y, nclusterid_z,
    cluster_ctaid_x, cluster_ctaid_y, cluster_ctaid_z,
    cluster_nctaid_x, cluster_nctaid_y, cluster_nctaid_z,
    cluster_ctarank, cluster_nctarank, is_explicit_cluster,
};
// clang-format on

/// A register that holds a special register's value.
struct SpecialSlot {
    Special special;
    std::uint32_t offset;
    int bytes;
};

/// A register that holds the address of a local variable: it depends on the frame.
struct LocalSlot {
    std::uint32_t offset;
    int bytes;
    std::uint64_t variable;
    /// The generic address, and not the one in the local space.
    bool generic;
};

/// A variable in the local memory of a frame: offset from its start.
struct LocalPlace { std::uint64_t offset, bytes; };

/// The target, the arguments and the results of a call.
struct CallSite {
    /// Number of the called function in the module; -1 for an indirect call and for a built-in function.
    int function = -1;
    /// Name of the built-in function (`vprintf`, `malloc`, …).
    std::string builtin;
    /// Register of the function's address, for an indirect call.
    std::uint32_t address = no_operand;
    /// Where the caller keeps arguments and results, in its local memory.
    std::vector<LocalPlace> arguments, results;
};

/// A decoded function.
struct Code {
    std::string name;
    bool is_entry = false;
    int function = -1;
    std::vector<DecodedInstruction> instructions;
    std::size_t frame_bytes = 0;
    /// The initial contents of a frame: its constants.
    std::vector<unsigned char> constants;
    /// The registers' depths in chains of loads (chains.hpp): place in the frame, and bytes.
    std::size_t depths = 0, depth_bytes = 0;
    std::vector<SpecialSlot> specials;
    std::vector<LocalSlot> local_addresses;
    std::uint64_t local_bytes = 0;
    /// In the local memory of the frame.
    std::vector<LocalPlace> parameters, returns;
    std::deque<CallSite> calls;
    std::deque<std::vector<std::uint32_t>> operand_lists;
    /// The loop around each loop; -1 for none.
    ptx::Numbered<int> loop_parents;
    /// Data of handlers that need more than DecodedInstruction::immediate.
    std::vector<std::shared_ptr<void>> details;
};

/// A variable of a block's shared memory.
struct SharedVariable {
    std::string name;
    std::uint64_t offset, bytes;
    bool dynamic = false;
};

/// A kernel, and the functions and variables that it reaches.
struct Program {
    const LoadedModule* module = nullptr;
    std::string name;
    Code* entry = nullptr;
    /// By number of the function in the module; null where the kernel does not reach it.
    ptx::Numbered<std::unique_ptr<Code>> codes;
    std::vector<SharedVariable> shared;
    /// Static shared memory as the kernel declares it, and the extent of all variables and gaps before dynamic memory.
    std::size_t static_shared_bytes = 0, shared_extent = 0;
    std::size_t parameter_bytes = 0;
    /// Whether atomic operations, polls or addresses of fresh memory let blocks find out their order.
    bool orders_blocks = false;
    /// Running it again on the same inputs has the same effect (repeatable.hpp).
    bool is_repeatable = false;
    /// The places where threads poll (polls.hpp).
    std::vector<SourcePlace> polls;
    /// Why a launch is not exact if lanes of a warp diverge at a branch, for each such branch (fusion.hpp).
    std::vector<FusedAccess> inexact_divergences;
};

/// The source place of an instruction, and its function.
struct InstructionPlace {
    SourcePlace place;
    int function = -1;
};

/// A loaded module: the texts that were linked, with addresses for its variables.
struct LoadedModule {
    std::vector<std::unique_ptr<ptx::Module>> texts;
    struct Function {
        const ptx::Module* text;
        const ptx::Function* function;
    };
    /// All functions that have a body, and their numbers by name.
    ptx::Numbered<Function> functions;
    std::map<std::string, int, std::less<>> function_numbers;
    /// Functions that only one text sees.
    std::map<std::pair<const ptx::Module*, std::string>, int> internal_functions;
    struct Variable {
        std::uint64_t address = 0;
        std::size_t bytes = 0;
        ptx::StateSpace space = ptx::StateSpace::global;
        bool managed = false;
    };
    std::map<std::string, Variable, std::less<>> variables;
    /// Variables that only one text sees: by text and name.
    std::map<std::pair<const ptx::Module*, std::string>, Variable> internal_variables;
    /// By program counter, which is the number of a decoded instruction of any kernel of the module.
    mutable std::deque<InstructionPlace> instruction_places;

    const Variable* find_variable(const ptx::Module& text, const std::string& name) const;
    /// The number of a function with a body as `text` sees its name; -1 if there is none.
    int find_function(const ptx::Module& text, const std::string& name) const;
};

/// Decodes a kernel, and the functions that it reaches.
/// @throws DeviceError for unsupported parts: one line with the instruction, the kernel and the source line
std::unique_ptr<Program> decode(const LoadedModule& module, int kernel);

}  // namespace simt::interpreter
