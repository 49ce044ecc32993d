"""Connections to servers inside, and from programs inside to the host."""

from __future__ import annotations

import os
import time
from functools import partial

from fairground.core import InvalidInput, SandboxError
from fairground.sandbox.conformance.subject import SECONDS, RunnerSubject, first_line, raised


class ConnectionConformance(RunnerSubject):
    """Tests of `connect` and `listen`."""

    def test_servers_inside_are_reached_by_port_path_and_abstract_name(self) -> None:
        with self.sandbox() as box:
            far = f"{box.home}/{'deep' * 40}"  # longer than a socket address may be
            box.write_file(f"{far}/x", b"")
            unique = f"fairground-{os.getpid()}-{time.monotonic_ns()}"
            servers = {
                "port": ["perl", "-MIO::Socket", "-e", _TCP_SERVER],
                "path": ["perl", "-MIO::Socket", "-e", _UNIX_SERVER, f"{far}/s"],
                "name": ["perl", "-MIO::Socket", "-e", _UNIX_SERVER, f"@{unique}"],
            }
            programs = {name: box.start(argv, cwd=far) for name, argv in servers.items()}
            announced = {name: first_line(program) for name, program in programs.items()}
            addresses: dict[str, int | str] = {
                "port": int(announced["port"]),
                "path": f"~/{'deep' * 40}/s",
                "name": f"@{unique}",
            }
            for name, address in addresses.items():
                with box.connect(address) as connection:
                    connection.settimeout(SECONDS)
                    connection.sendall(b"hello\n")
                    assert connection.makefile("rb").readline() == b"you said hello\n", name

    def test_connecting_to_nothing_is_a_sandbox_error(self) -> None:
        with self.sandbox() as box:
            with box.listen() as server:
                port = server.getsockname()[1]
            box.write_file("~/file", b"")
            for address in (port, "~/missing", "~/file", "@no-such-name", "~"):
                raised(SandboxError, partial(box.connect, address))
            for address in (0, -1, 70_000, "relative", "~/a\0b"):
                raised((SandboxError, InvalidInput), partial(box.connect, address))

    def test_a_program_inside_reaches_a_socket_that_we_listen_on(self) -> None:
        with self.sandbox() as box, box.listen() as server:
            port = server.getsockname()[1]
            program = box.start(["perl", "-MIO::Socket", "-e", _TCP_CLIENT, str(port)])
            server.settimeout(SECONDS)
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"hello\n")
                assert connection.makefile("rb").readline() == b"you said hello\n"
            assert program.wait(SECONDS) == 0
            raised(SandboxError, lambda: box.listen(port))
            raised((SandboxError, InvalidInput), lambda: box.listen(70_000))


_ANSWER = 'while (my $c = $s->accept) { my $l = <$c>; print $c "you said $l"; close $c }'
_TCP_SERVER = (
    '$| = 1; my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1") or die $!; print $s->sockport, "\n"; '
    + _ANSWER
)
_UNIX_SERVER = (
    'use Socket; $| = 1; socket(my $s, PF_UNIX, SOCK_STREAM, 0); bless $s, "IO::Socket::UNIX"; my $a = shift; '
    'if ($a =~ s/^@//) { $a = "\\0$a" } else { $a = "s" } '
    'bind($s, pack_sockaddr_un($a)) or die $!; listen($s, 5); print "up\n"; '
    'while (accept(my $c, $s)) { my $l = <$c>; syswrite($c, "you said $l"); close $c }'
)
_TCP_CLIENT = (
    'my $c = IO::Socket::INET->new("127.0.0.1:$ARGV[0]") or die $!; my $l = <$c>; print $c "you said $l"; close $c'
)
