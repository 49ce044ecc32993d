"""Training data read by the peers' own code: TRL's preparation of messages, and Harbor's validator of trajectories.

Their packages are downloaded into a folder of their own, because they do not resolve beside ours.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fairground.core import Click, Done, Key, Type
from fairground.interop.datasets import Options, export_dataset
from tests.rollout.recordings import record

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

READ_BY_TRL = """
import json, sys
import datasets
from trl.data_utils import is_conversational, prepare_multimodal_messages
rows = datasets.load_dataset("parquet", data_files=sys.argv[1], split="train", cache_dir=sys.argv[2])
for row in rows:
    assert is_conversational(row), row.keys()
    prepared = prepare_multimodal_messages(row["messages"], images=row["images"])
    filled = [part["image"].size for message in prepared for part in message["content"] if part["type"] == "image"]
    print(json.dumps(filled))
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    record(folder / "e", "abcda", [Click(point=(9, 8)), Type(text="Ada"), Key(keys=("ctrl", "s")), Done()])
    return folder


def pip(*words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words, "--quiet", "--no-deps", "--disable-pip-version-check"],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def python(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(path), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    return subprocess.run([sys.executable, *words], env=env, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("rows", ["episode", "step"])
def test_trl_fills_the_images_into_the_messages(runs: Path, tmp_path: Path, rows: str, trl: Path) -> None:
    assert rows in ("episode", "step")
    export_dataset(runs, tmp_path / "a.parquet", "sft", Options(rows="step" if rows == "step" else None, history=2))
    done = python(trl, "-c", READ_BY_TRL, str(tmp_path / "a.parquet"), str(tmp_path / "cache"))
    assert done.returncode == 0, done.stderr[-2000:]
    sizes = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[[")]
    assert [len(images) for images in sizes] == ([4] if rows == "episode" else [1, 2, 2, 2])
    assert all(size == [100, 50] for images in sizes for size in images)


@pytest.fixture(scope="module")
def trl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """TRL with what its data functions import: transformers without a deep-learning framework."""
    folder = tmp_path_factory.mktemp("trl")
    pip("install", "--target", str(folder), "trl==1.16.0", "transformers>=5.2", "tokenizers", "safetensors", "regex")
    return folder


def test_harbor_accepts_the_trajectories(runs: Path, tmp_path: Path) -> None:
    pip("download", "harbor==0.24.0", "-d", str(tmp_path), "--python-version", "3.12", "--only-binary", ":all:")
    (wheel,) = tmp_path.glob("harbor-*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "harbor")
    export_dataset(runs, tmp_path / "atif", "atif")
    (folder,) = (tmp_path / "atif").iterdir()
    validator = ("-m", "harbor.utils.trajectory_validator")
    done = python(tmp_path / "harbor", *validator, str(folder / "trajectory.json"))
    assert done.returncode == 0 and "is valid" in done.stdout, done.stdout + done.stderr
    broken = json.loads((folder / "trajectory.json").read_text())
    broken["steps"][1]["step_id"] = 7
    (folder / "broken.json").write_text(json.dumps(broken))
    assert python(tmp_path / "harbor", *validator, str(folder / "broken.json")).returncode != 0
