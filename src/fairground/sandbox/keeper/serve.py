"""The first process of a sandbox, which serves the host's requests: start, read, write, connect, stop.

Requests and answers are small JSON messages on one socket. File contents are passed as open files, never in messages.
Programs inside can reach neither the socket nor this process, and no request may wait for them.

A namespace sandbox has two such processes. The first is *backstage*: it answers the host, reads and writes files, and
runs Fairground's own programs. The second is the first process of a nested pid namespace, where all other programs run.
Requests about those are forwarded to it.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import signal
import socket

from .files import Files, Refused
from .logs import Log, Logs
from .programs import Programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MESSAGE = 1 << 17
"""Maximum bytes per message."""
_MOST_FDS = 16
_ABOUT_PROGRAMS = ("spawn", "status", "kill", "catch_up", "stop", "resume")


class Keeper:
    """Serves one host until it disconnects.

    Args:
        control: The socket to the host.
        programs: The programs that run here.
        tell: Open files to send with the ready message.
        check_attach: Whether to test that programs can enter their cgroups.
        inner: The socket to the nested keeper, which runs all programs that are not backstage.
    """

    def __init__(
        self,
        control: socket.socket,
        programs: Programs,
        *,
        tell: list[int],
        check_attach: bool,
        inner: socket.socket | None = None,
    ) -> None:
        self._control = control
        self._inner = inner
        self._programs = programs
        self._files = Files(programs.home)
        self._poller = select.poll()
        self._logs = Logs(self._poller)
        attached = programs.check_attach() if check_attach else [True] * len(programs.attach)
        backstage = programs.env["XDG_RUNTIME_DIR" if inner is None else "HOME"]
        ready = {"home": programs.home, "backstage": backstage, "attached": attached}
        self._send({"id": 0, "value": ready}, [os.pidfd_open(os.getpid()), *tell])

    def serve(self, watched: int) -> bool:
        """Serve requests and reap children until the control socket or `watched` closes. True if it was `watched`.

        Also returns when the nested keeper ends, because all programs end with it.
        """
        wake, nudge = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(nudge, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(ignored, signal.SIG_IGN)
        control = self._control.fileno()
        inner = -1 if self._inner is None else self._inner.fileno()
        for fd in (control, wake, watched, inner):
            if fd >= 0:
                self._poller.register(fd, select.POLLIN)
        more = False
        while True:
            for fd, _ in self._poller.poll(0 if more else self._logs.wait()):
                if fd == wake:
                    os.read(wake, 512)
                    more = True
                elif fd in self._logs:
                    self._logs.look(fd)
                elif fd in (watched, inner) or not self._answer():
                    return fd == watched
            more = more and self._programs.reap()

    def _answer(self) -> bool:
        """Answer one request. Returns False if the host is gone."""
        try:
            message, fds, flags, _ = socket.recv_fds(self._control, MESSAGE, _MOST_FDS, socket.MSG_CMSG_CLOEXEC)
        except OSError:
            return False
        if not message:
            return False
        passed: list[int] = []
        answer: dict[str, Any] = {"id": -1}
        try:
            if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
                raise Refused("EMSGSIZE", "the request is too large")
            request = json.loads(message)
            answer["id"] = request.pop("id")
            backstage = request.pop("backstage", False)
            if self._inner is not None and request["do"] in _ABOUT_PROGRAMS and not backstage:
                answer |= self._pass_on(request, fds, passed)
            else:
                answer["value"], passed = getattr(self, f"do_{request.pop('do')}")(fds=fds, **request)
        except Refused as refusal:
            answer |= {"refused": refusal.code, "message": refusal.message[:4000]}
        except OSError as error:
            answer |= {"refused": errno.errorcode.get(error.errno or 0, "EIO"), "message": str(error)[:4000]}
        except Exception as error:  # report any error to the host; the sandbox continues
            answer |= {"refused": "EINVAL", "message": f"{type(error).__name__}: {error}"[:4000]}
        finally:
            for fd in fds:
                os.close(fd)
        return self._send(answer, passed)

    def _pass_on(self, request: dict[str, Any], fds: list[int], passed: list[int]) -> dict[str, Any]:
        """Forward a request to the nested keeper. Files of its answer are added to `passed`."""
        assert self._inner is not None
        socket.send_fds(self._inner, [json.dumps({"id": 0, **request}).encode()], fds)
        message, files, _, _ = socket.recv_fds(self._inner, MESSAGE, _MOST_FDS, socket.MSG_CMSG_CLOEXEC)
        passed += files
        if not message:
            raise Refused("ESRCH", "the keeper of the sandbox's programs has ended, and all programs with it")
        answer: dict[str, Any] = json.loads(message)
        del answer["id"]
        return answer

    def _send(self, answer: dict[str, Any], fds: list[int]) -> bool:
        try:
            socket.send_fds(self._control, [json.dumps(answer).encode()], fds)
        except OSError:
            return False
        finally:
            for fd in fds:
                os.close(fd)
        return True

    # Requests. Each returns plain data and the files to send with it.

    def do_spawn(
        self,
        *,
        argv: list[str],
        env: dict[str, str],
        cwd: str,
        targets: list[int],
        log: bool,
        quiet: bool,
        fds: list[int],
    ) -> tuple[Any, list[int]]:
        """Start a program. `targets` are the file descriptors that the passed files get in it."""
        folder = self._files.place(cwd)
        give = dict(zip(targets, fds, strict=True))
        if not log:
            pid, pidfd = self._programs.start(argv, env, folder, give, None, quiet=quiet)
            return pid, [pidfd]
        output = Log()
        try:
            pid, pidfd = self._programs.start(argv, env, folder, give, output, quiet=quiet)
        except BaseException:
            output.close()
            raise
        finally:
            os.close(output.writer)
        self._logs.add(output)
        return pid, [pidfd, os.dup(output.ring)]

    def do_status(self, *, pid: int, fds: list[int]) -> tuple[Any, list[int]]:
        """Exit status of a program started here; null while it runs."""
        return self._programs.status(pid), []

    def do_kill(self, *, pid: int, signal: int, fds: list[int]) -> tuple[Any, list[int]]:
        """Signal a program's process group."""
        self._programs.kill(pid, signal)
        return None, []

    def do_catch_up(self, *, fds: list[int]) -> tuple[Any, list[int]]:
        """Make everything that programs wrote so far visible to the host."""
        self._logs.catch_up()
        return None, []

    def do_read(self, *, path: str, fds: list[int]) -> tuple[Any, list[int]]:
        """Open a regular file for the host to read."""
        return None, [self._files.read(path)]

    def do_write(self, *, path: str, mode: int, fds: list[int]) -> tuple[Any, list[int]]:
        """Write the content of the passed file to a path."""
        self._files.write(path, mode, fds[0])
        return None, []

    def do_list(self, *, path: str, limit: int, fds: list[int]) -> tuple[Any, list[int]]:
        """Write all entries below a folder to the passed file."""
        return self._files.tree(path, limit, fds[0]), []

    def do_connect(self, *, path: str, fds: list[int]) -> tuple[Any, list[int]]:
        """Connect to a server's socket file."""
        return None, [self._files.connect(path).detach()]

    def do_socket(self, *, family: int, fds: list[int]) -> tuple[Any, list[int]]:
        """Create a socket in this network. The host connects it, because connecting may take long."""
        return None, [socket.socket(family).detach()]

    def do_listen(self, *, port: int, fds: list[int]) -> tuple[Any, list[int]]:
        """Open a listening socket on the sandbox's loopback."""
        server = socket.create_server(("127.0.0.1", port), backlog=64)
        return server.getsockname()[1], [server.detach()]

    def do_stop(self, *, fds: list[int]) -> tuple[Any, list[int]]:
        """Stop every program by signal."""
        self._programs.stop()
        return None, []

    def do_resume(self, *, fds: list[int]) -> tuple[Any, list[int]]:
        """Continue stopped programs."""
        self._programs.resume()
        return None, []

    def do_usage(self, *, fds: list[int]) -> tuple[Any, list[int]]:
        """CPU seconds and bytes of memory of all programs."""
        elsewhere = 0.0 if self._inner is None else float(self._pass_on({"do": "used"}, [], [])["value"])
        seconds, memory = self._programs.usage(elsewhere)
        return {"seconds": seconds, "memory": memory}, []

    def do_used(self, *, fds: list[int]) -> tuple[Any, list[int]]:
        """CPU seconds of the programs that ended."""
        return self._programs.used, []

    def do_at_work(self, *, fds: list[int]) -> tuple[Any, list[int]]:
        """Number of threads that run, or wait for a CPU or a disk."""
        return self._programs.at_work(), []


def refuse(control: socket.socket, error: OSError) -> None:
    """Report that the sandbox cannot be created."""
    message = error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    answer = {"id": 0, "refused": errno.errorcode.get(error.errno or 0, "EIO"), "message": message or str(error)}
    with contextlib.suppress(OSError):  # the host may be gone as well
        socket.send_fds(control, [json.dumps(answer).encode()], [])
