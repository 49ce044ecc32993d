"""What people look at: episode pages and contact sheets; later tables, plots and reports."""

from fairground.report.contact_sheet import contact_sheet
from fairground.report.describe import describe
from fairground.report.episode_page import write_episode_page

__all__ = ["contact_sheet", "describe", "write_episode_page"]
