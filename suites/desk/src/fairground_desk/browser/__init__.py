"""Chromium: its app, inspector, web sites and scenarios."""

from fairground_desk.browser.app import Browser
from fairground_desk.browser.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "Browser"]
