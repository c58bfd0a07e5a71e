# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The filter of system calls that a confined program runs under, which libseccomp makes.

A call that is on the list ends the program with SIGSYS at once: no program that only computes makes one by accident,
and whoever does so is told. All other calls are left to what the namespaces and limits of the sandbox make of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyseccomp

#: What starts processes; a compiler needs these.
STARTING = ("clone", "fork", "vfork", "clone3")
REFUSED = (
    *("socket", "socketpair", "connect", "bind", "listen"),
    *("kill", "tkill", "rt_sigqueueinfo", "pidfd_send_signal", "pidfd_open"),
    *("ptrace", "process_vm_readv", "process_vm_writev"),
    *("mount", "umount2", "move_mount", "open_tree", "fsopen", "pivot_root", "chroot", "unshare", "setns"),
    *("bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("add_key", "request_key", "keyctl", "shmget", "msgget", "semget"),
    *("personality", "init_module", "finit_module", "kexec_load", "reboot"),
)


def filter_of_calls(*, may_start_processes: bool, architecture: int | None = None) -> pyseccomp.SyscallFilter:
    """The filter for this machine, or for an `architecture` of `pyseccomp.Arch`; its `export_bpf` writes what `bwrap --seccomp` reads.

    Raises RuntimeError on a machine without libseccomp.
    """
    import pyseccomp  # imported here, because it looks for libseccomp at once, and much of grading does without

    made = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    # Calls by another architecture's numbers, those of x32 included, would slip past the list.
    made.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    if architecture is not None:
        made.remove_arch(pyseccomp.Arch.NATIVE)
        made.add_arch(architecture)
    for name in REFUSED if may_start_processes else STARTING + REFUSED:
        made.add_rule(pyseccomp.KILL_PROCESS, name)
    return made
