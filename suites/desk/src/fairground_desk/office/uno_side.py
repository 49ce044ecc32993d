"""Queries LibreOffice over UNO. Runs inside the seat with the system's Python; our code never imports it.

The standard input is a request in JSON; the standard output is the answer in JSON.
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
    """Carry out one request."""
    order = json.load(sys.stdin)
    context = connect(order["pipe"])
    desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
    if order["do"] == "documents":
        answer = [describe(document, number, order["copies"]) for number, document in enumerate(documents(desktop))]
    elif order["do"] == "dispatch":
        answer = dispatch(context, desktop, order["commands"])
    else:
        raise ValueError(order["do"])
    json.dump(answer, sys.stdout)
    sys.stdout.flush()
    os._exit(0)  # skip the cleanup of the UNO bridge, which may crash; the answer is already written


def connect(pipe):
    """Return the context of the running LibreOffice."""
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    return resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")


def documents(desktop):
    """Yield the open documents."""
    components = desktop.Components.createEnumeration()
    while components.hasMoreElements():
        component = components.nextElement()
        if hasattr(component, "isModified") and hasattr(component, "getURL"):
            yield component


def describe(document, number, copies):
    """Describe a document. If it has unsaved changes, write a copy and include the copy's path."""
    kind = next((name for service, name in KINDS.items() if document.supportsService(service)), "other")
    facts = {
        "url": document.getURL(),
        "title": document.getCurrentController().getFrame().Title if document.getCurrentController() else "",
        "kind": kind,
        "modified": bool(document.isModified()),
        "read_only": bool(document.isReadonly()),
        "view": view(document, kind),
    }
    if facts["modified"] and kind in FILTERS:
        place = f"{copies}/unsaved-{number}"
        document.storeToURL(f"file://{place}", properties({"FilterName": FILTERS[kind]}))
        facts["copy"] = place
    return facts


def view(document, kind):
    """Return where the user is in the document."""
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
    """Return the addresses of the selected cells."""
    chosen = document.getCurrentSelection()
    return getattr(chosen, "AbsoluteName", "") or getattr(chosen, "RangeAddressesAsString", "")


def dispatch(context, desktop, commands):
    """Carry out menu commands by name."""
    helper = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.DispatchHelper", context)
    for name, arguments in commands:
        frame = desktop.getCurrentFrame()
        if frame is None:
            raise RuntimeError("no document is open")
        if helper.executeDispatch(frame, name, "", 0, properties(arguments)) is None:
            raise RuntimeError(f"{name} was not carried out")
    return len(commands)


def properties(values):
    """Return a tuple of UNO property values."""
    return tuple(PropertyValue(Name=name, Value=value) for name, value in values.items())


main()
