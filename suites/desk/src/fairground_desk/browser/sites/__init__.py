"""The web sites of a person: pages generated from their data, and handlers of their forms."""

from fairground_desk.browser.sites.documents import chart, record_csv, record_pdf
from fairground_desk.browser.sites.router import Sites
from fairground_desk.browser.sites.state import SiteState

__all__ = ["SiteState", "Sites", "chart", "record_csv", "record_pdf"]
