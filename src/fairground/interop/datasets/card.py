"""The dataset card: README.md of a folder that `datasets.load_dataset` opens."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import fairground
from fairground.interop.datasets.parquet import Feature, card_features


@dataclass
class Figures:
    """Counts of what was written into one file.

    Attributes:
        rows: Rows written.
        episodes: Episodes that have at least one row.
        images: Images in the rows; an image that is in two rows counts twice.
        outcomes: Episodes by outcome.
        agents: Episodes by agent.
        apps: Episodes by app.
    """

    rows: int = 0
    episodes: int = 0
    images: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    agents: Counter[str] = field(default_factory=Counter)
    apps: Counter[str] = field(default_factory=Counter)

    def plain(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "rows": self.rows,
            "episodes": self.episodes,
            "images": self.images,
            "outcomes": dict(sorted(self.outcomes.items())),
            "agents": dict(sorted(self.agents.items())),
            "apps": dict(sorted(self.apps.items())),
        }


def dataset_card(
    splits: Mapping[str, Figures], columns: dict[str, Feature], *, made: Sequence[str], left_out: Mapping[str, int]
) -> str:
    """Return the card.

    Args:
        splits: Figures of each split. Its rows are in `data/<split>.parquet`.
        columns: The columns of all splits.
        made: Sentences on how the dataset was made.
        left_out: What was not exported, by reason.
    """
    header = {
        "pretty_name": "Fairground episodes",
        "tags": ["computer-use", "agents", "fairground"],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": name, "path": f"data/{name}.parquet"} for name in splits],
            }
        ],
        "dataset_info": {"config_name": "default", "features": card_features(columns)},
    }
    # JSON is YAML, and needs no library to write.
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in header.items()]
    names = ", ".join(f"`{name}`" for name in splits)
    parts = [
        "---\n" + "\n".join(lines) + "\n---",
        "# Fairground episodes",
        "Episodes of computer-use agents: screenshots, actions and rewards. Rewards come from checks on the recorded "
        "state of the application.",
        '```python\nfrom datasets import load_dataset\n\ndataset = load_dataset("FOLDER")  # splits: '
        + names
        + "\n```",
        "## How it was made",
        "\n".join(f"- {sentence}" for sentence in (*made, f"Exported with Fairground {fairground.__version__}.")),
        "## Figures",
        _table(["split", "rows", "episodes", "images", "outcomes"], [_line(*entry) for entry in splits.items()]),
        _table(["app", "episodes"], _counted(splits, "apps")),
        _table(["agent", "episodes"], _counted(splits, "agents")),
        "## Left out",
        _table(["reason", "count"], [[reason, f"{count:,}"] for reason, count in left_out.items()]),
        "## Columns",
        _table(["column", "type"], [[name, json.dumps(feature)] for name, feature in columns.items()]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _line(name: str, figures: Figures) -> list[str]:
    outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(figures.outcomes.items()))
    return [name, f"{figures.rows:,}", f"{figures.episodes:,}", f"{figures.images:,}", outcomes]


def _counted(splits: Mapping[str, Figures], name: str) -> list[list[str]]:
    total: Counter[str] = sum((getattr(figures, name) for figures in splits.values()), Counter())
    return [[key, f"{count:,}"] for key, count in total.most_common()]


def _table(head: list[str], rows: list[list[str]]) -> str:
    if not rows:
        return "Nothing."
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
