# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The filter of system calls that a confined program runs under, as the kernel's classic BPF.

A call that is on the list ends the program with SIGSYS at once: no program that only computes makes one by accident,
and whoever does so is told. All other calls are left to what the namespaces and limits of the sandbox make of them.
"""

from __future__ import annotations

import platform
import struct

#: Numbers of system calls on x86-64 and AArch64; None where there is no such call.
_NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "clone": (56, 220),
    "fork": (57, None),
    "vfork": (58, None),
    "clone3": (435, 435),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "kill": (62, 129),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "pidfd_send_signal": (424, 424),
    "pidfd_open": (434, 434),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "mount": (165, 40),
    "umount2": (166, 39),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "personality": (135, 92),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "kexec_load": (246, 104),
    "reboot": (169, 142),
}
#: What starts processes; a compiler needs these.
_STARTING = ("clone", "fork", "vfork", "clone3")

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32_CALL = 0x40000000

_LOAD_WORD, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _KILL_PROCESS = 0x7FFF0000, 0x80000000
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4


def _instruction(code: int, if_true: int, if_false: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def filter_of_calls(*, may_start_processes: bool) -> bytes | None:
    """The filter for this machine, as `bwrap --seccomp` reads it; None on a machine whose calls are not known here."""
    if platform.machine() not in _ARCHITECTURES:
        return None
    column, architecture = _ARCHITECTURES[platform.machine()]
    refused = [
        numbers[column]
        for name, numbers in _NUMBERS.items()
        if numbers[column] is not None and not (may_start_processes and name in _STARTING)
    ]
    # Calls by another architecture's numbers would slip past the list.
    program = [
        _instruction(_LOAD_WORD, 0, 0, _ARCHITECTURE_AT),
        _instruction(_JUMP_IF_EQUAL, 1, 0, architecture),
        _instruction(_RETURN, 0, 0, _KILL_PROCESS),
        _instruction(_LOAD_WORD, 0, 0, _NUMBER_AT),
        _instruction(_JUMP_IF_AT_LEAST, len(refused) + 1, 0, _X32_CALL),
    ]
    for index, number in enumerate(refused):
        program.append(_instruction(_JUMP_IF_EQUAL, len(refused) - index, 0, number))
    return b"".join([*program, _instruction(_RETURN, 0, 0, _ALLOW), _instruction(_RETURN, 0, 0, _KILL_PROCESS)])
