"""Machines whose /etc, /var, /usr or /opt have something mounted below them: containers, disks, network shares.

The kernel refuses to stack over such folders for whoever could not unmount what is there.
"""

import json
import os
import shutil
import subprocess
import sys
from typing import Any

import pytest

from fairground.sandbox import namespace_support

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not namespace_support().ok, reason=f"no namespaces here: {namespace_support().reason}"),
    pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare, of util-linux"),
]

# Folders that Debian has, so that nothing must be made on the machine itself.
PLACES = ("/etc/opt", "/var/opt", "/usr/games", "/usr/local/games", "/opt/data")
NOT_SHOWN = ("/var/opt", "/opt/data")
MOUNT = f"""
set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 none /opt
mkdir /opt/data
for place in {" ".join(PLACES)}; do
  mount -t tmpfs -o mode=777 none $place
  echo of $place > $place/seen
done
"""
LOOK = f"""
import json, os
from fairground.sandbox import open_sandbox
found = {{}}
with open_sandbox(runner="namespace") as box:
    for place in {PLACES!r}:
        done = box.run(["sh", "-c", f"cat {{place}}/seen; echo x > {{place}}/escaped"], check=False)
        found[place] = [done.stdout.decode(), os.path.exists(f"{{place}}/escaped")]
    found["user"] = box.run(["id", "-un"]).stdout.decode()
    found["host"] = box.read_file("/etc/hostname").decode()
    found["home"] = box.run(["sh", "-c", "echo mine > f; cat f"]).stdout.decode()
print(json.dumps(found))
"""


@pytest.mark.parametrize("who", ["root", "root of a container", "root of a container who cannot unmount"])
def test_a_machine_with_mounts_below_its_folders_still_makes_sandboxes(who: str) -> None:
    if who == "root" and os.geteuid() != 0:
        pytest.skip("only root can be root without a container")
    if not all(os.path.isdir(place) for place in PLACES[:-1]):
        pytest.skip(f"this machine lacks one of {', '.join(PLACES[:-1])}")
    unshare = ["unshare", "-m"] if who == "root" else ["unshare", "-Urm"]
    again = "unshare -Urm " if "unmount" in who else ""
    found = _run([*unshare, "sh", "-c", f'{MOUNT}\n exec {again}"$0" -c "$1"', sys.executable, LOOK])
    for place in PLACES:
        seen, written = found[place]
        assert not written, f"{place} of the host was written to"
        # What lies in /etc is left out where it can be; what lies in /usr is the machine's software, and shown.
        assert seen == ("" if place in NOT_SHOWN else f"of {place}\n") or (place == "/etc/opt" and seen == "")
    assert (found["user"], found["host"], found["home"]) == ("user\n", "desk\n", "mine\n")


def _run(command: list[str]) -> Any:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
