"""Reports: episode pages, contact sheets, and the statistics report of a table of episodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairground.core.late import late_names
from fairground.report.describe import describe

if TYPE_CHECKING:
    from fairground.report.episode_page import write_episode_page as write_episode_page
    from fairground.report.gallery import run_gallery as run_gallery
    from fairground.report.judge_page import write_judge_page as write_judge_page
    from fairground.report.sheet import contact_sheet as contact_sheet
    from fairground.report.statistics_page import figures as figures
    from fairground.report.statistics_page import write_report as write_report
    from fairground.report.study_page import write_study_page as write_study_page

__all__ = [
    "contact_sheet",
    "describe",
    "figures",
    "run_gallery",
    "write_episode_page",
    "write_judge_page",
    "write_report",
    "write_study_page",
]

# Imported lazily: episode pages need no statistics, and a statistics report needs no episodes.
_LATE = {
    "contact_sheet": "sheet",
    "figures": "statistics_page",
    "run_gallery": "gallery",
    "write_episode_page": "episode_page",
    "write_judge_page": "judge_page",
    "write_report": "statistics_page",
    "write_study_page": "study_page",
}

__getattr__ = late_names(__name__, _LATE)
