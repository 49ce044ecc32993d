"""Runs inside of the seat with the system's own Python, and asks LibreOffice over UNO. Never imported by ours.

The order comes as JSON on the standard input, the answer goes as JSON to the standard output.
"""

# mypy: ignore-errors
import json
import os
import sys

import uno
from com.sun.star.beans import PropertyValue

KINDS = {
    "com.sun.star.sheet.SpreadsheetDocument": "calc",
    "com.sun.star.text.TextDocument": "writer",
    "com.sun.star.presentation.PresentationDocument": "impress",
    "com.sun.star.drawing.DrawingDocument": "draw",
}
FILTERS = {"calc": "calc8", "writer": "writer8", "impress": "impress8", "draw": "draw8"}


def main():
    """Carries one order out."""
    order = json.load(sys.stdin)
    context = connect(order["pipe"])
    desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
    if order["do"] == "documents":
        answer = [describe(one, number, order["copies"]) for number, one in enumerate(documents(desktop))]
    elif order["do"] == "dispatch":
        answer = dispatch(context, desktop, order["commands"])
    else:
        raise ValueError(order["do"])
    json.dump(answer, sys.stdout)
    sys.stdout.flush()
    os._exit(0)  # taking the bridge down may crash, and everything has been said


def connect(pipe):
    """The running office's context."""
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    return resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")


def documents(desktop):
    """The open documents."""
    found = desktop.Components.createEnumeration()
    while found.hasMoreElements():
        one = found.nextElement()
        if hasattr(one, "isModified") and hasattr(one, "getURL"):
            yield one


def describe(document, number, copies):
    """One document; of one with unsaved changes a copy is written, and its place told."""
    kind = next((name for service, name in KINDS.items() if document.supportsService(service)), "other")
    told = {
        "url": document.getURL(),
        "title": document.getCurrentController().getFrame().Title if document.getCurrentController() else "",
        "kind": kind,
        "modified": bool(document.isModified()),
        "read_only": bool(document.isReadonly()),
        "view": view(document, kind),
    }
    if told["modified"] and kind in FILTERS:
        place = f"{copies}/unsaved-{number}"
        document.storeToURL(f"file://{place}", properties({"FilterName": FILTERS[kind]}))
        told["copy"] = place
    return told


def view(document, kind):
    """Where the user is in the document."""
    controller = document.getCurrentController()
    if controller is None:
        return {}
    if kind == "calc":
        return {"sheet": controller.getActiveSheet().getName(), "selection": selected(document)}
    if kind == "writer":
        cursor = controller.getViewCursor()
        return {"page": cursor.getPage(), "selection": cursor.getString()[:2000]}
    if kind in ("impress", "draw"):
        return {"slide": controller.getCurrentPage().Number}
    return {}


def selected(document):
    """The selected cells by their addresses."""
    chosen = document.getCurrentSelection()
    return getattr(chosen, "AbsoluteName", "") or getattr(chosen, "RangeAddressesAsString", "")


def dispatch(context, desktop, commands):
    """What menus do, by the names of their commands."""
    helper = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.DispatchHelper", context)
    for name, arguments in commands:
        frame = desktop.getCurrentFrame()
        if frame is None:
            raise RuntimeError("no document is open")
        if helper.executeDispatch(frame, name, "", 0, properties(arguments)) is None:
            raise RuntimeError(f"{name} was not carried out")
    return len(commands)


def properties(values):
    """As UNO wants them."""
    return tuple(PropertyValue(Name=name, Value=value) for name, value in values.items())


main()
