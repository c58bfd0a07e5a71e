"""Makes the filter of system calls for confined programs, by libseccomp.

A call on the list ends the program with SIGSYS, and so does a socket to a network. A program that only computes makes none of these
calls by accident. Local sockets and files in memory are errors, because libraries ask for them and go on without one. All other calls
are allowed, and the sandbox's namespaces and limits apply to them.
"""

import errno
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyseccomp

#: These calls start processes; a compiler needs them.
STARTING = ("clone", "fork", "vfork", "clone3")
REFUSED = (
    *("socketpair", "connect", "bind", "listen"),
    *("kill", "tkill", "rt_sigqueueinfo", "pidfd_send_signal", "pidfd_open"),
    *("ptrace", "process_vm_readv", "process_vm_writev"),
    *("mount", "umount2", "move_mount", "open_tree", "fsopen", "pivot_root", "chroot", "unshare", "setns"),
    *("bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("add_key", "request_key", "keyctl", "shmget", "msgget", "semget"),
    *("personality", "init_module", "finit_module", "kexec_load", "reboot"),
)


def filter_of_calls(*, may_start_processes: bool, architecture: int | None = None) -> "pyseccomp.SyscallFilter":
    """Return the filter for this machine, or for an `architecture` of `pyseccomp.Arch`. `bwrap --seccomp` reads its `export_bpf`.

    Raises RuntimeError on a machine without libseccomp.
    """
    import pyseccomp  # imported here, because the import fails on a machine without libseccomp

    made = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    # Calls by the numbers of another architecture, such as x32, would bypass the list.
    made.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    if architecture is not None:
        made.remove_arch(pyseccomp.Arch.NATIVE)
        made.add_arch(architecture)
    for name in REFUSED if may_start_processes else STARTING + REFUSED:
        made.add_rule(pyseccomp.KILL_PROCESS, name)
    # No limit counts the contents of a file in memory. The counting model goes on without one.
    made.add_rule(pyseccomp.ERRNO(errno.EPERM), "memfd_create")
    # The C library looks for a service of names in this way.
    local = socket.AF_UNIX
    made.add_rule(pyseccomp.ERRNO(errno.EPERM), "socket", pyseccomp.Arg(0, pyseccomp.EQ, local))
    made.add_rule(pyseccomp.KILL_PROCESS, "socket", pyseccomp.Arg(0, pyseccomp.NE, local))
    return made
