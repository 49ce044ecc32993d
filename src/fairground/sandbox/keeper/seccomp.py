"""A seccomp filter for system calls that desktop programs do not need and that bypass namespaces.

Namespaces do not cover the kernel's key store, BPF, performance events, or sockets to a hypervisor (AF_VSOCK ignores
the network namespace). Inside a sandbox these fail with EPERM, or as unsupported. Creating namespaces stays allowed,
because browsers use them for their own sandboxes.

Backstage programs get a second filter that forbids sending signals. A window manager kills the process whose ID a
window declares, and any program may declare any process ID.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from . import kernel

# name: (x86_64, aarch64)
_DENIED = {
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "open_by_handle_at": (304, 265),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "syslog": (103, 116),
    "quotactl": (179, 60),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
}
_SIGNALS = {
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
}
_SOCKET, _IOCTL, _SETRLIMIT, _PRLIMIT = (41, 198), (16, 29), (160, 164), (302, 261)
_SETPRIORITY, _IOPRIO_SET, _PRIO_USER, _IOPRIO_WHO_USER = (141, 140), (251, 30), 2, 3
# These calls and prlimit work on any process of the same user, including the keeper: a limit on its CPU time would end
# it and the whole sandbox.
_SCHEDULING = {
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
}
_KEEPER = 1  # its process ID, in the only pid namespace in which it is visible
_FAMILIES = (1, 2, 10)  # unix, inet, inet6
_NETLINK = 16
_NETLINK_PROTOCOLS = (0, 15)  # routes and device events: no packet filters, IPsec or audit
# TIOCSTI and TIOCLINUX inject input into a terminal that was passed to the sandbox
_TERMINAL_REQUESTS = (0x5412, 0x541C)
_RLIMIT_CORE = 4
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32_BIT = 0x40000000

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_AT_NUMBER, _AT_ARCHITECTURE, _AT_ARGUMENTS = 0, 4, 16
_SECCOMP_MODE_FILTER = 2


def install() -> None:
    """Install the filter for this process and its children. Needs no_new_privs."""
    _install(_program())


def forbid_signals() -> None:
    """Forbid this process and its children to signal any process. Needs no_new_privs."""
    column, _ = _architecture()
    code = [_statement(_LOAD, _AT_NUMBER)]
    for row in _SIGNALS.values():
        code += _if_equal(row[column], [_fail(errno.EPERM)])
    _install([*code, _statement(_RETURN, _ALLOW)])


def _install(program: list[bytes]) -> None:
    code = ctypes.create_string_buffer(b"".join(program), len(program) * 8)
    # struct sock_fprog: a count, padding, a pointer
    head = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(code)))
    kernel.prctl(kernel.PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(head))


def _program() -> list[bytes]:
    column, architecture = _architecture()
    refuse = _fail(errno.EPERM)
    allow = _statement(_RETURN, _ALLOW)

    # System call numbers of another architecture (32-bit calls on a 64-bit kernel) would bypass the list.
    code = [
        _statement(_LOAD, _AT_ARCHITECTURE),
        _jump(_JUMP_EQUAL, architecture, 1, 0),
        refuse,
        _statement(_LOAD, _AT_NUMBER),
    ]
    if kernel.MACHINE == "x86_64":
        code += [_jump(_JUMP_AT_LEAST, _X32_BIT, 0, 1), refuse]
    for row in _DENIED.values():
        code += _if_equal(row[column], [refuse])

    for row in _SCHEDULING.values():
        code += _if_equal(row[column], [_argument(0), *_if_equal(_KEEPER, [refuse]), allow])
    for call, all_of_user in ((_SETPRIORITY, _PRIO_USER), (_IOPRIO_SET, _IOPRIO_WHO_USER)):
        checks = [_argument(0), *_if_equal(all_of_user, [refuse]), _argument(1), *_if_equal(_KEEPER, [refuse])]
        code += _if_equal(call[column], [*checks, allow])

    families = [_argument(0)]
    for family in _FAMILIES:
        families += _if_equal(family, [allow])
    protocols = [_argument(2)]
    for protocol in _NETLINK_PROTOCOLS:
        protocols += _if_equal(protocol, [allow])
    families += _if_equal(_NETLINK, [*protocols, _fail(errno.EPROTONOSUPPORT)])
    code += _if_equal(_SOCKET[column], [*families, _fail(errno.EAFNOSUPPORT)])

    requests = [_argument(1)]
    for request in _TERMINAL_REQUESTS:
        requests += _if_equal(request, [refuse])
    code += _if_equal(_IOCTL[column], [*requests, allow])

    # Core dumps stay off: with a limit of 1 the kernel does not call the host's handler, with 0 it would. The call
    # succeeds without effect, because programs that set the limit to 0 want the same.
    pretend = _fail(0)
    code += _if_equal(_SETRLIMIT[column], [_argument(0), *_if_equal(_RLIMIT_CORE, [pretend]), allow])
    asks_only = [
        _argument(2),
        _jump(_JUMP_EQUAL, 0, 0, 2),
        _argument(2, high=True),
        _jump(_JUMP_EQUAL, 0, 1, 0),
        pretend,
    ]
    keeper_check = [_argument(0), *_if_equal(_KEEPER, [refuse])]
    code += _if_equal(_PRLIMIT[column], [*keeper_check, _argument(1), *_if_equal(_RLIMIT_CORE, asks_only), allow])
    return [*code, allow]


def _architecture() -> tuple[int, int]:
    if kernel.MACHINE not in _ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"no system call filter for {kernel.MACHINE}")
    return _ARCHITECTURES[kernel.MACHINE]


def _if_equal(value: int, then: list[bytes]) -> list[bytes]:
    """Run `then` if the loaded value equals `value`."""
    return [_jump(_JUMP_EQUAL, value, 0, len(then)), *then]


def _argument(index: int, *, high: bool = False) -> bytes:
    # All supported machines are little-endian: the low half of a 64-bit argument comes first.
    return _statement(_LOAD, _AT_ARGUMENTS + 8 * index + (4 if high else 0))


def _fail(number: int) -> bytes:
    return _statement(_RETURN, _ERRNO | number)


def _statement(code: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, 0, 0, value)


def _jump(code: int, value: int, if_true: int, if_false: int) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
