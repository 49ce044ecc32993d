"""A random agent in a warm pool of seats: the loop of training code, with resets in milliseconds.

python examples/random_agent.py [WORLD] [EPISODES]
"""

from __future__ import annotations

import sys
import time

from fairground.env import FairgroundEnv
from fairground.sandbox import Pool
from fairground.worlds import open_seat, resolve


def main(world_id: str = "examples/shopping-list", episodes: int = 3) -> None:
    """Plays some episodes and prints the duration of each reset and step."""
    world = resolve(world_id)
    with Pool(open_seat, size=2) as pool:
        env = FairgroundEnv(world, pool=pool)
        env.action_space.seed(1)
        for episode in range(episodes):
            pool.wait_ready(world)
            started = time.perf_counter()
            env.reset(seed=episode)
            reset_ms = (time.perf_counter() - started) * 1000
            steps, reward, over = 0, 0.0, False
            while not over:
                _, reward, terminated, truncated, _ = env.step(env.action_space.sample())
                over = terminated or truncated
                steps += 1
            print(f"episode {episode}: reset {reset_ms:.0f} ms, {steps} steps, {env.outcome}, reward {reward:.2f}")
        env.close()


if __name__ == "__main__":
    main(*sys.argv[1:2], *(int(count) for count in sys.argv[2:3]))
