"""Sandboxes of a plain user: the same as root's, but for limits that need cgroups."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import fairground

pytestmark = pytest.mark.process

SCRIPT = Path(__file__).with_name("plain_user.py")
SOMEBODY = 12345

# As root: in a mount namespace of its own, shows Python and its packages where everybody may read them, and
# becomes somebody. The machine's own Python may lie in a folder that only root may enter.
BECOME = """
set -e
mount --make-rprivate /
for name in python site source checks; do mkdir "$PLACE/$name"; done
mount --rbind "$PYTHON" "$PLACE/python"
mount --bind "$SITE" "$PLACE/site"
mount --bind "$SOURCE" "$PLACE/source"
mount --bind "$CHECKS" "$PLACE/checks"
if [ -e /dev/net/tun ]; then  # open to everybody, as it is on most machines
  cp -a /dev/net/tun "$PLACE/tun"
  chmod 666 "$PLACE/tun"
  mount --bind "$PLACE/tun" /dev/net/tun
fi
mkdir "$PLACE/home"
chown "$SOMEBODY:$SOMEBODY" "$PLACE/home"
exec setpriv --reuid="$SOMEBODY" --regid="$SOMEBODY" --clear-groups --bounding-set=-all --inh-caps=-all \
  env -i HOME="$PLACE/home" TMPDIR="$PLACE/home" PATH=/usr/local/bin:/usr/bin:/bin \
  PYTHONPATH="$PLACE/source:$PLACE/site" PYTHONDONTWRITEBYTECODE=1 "$PLACE/python/$PROGRAM" "$@"
"""


@pytest.fixture
def place() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="fairground-test-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize(("checks", "least"), [("rights", 40), pytest.param("all", 60, marks=pytest.mark.slow)])
def test_a_plain_user_has_the_same_sandboxes(place: Path, checks: str, least: int) -> None:
    if os.geteuid() == 0 and (shutil.which("unshare") is None or shutil.which("setpriv") is None):
        pytest.skip("needs unshare and setpriv, of util-linux")
    done = _run_as_plain_user(place, SCRIPT, checks)
    assert done.returncode == 0, done.stderr
    findings = json.loads(done.stdout)
    user = findings.pop("user")
    assert user == (f"{SOMEBODY} {SOMEBODY}" if os.geteuid() == 0 else f"{os.geteuid()} {os.getegid()}")
    if findings["namespaces"]:
        pytest.skip(f"no namespaces for plain users here: {findings['namespaces']}")
    assert len(findings) > least
    assert {name: finding for name, finding in findings.items() if finding} == {}


def _run_as_plain_user(place: Path, script: Path, checks: str) -> subprocess.CompletedProcess[str]:
    if os.geteuid() != 0:
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, str(script), checks]
        return subprocess.run(command, capture_output=True, text=True, env=env, timeout=110)
    program = Path(sys.executable).resolve()
    python = Path(sys.base_prefix).resolve()
    env = {
        **os.environ,
        "PLACE": str(place),
        "PYTHON": str(python),
        "PROGRAM": str(program.relative_to(python)),
        "SITE": str(_site()),
        "SOURCE": str(Path(next(iter(fairground.__path__))).parent),
        "CHECKS": str(script.parent),
        "SOMEBODY": str(SOMEBODY),
    }
    command = ["unshare", "-m", "sh", "-c", BECOME, "sh", f"{place}/checks/{script.name}", checks]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=110)


def _site() -> Path:
    import pydantic

    return Path(pydantic.__file__).parents[1]
