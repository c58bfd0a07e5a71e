# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Instructions of x86-64 as GCC writes them: which are known, what they access, what they change."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

#: Instructions that only compute. Whatever reaches the system, other segments or other states is not among them.
_KNOWN = re.compile(r"""
    (?:mov|add|sub|adc|sbb|and|or|xor|neg|not|inc|dec|cmp|test|i?mul|i?div|lea|bt[src]?|bsf|bsr|bswap|push|pop|xchg)[bwlq]?
  | (?:sa[lr]|sh[lr]|ro[lr]|rc[lr]|sh[lr]d)[bwlq]? | mov[sz][bwl][wlq]? | movabsq | cmov(?:n?[abceglopsz]|n?[abgl]e|p[eo])[wlq]?
  | set(?:n?[abceglopsz]|n?[abgl]e|p[eo]) | j(?:mp|n?[abceglopsz]|n?[abgl]e|p[eo]) | call | ret | leave | nop[wl]? | ud2 | endbr64
  | cltq | cltd | cqto | cqtd | cwtl | cwtd | cbtw | lzcnt[lq] | tzcnt[lq] | popcnt[lq] | prefetch(?:nta|t[012]|w)
  | (?:add|sub|mul|div|sqrt|max|min|u?comi|cmp[a-z]*|rcp|rsqrt)[sp][sd] | (?:and|andn|or|xor|unpck[lh]|shuf)p[sd]
  | mov(?:s[sd]|[au]p[sd]|dq[au]|[lh]p[sd]|hlps|lhps|mskp[sd]|d|q|dq2q|q2dq) | cvt[a-z0-9]+
  | p(?:add|sub)[bwdqu]s?[bw]? | p(?:mul|and|or|xor|cmp|unpck|shuf|s[lr][la]|max|min|avg|sad|ack|insr|extr|movmsk|madd)[a-z]*
  | fld[1zlst]? | fldt | fld(?:pi|l2e|l2t|lg2|ln2) | fild(?:s|l|ll|q)? | fstp?[slt]? | fistt?p?(?:s|l|ll|q)? | fxch | fabs | fchs | fsqrt | frndint
  | f(?:add|sub|mul|div)r?p?[sl]? | fu?comi?p?p? | fcmov[a-z]+ | fnstcw | fldcw | fprem1? | ftst | fxam | fscale
""", re.VERBOSE)
#: Those that have a memory operand last and do not write to it.
_READS_ONLY = re.compile(r"(?:cmp|test|push|i?mul|i?div|bt(?![src])|fld|fild|fadd|fsub|fmul|fdiv|fcom|ficom|fucom|u?comis)[a-z0-9]*")
_TOUCHES_NOTHING = re.compile(r"lea[wlq]?|nop[wl]?|prefetch\w+")
_SIZES = {"b": 1, "w": 2, "l": 4, "q": 8}
_X87_SIZES = {"s": 4, "l": 8, "t": 16, "ll": 8, "q": 8}
_REGISTER = re.compile(r"%(?:(?P<b>[abcd][lh]|[sd]il|[sb]pl|r\d+b)|(?P<w>[abcd]x|[sd]i|[sb]p|r\d+w)|(?P<l>e\w\w|r\d+d)|(?P<q>r\w+)|(?P<x>xmm\d+)|st(?:\(\d\))?)")
_MEMORY = re.compile(r"(?P<displacement>[^()%$*]*)(?:\((?P<base>%\w+)?(?:,(?P<index>%\w+)?(?:,(?P<scale>[1248]))?)?\))?")
_STACK_POINTERS = frozenset(("%rsp", "%esp", "%sp", "%spl"))
_FRAME_POINTERS = frozenset(("%rbp", "%ebp", "%bp", "%bpl"))
_COMPARES = re.compile(r"(?:cmp|test|bt|push)[bwlq]?")
#: Bytes below the frame pointer that are the frame or, below it, a part of the stack that nobody uses.
_NEAR = 1024


class NotKnown(Exception):
    """An instruction or operand that is not admitted; says what it is."""


@dataclass(frozen=True)
class Memory:
    """A memory operand: `displacement(base, index, scale)`, each "" where it is not there."""

    displacement: str
    base: str
    index: str
    scale: str

    def address(self, pushed: int) -> str:
        """The operand as text, after `pushed` bytes have been pushed."""
        displacement = self.displacement
        if self.base == "%rsp":
            displacement = f"{pushed}+{displacement}" if displacement else str(pushed)
        if not self.base and not self.index:
            return displacement
        inside = self.base + (f",{self.index}" + (f",{self.scale}" if self.scale else "") if self.index else "")
        return f"{displacement}({inside})"


@dataclass(frozen=True)
class Access:
    """What an instruction does with memory."""

    memory: Memory
    bytes: int
    stores: bool

    def is_plain(self) -> bool:
        """True if it needs no guard: a load by a fixed place in the frame or the image, a store to the frame itself."""
        memory = self.memory
        if memory.index or memory.base not in ("%rbp", "%rsp", "%rip"):
            return False
        if not self.stores:
            return True
        if memory.base != "%rbp" or not re.fullmatch(r"-\d+", memory.displacement):
            return False
        return -_NEAR <= int(memory.displacement) <= -self.bytes


@dataclass(frozen=True)
class Instruction:
    """An instruction: its name and operands, in the order of AT&T."""

    name: str
    operands: tuple[str, ...]

    def access(self) -> Access | None:
        """What it accesses; a push, pop, call or return in its own way is none. Raises NotKnown."""
        if _TOUCHES_NOTHING.fullmatch(self.name) or self.name == "call" or self.name.startswith("j"):
            return None
        memories = [(index, memory) for index, operand in enumerate(self.operands) if (memory := _memory(operand))]
        if not memories:
            return None
        if len(memories) > 1 or self.name in ("popq", "popw", "movabsq"):
            raise NotKnown(f"the instruction `{self}`")
        index, memory = memories[0]
        stores = index == len(self.operands) - 1 and not _READS_ONLY.fullmatch(self.name)
        if self.name.startswith("xchg"):
            raise NotKnown("an atomic operation that the model does not know")
        return Access(memory, self._bytes(), stores)

    def _bytes(self) -> int:
        name = self.name
        if name.startswith("f"):
            found = re.search(r"(ll|[sltq])$", name)
            return 2 if name in ("fnstcw", "fldcw") else _X87_SIZES[found[1]] if found else 16
        if name.startswith(("movz", "movs")) and name not in ("movss", "movsd"):
            return _SIZES[name[4]]
        if name.startswith("set"):
            return 1
        if name.startswith("cvt"):
            return 4 if re.match(r"cvtt?(?:ss2|si2s[sd]l)", name) else 8
        if any(operand.startswith("%xmm") for operand in self.operands) or name[0] == "p" and not name.startswith(("push", "pop")):
            return 4 if name in ("movss", "movd") or name.endswith("ss") else 8 if name in ("movq", "movsd", "movlpd", "movhpd", "movlps", "movhps") or name.endswith("sd") else 16
        for operand in self.operands:
            if (found := _REGISTER.fullmatch(operand)) and found.lastgroup in _SIZES:
                return _SIZES[found.lastgroup]
        return _SIZES.get(name[-1], 16)

    def check_stack_discipline(self) -> None:
        """Raises NotKnown if it changes the stack or frame pointer in a way that no ordinary function does."""
        name, operands = self.name, self.operands
        if name == "leave" or not operands:
            return
        last = operands[-1]
        if name.startswith("xchg") and any(operand in _STACK_POINTERS | _FRAME_POINTERS for operand in operands):
            raise NotKnown(f"a changed stack (`{self}`)")
        if last not in _STACK_POINTERS | _FRAME_POINTERS or _COMPARES.fullmatch(name):
            return
        text = str(self)
        good = (text in ("movq %rsp, %rbp", "popq %rbp", "movq %rbp, %rsp")
                or ((found := re.fullmatch(r"subq \$(-?\d+), %rsp", text)) and int(found[1]) <= 4096)
                or re.fullmatch(r"addq \$-?\d+, %rsp|andq \$-\d+, %rsp|leaq -\d+\(%rbp\), %rsp", text))
        if not good:
            raise NotKnown("an array of a size that is known only at run time, or a changed stack")

    def __str__(self) -> str:
        return f"{self.name} {', '.join(self.operands)}".rstrip()


def _memory(operand: str) -> Memory | None:
    """The operand if it is memory. Raises NotKnown for what cannot be read."""
    if operand.startswith("$"):
        return None
    if operand.startswith("%"):
        if ":" in operand:
            raise NotKnown("a thread-local variable")
        if not _REGISTER.fullmatch(operand):
            raise NotKnown(f"the register {operand}")
        return None
    found = _MEMORY.fullmatch(operand)
    if found is None:
        raise NotKnown(f"the operand {operand}")
    return Memory(found["displacement"], found["base"] or "", found["index"] or "", found["scale"] or "")


def _operands(text: str) -> tuple[str, ...]:
    """Splits at commas that stand in no parentheses."""
    return tuple(part.strip() for part in re.split(r",(?![^()]*\))", text)) if text else ()


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Instruction:
    """Reads an instruction. Raises NotKnown unless it is one that only computes."""
    name, _, rest = text.partition("\t") if "\t" in text else text.partition(" ")
    instruction = Instruction(name, _operands(rest.strip()))
    if name == "rep" and rest.strip() == "ret":
        return Instruction("ret", ())
    if not _KNOWN.fullmatch(name):
        raise NotKnown(f"the instruction `{instruction}`")
    return instruction
