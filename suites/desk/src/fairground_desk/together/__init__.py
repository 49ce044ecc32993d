"""Scenarios that need two programs: a chart from a sheet into a letter, an edited photograph onto a slide.

They belong to the app that is open at the start. The file dialog or the file manager opens the second program.
"""

from fairground_desk.together import (
    files_and_notes,
    page_to_note,
    photo_to_slide,
    report_and_accounts,
    sheet_and_letter,
    slides_and_others,
)

SCENARIOS = (
    *sheet_and_letter.SCENARIOS,
    *report_and_accounts.SCENARIOS,
    *slides_and_others.SCENARIOS,
    *files_and_notes.SCENARIOS,
    *page_to_note.SCENARIOS,
    *photo_to_slide.SCENARIOS,
)

__all__ = ["SCENARIOS"]
