"""AT-SPI role and state names by number."""

from __future__ import annotations

# In the order of the protocol's numbers (AtspiRole).
ROLES = tuple(
    """invalid, accelerator label, alert, animation, arrow, calendar, canvas, check box, check menu item, color chooser,
    column header, combo box, date editor, desktop icon, desktop frame, dial, dialog, directory pane, drawing area,
    file chooser, filler, focus traversable, font chooser, frame, glass pane, html container, icon, image,
    internal frame, label, layered pane, list, list item, menu, menu bar, menu item, option pane, page tab,
    page tab list, panel, password text, popup menu, progress bar, push button, radio button, radio menu item,
    root pane, row header, scroll bar, scroll pane, separator, slider, spin button, split pane, status bar, table,
    table cell, table column header, table row header, tearoff menu item, terminal, text, toggle button, tool bar,
    tool tip, tree, tree table, unknown, viewport, window, extended, header, footer, paragraph, ruler, application,
    autocomplete, editbar, embedded, entry, chart, caption, document frame, heading, page, section, redundant object,
    form, link, input method window, table row, tree item, document spreadsheet, document presentation, document text,
    document web, document email, comment, list box, grouping, image map, notification, info bar, level bar, title bar,
    block quote, audio, video, definition, article, landmark, log, marquee, math, rating, timer, static, math fraction,
    math root, subscript, superscript, description list, description term, description value, footnote,
    content deletion, content insertion, mark, suggestion, push button menu""".replace("\n    ", " ").split(", ")
)  # fmt: skip
TEXT_ROLES = frozenset(
    {"autocomplete", "caption", "editbar", "entry", "heading", "label", "paragraph", "password text", "static"}
    | {"table cell", "terminal", "text"}
)
"""Roles whose text is their value."""
VALUE_ROLES = frozenset({"dial", "level bar", "progress bar", "rating", "scroll bar", "slider", "spin button"})
"""Roles whose value is a number."""

# Useful state bits of the protocol (AtspiStateType). SHOWING is not reported, because every node has it.
DEFUNCT, SHOWING = 6, 25
STATES = {
    1: "active", 3: "busy", 4: "checked", 5: "collapsed", 7: "editable", 8: "enabled", 9: "expandable",
    10: "expanded", 11: "focusable", 12: "focused", 15: "iconified", 16: "modal", 17: "multi line",
    18: "multiselectable", 20: "pressed", 22: "selectable", 23: "selected", 24: "sensitive", 26: "single line",
    32: "indeterminate", 33: "required", 34: "truncated", 36: "invalid entry", 39: "default", 40: "visited",
    41: "checkable", 42: "has popup", 43: "read only",
}  # fmt: skip
