"""A seccomp filter: system calls that no desktop program needs and that reach past namespaces.

Namespaces do not cover the kernel's key store, BPF, performance events, or sockets to a hypervisor
(AF_VSOCK ignores the network namespace); these fail with EPERM, or as if not supported, inside a sandbox.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from . import kernel

# name: (x86_64, aarch64)
_DENIED = {
    "kcmp": (312, 272),
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
_SOCKET = (41, 198)
_SOCKET_FAMILIES = (1, 2, 10, 16)  # unix, inet, inet6, netlink
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32_BIT = 0x40000000

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_AT_NUMBER, _AT_ARCHITECTURE, _AT_FIRST_ARGUMENT = 0, 4, 16
_SECCOMP_MODE_FILTER = 2


def install() -> None:
    """Puts the filter on this process and all it will start. Needs no_new_privs."""
    program = _program()
    code = ctypes.create_string_buffer(b"".join(program), len(program) * 8)
    # struct sock_fprog: a count, padding, a pointer
    head = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(code)))
    kernel.prctl(kernel.PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(head))


def _program() -> list[bytes]:
    column, architecture = _ARCHITECTURES[kernel.MACHINE]
    numbers = [row[column] for row in _DENIED.values()]
    refuse = _statement(_RETURN, _ERRNO | errno.EPERM)
    unsupported = _statement(_RETURN, _ERRNO | errno.EAFNOSUPPORT)
    allow = _statement(_RETURN, _ALLOW)

    # Another architecture's numbers (32-bit calls on a 64-bit kernel) would walk around the list.
    code = [
        _statement(_LOAD, _AT_ARCHITECTURE),
        _jump(_JUMP_EQUAL, architecture, 1, 0),
        refuse,
        _statement(_LOAD, _AT_NUMBER),
    ]
    if kernel.MACHINE == "x86_64":
        code += [_jump(_JUMP_AT_LEAST, _X32_BIT, 0, 1), refuse]
    for number in numbers:
        code += [_jump(_JUMP_EQUAL, number, 0, 1), refuse]
    code += [_jump(_JUMP_EQUAL, _SOCKET[column], 1, 0), allow, _statement(_LOAD, _AT_FIRST_ARGUMENT)]
    for family in _SOCKET_FAMILIES:
        code += [_jump(_JUMP_EQUAL, family, 0, 1), allow]
    return [*code, unsupported]


def _statement(code: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, 0, 0, value)


def _jump(code: int, value: int, if_true: int, if_false: int) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
