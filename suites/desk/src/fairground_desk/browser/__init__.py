"""Chromium on the desk."""

from fairground_desk.browser.app import Browser
from fairground_desk.browser.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "Browser"]
