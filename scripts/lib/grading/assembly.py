# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Object admission: what the compiler made of a submission is read, refused or guarded, line by line, as assembly.

What comes out has no name that others see but the function that the driver calls, starts nothing by itself, calls
nothing through a pointer, leaves only for functions that are on a list, and asks a guard before each access that is not
plainly its own frame. Every line is either understood or refused, so nothing gets by that was not thought of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grading.externals import VARIABLES, confined_name, kind_of
from grading.instructions import Access, Instruction, NotKnown, parse
from grading.refusal import Refusal

#: What the compiler is told besides the model's options, so that its code can be read: a frame pointer in each function, no
#: jump through a table, no exceptions, no hidden copies; large frames touch each page, so that they end at the guard page.
COMPILE_OPTIONS = (
    "-fno-exceptions", "-fno-threadsafe-statics", "-fno-jump-tables", "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer",
    "-maccumulate-outgoing-args", "-mno-red-zone", "-mstringop-strategy=libcall", "-fstack-clash-protection", "-fno-stack-protector",
    "-fcf-protection=none", "-fno-shrink-wrap", "-fno-reorder-blocks-and-partition", "-fno-ident", "-fPIE",
)

_TEXT = '\t.section\tsimt_submission_text,"ax",@progbits'
_DATA = '\t.section\tsimt_submission_data,"aw",@progbits'
_ZERO = '\t.section\tsimt_submission_bss,"aw",@nobits'
_CONSTANT = '\t.section\t.rodata,"a",@progbits'
_ENTRIES = '\t.section\tsimt_submission_entries,"aw",@progbits'
_SECTIONS = (
    (re.compile(r"\.text"), "text", _TEXT),
    # Behind what is in .text itself, whose extent the debug information knows.
    (re.compile(r"\.text\b.*"), "text", f"{_TEXT}\n\t.subsection 1"),
    (re.compile(r"\.(?:data|tm_clone_table)\b.*"), "data", _DATA),
    (re.compile(r"\.bss\b.*"), "data", _ZERO),
    (re.compile(r"\.rodata\b.*"), "data", _CONSTANT),
    (re.compile(r"simt_device_symbols\b.*"), "data", '\t.section\tsimt_device_symbols,"aw",@progbits'),
    (re.compile(r"\.init_array\.00099\b.*"), "start", None),
    (re.compile(r"\.(?:debug_\w+|note\.GNU-stack)\b.*"), "debug", ""),
)
_STARTING = re.compile(r"\.?(?:init|fini|ctors|dtors|preinit_array|init_array|fini_array)\b.*")
_LABEL = re.compile(r"([A-Za-z_.$][\w.$]*):")
_SYMBOL = re.compile(r"(?<![%\w.$])[A-Za-z_.][\w.$]*")
_DATA_DIRECTIVES = frozenset(".quad .long .value .byte .string .ascii .zero .uleb128 .sleb128 .2byte .4byte .8byte".split())
_PLAIN_DIRECTIVES = frozenset(".align .p2align .balign .size .type .loc .file .cfi_startproc .cfi_endproc .cfi_def_cfa .cfi_def_cfa_offset "
                              ".cfi_def_cfa_register .cfi_offset .cfi_restore .cfi_remember_state .cfi_restore_state .cfi_escape .cfi_sections "
                              ".cfi_undefined .cfi_adjust_cfa_offset".split())
_NAMING_DIRECTIVES = frozenset(".globl .global .weak .local .hidden .internal .protected".split())
_OPEN_SYMBOLS = frozenset(("GOTPCREL", "PLT", "GOTPCRELX", "REX_GOTPCRELX", "_GLOBAL_OFFSET_TABLE_"))
_START_FUNCTION = re.compile(r"_sub_I_00099_\d+")
_HELP = "Leave it out: a submission computes with the memory that it is given, and does nothing else."


class _Refused(Exception):
    def __init__(self, kind: str, message: str, help_: str = _HELP) -> None:
        super().__init__(message)
        self.kind, self.help = kind, help_


class Confinement:
    """Reads one assembly file. `text` is what is to be assembled in its place, if `refusals` is empty."""

    def __init__(self, assembly: str, function: str) -> None:
        self._lines = assembly.splitlines()
        self._exported = re.compile(rf"{re.escape(function)}|_Z{len(function)}{re.escape(function)}(?!I).*")
        self._defined = self._definitions()
        self._functions: list[str] = []
        self._out: list[str] = []
        self._section = "text"
        self._position = 0  # of the next instruction in its function
        self._files: dict[str, str] = {}
        self._place: int | None = None
        self._in_function = ""
        self.refusals: list[Refusal] = []
        self._read()
        self.text = "\n".join([*self._out, _ENTRIES, "\t.align 8", *(f"\t.quad\t{name}" for name in self._functions if "_FUN" in name), ""])

    def _definitions(self) -> set[str]:
        names = {found[1] for line in self._lines if (found := _LABEL.match(line))}
        for line in self._lines:
            word, _, rest = line.strip().partition("\t")
            if word == ".comm" or word == ".set":
                names.add(rest.partition(",")[0].strip())
        return names

    def _read(self) -> None:
        assembled_by_hand = False
        for line in self._lines:
            stripped = line.strip()
            if stripped in ("#APP", "#NO_APP"):
                assembled_by_hand = stripped == "#APP"
                continue
            if not stripped or stripped.startswith("#"):
                continue
            try:
                if assembled_by_hand:
                    raise _Refused("inline assembly", f"the code holds assembly of its own: `{stripped[:40]}`",
                                   "Write it in CUDA C++: the model counts no instruction that it does not know.")
                self._line(stripped)
            except (_Refused, NotKnown) as error:
                kind = getattr(error, "kind", "instruction that is not admitted")
                message = str(error) if isinstance(error, _Refused) else f"the code has {error}"
                refusal = Refusal(self._place, kind, message + (f" (line {self._place})" if self._place else ""), getattr(error, "help", _HELP))
                if all((refusal.kind, refusal.line) != (each.kind, each.line) for each in self.refusals):
                    self.refusals.append(refusal)

    def _line(self, line: str) -> None:
        if found := _LABEL.fullmatch(line):
            return self._label(found[1])
        if line.startswith("."):
            return self._directive(line)
        if self._section != "text":
            raise _Refused("code among data", "there is code in a section of data")
        return self._instruction(line)

    # --- names and sections ---

    def _label(self, name: str) -> None:
        if not name.startswith(".L"):
            if name.startswith(("simt_", "__start_", "__stop_")):
                raise _Refused("name of the grader", f"the code defines {name}")
            if name == "main":
                raise _Refused("main function", "the code defines main, which is the driver's", "Leave main out: the driver has the only one.")
            if confined_name(name) and not name.startswith("_ZSt"):
                raise _Refused("name of CUDA or of the system that is defined anew", f"the code defines {name}",
                               "Give the function a name of your own.")
            if self._section == "text":
                self._in_function, self._position = name, 0
                self._functions.append(name)
        self._emit(f"{name}:")

    def _enter(self, text: str) -> None:
        for pattern, kind, replacement in _SECTIONS:
            if pattern.fullmatch(text):
                self._section = kind
                if replacement is not None:
                    # A group of sections would be merged with one of another object.
                    self._out.append(replacement or f"\t.section\t{text}")
                return
        self._section = "refused"
        if _STARTING.fullmatch(text):
            raise _Refused("code that runs before main", f"the code puts something into {text.partition(',')[0]}, which runs before the driver",
                           "Initialize static variables with constants: nothing of a submission runs before its function is called.")
        raise _Refused("section of its own", f"the code has a section {text.partition(',')[0]}")

    def _directive(self, line: str) -> None:
        name, _, rest = line.partition("\t") if "\t" in line else line.partition(" ")
        rest = rest.strip()
        if name in (".text", ".data", ".bss"):
            return self._enter(name)
        if name == ".section":
            return self._enter(rest)
        if name in _NAMING_DIRECTIVES:
            if name == ".globl" and self._exported.fullmatch(rest):
                self._emit(f"\t.globl\t{rest}")
            return None
        if name == ".comm":
            return self._common(*rest.split(","))
        if name == ".set":
            return self._set(rest)
        if name == ".file" or name == ".loc":
            self._note_place(name, rest)
        elif name == ".type" and not re.search(r"@(?:function|object|gnu_unique_object)$", rest):
            raise _Refused("symbol of a kind that is not admitted", f"the code has `{line}`")
        elif name in _DATA_DIRECTIVES:
            self._data(rest, name)
        elif name not in _PLAIN_DIRECTIVES:
            raise _Refused("directive of an assembler", f"the code has the directive `{line[:40]}`")
        return self._emit("\t" + line.replace("@gnu_unique_object", "@object"))

    def _emit(self, line: str) -> None:
        if self._section not in ("start", "refused"):
            self._out.append(line)

    def _common(self, name: str, size: str, alignment: str = "1") -> None:
        self._out += [_ZERO.replace(".section", ".pushsection"), f"\t.align {int(alignment)}", f"{name}:", f"\t.zero {int(size)}", "\t.popsection"]

    def _set(self, rest: str) -> None:
        name, _, value = rest.partition(",")
        if not re.fullmatch(r"\.L\w+(?:[+-]\d+)?", value) and value not in self._defined:
            raise _Refused("symbol of a kind that is not admitted", f"the code makes {name} another name of {value}")
        self._emit(f"\t.set\t{rest}")

    def _note_place(self, name: str, rest: str) -> None:
        words = rest.split()
        if name == ".file" and len(words) >= 2:
            self._files[words[0]] = words[-1].strip('"')
        elif name == ".loc":
            self._place = int(words[1]) if self._files.get(words[0], "").endswith(".cu") else None

    def _data(self, values: str, directive: str) -> None:
        if self._section == "text":
            raise _Refused("data among code", "there is data in a section of code")
        if self._section == "start":
            if not _START_FUNCTION.fullmatch(values):
                raise _Refused("code that runs before main", f"{values} runs before the driver",
                               "Initialize static variables with constants: nothing of a submission runs before its function is called.")
            return
        if self._section != "debug" and directive not in (".string", ".ascii"):
            self._check_symbols(values)

    def _check_symbols(self, text: str) -> None:
        for name in _SYMBOL.findall(text):
            if name.startswith(".L") or name in self._defined or name in _OPEN_SYMBOLS or name == "." or name in VARIABLES:
                continue
            raise _Refused(kind_of(name).partition(" ")[2] if kind_of(name).startswith(("a ", "an ")) else kind_of(name),
                           f"the code uses {name}, which it does not define")

    # --- code ---

    def _instruction(self, line: str) -> None:
        instruction = parse(line)
        # By these two each function can be told from its caller.
        expected = ("pushq %rbp", "movq %rsp, %rbp")[self._position] if self._position < 2 else None
        if self._position == 0 and instruction.name == "ret":
            return self._out.append("\tret")  # a function that does nothing
        if expected and str(instruction) != expected:
            raise _Refused("function without a frame", f"{self._in_function} does not begin as functions do here")
        self._position += 1
        if not expected and str(instruction) == "movq %rsp, %rbp":
            raise _Refused("changed stack", "the code changes its frame pointer")
        instruction.check_stack_discipline()
        if instruction.name == "call" or instruction.name.startswith("j"):
            if _START_FUNCTION.fullmatch(self._in_function):
                return self._start_call(instruction)
            return self._jump(instruction)
        for operand in instruction.operands:
            if not operand.startswith("%"):
                self._check_symbols(operand)
        access = instruction.access()
        if access and not access.is_plain():
            self._out += self._guard(access)
        self._out.append(f"\t{line}")
        return None

    @staticmethod
    def _start_call(instruction: Instruction) -> None:
        """A call in the compiler's own function that calls __tsan_init before main. It is left out; there must be no other."""
        if not re.match(r"__tsan_init\b|__sanitizer_cov_trace_pc\b", instruction.operands[0]):
            raise _Refused("code that runs before main", f"{instruction.operands[0]} is called before the driver",
                           "Initialize static variables with constants: nothing of a submission runs before its function is called.")

    def _jump(self, instruction: Instruction) -> None:
        target = instruction.operands[0] if instruction.operands else ""
        if target.startswith("*"):
            raise _Refused("call through a pointer", "the code calls or jumps to an address that it computes",
                           "Call functions by their names; choose between kernels with if, or with a template parameter.")
        name = target.removesuffix("@PLT")
        if not name.startswith(".L") and name not in self._defined:
            confined = confined_name(name)
            if confined is None:
                kind = kind_of(name)
                raise _Refused(kind.partition(" ")[2] if kind.startswith(("a ", "an ")) else kind, f"the code calls {name}")
            name = f"{confined}@PLT"
        self._out.append(f"\t{instruction.name}\t{name}")

    @staticmethod
    def _guard(access: Access) -> Iterator[str]:
        pushed = 8
        kind = "store" if access.stores else "load"
        yield "\tpushq\t%rdi"
        yield f"\tleaq\t{access.memory.address(pushed)}, %rdi"
        yield f"\tcall\tsimt_guard_{kind}_{access.bytes}"
        yield "\tpopq\t%rdi"
