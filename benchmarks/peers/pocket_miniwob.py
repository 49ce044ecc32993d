"""MiniWoB++ through its Gymnasium API: median seconds of a reset and of a click, including the observation.

python pocket_miniwob.py FILE ROUNDS [TASK ...]
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
import time
from typing import Any

import gymnasium
import miniwob  # type: ignore[import-not-found,import-untyped,unused-ignore]
from miniwob.action import ActionTypes  # type: ignore[import-not-found,import-untyped,unused-ignore]
from selenium import webdriver  # type: ignore[import-not-found,import-untyped,unused-ignore]

gymnasium.register_envs(miniwob)


def main(argv: list[str]) -> None:
    """Print the seconds of a reset and of a step for each task."""
    rounds, tasks = int(argv[2]), argv[3:]
    _let_it_start_here()
    print(json.dumps({task: _measure(task, rounds) for task in tasks}))


def _measure(task: str, rounds: int) -> dict[str, float]:
    env: Any = gymnasium.make(f"miniwob/{task}-v1")
    try:
        env.reset(seed=0)
        resets, steps = [], []
        for seed in range(1, rounds + 1):
            started = time.perf_counter()
            env.reset(seed=seed)
            resets.append(time.perf_counter() - started)
            # Click outside of all controls, so that the episode continues.
            click = env.unwrapped.create_action(ActionTypes.CLICK_COORDS, coords=[158.0, 208.0])
            started = time.perf_counter()
            observation, *_ = env.step(click)
            steps.append(time.perf_counter() - started)
            assert observation["screenshot"].shape[2] == 3
        return {"reset": statistics.median(resets), "step": statistics.median(steps)}
    finally:
        env.close()


def _let_it_start_here() -> None:
    """Make Selenium use the installed browser and driver. As root, Chromium needs `--no-sandbox`."""
    chrome = webdriver.Chrome

    def start(*args: Any, options: Any = None, **kwargs: Any) -> Any:
        options = options or webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        return chrome(*args, options=options, service=webdriver.ChromeService(shutil.which("chromedriver")), **kwargs)

    webdriver.Chrome = start


if __name__ == "__main__":
    main(sys.argv)
