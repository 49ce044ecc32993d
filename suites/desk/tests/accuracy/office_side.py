"""Runs inside of the sandbox with the system's own Python, and speaks UNO with LibreOffice. Never imported by ours.

Orders come on the standard input, each a line with its length and then JSON; answers go to file 3, a line of JSON each.
"""

# mypy: ignore-errors
import importlib
import json
import os
import sys
import time
import traceback

import uno
from com.sun.star.beans import PropertyValue

FILTERS = {
    "ods": "calc8",
    "xlsx": "Calc MS Excel 2007 XML",
    "odt": "writer8",
    "docx": "MS Word 2007 XML",
    "odp": "impress8",
    "pptx": "Impress MS PowerPoint 2007 XML",
}
MADE = {"calc": "scalc", "writer": "swriter", "impress": "simpress"}
WRITINGS = {2: "Asian", 3: "Complex"}  # how the names of properties end that are about these letters
BREAKS = []
KNOWN = {}
FORMATS = {"calc": ("ods", "xlsx"), "writer": ("odt", "docx"), "impress": ("odp", "pptx")}


def main(pipe):
    """Carries orders out until there are no more."""
    context = connect(pipe)
    BREAKS.append(context.ServiceManager.createInstanceWithContext("com.sun.star.i18n.BreakIterator", context))
    answers = os.fdopen(3, "w", encoding="utf-8")
    orders = sys.stdin.buffer
    for number, line in enumerate(iter(orders.readline, b"")):
        order = json.loads(orders.read(int(line)))
        try:
            answer = {"told": carry_out(context, order, number)}
        except Exception:
            answer = {"error": traceback.format_exc()}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def connect(pipe):
    """The running program's context; it takes a while to come up."""
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    give_up = time.monotonic() + 80
    while True:
        try:
            return resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        except Exception:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.05)  # between two looks at a condition


def carry_out(context, order, number):
    """Makes a document, saves it in each format, opens that file again, and describes it."""
    app = order["app"]
    side = importlib.import_module(f"{app}_side")
    desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
    document = desktop.loadComponentFromURL(f"private:factory/{MADE[app]}", "_blank", 0, ())
    side.build(document, order["recipe"], context)
    os.makedirs(order["folder"], exist_ok=True)
    told = {}
    for kind in FORMATS[app]:
        path = f"{order['folder']}/{number}.{kind}"
        document.storeToURL(f"file://{path}", (value("FilterName", FILTERS[kind]),))
        again = desktop.loadComponentFromURL(f"file://{path}", "_blank", 0, ())
        told[kind] = {"path": path, "account": side.tell(again, kind)}
        close(again, side)
    close(document, side)
    return told


def close(document, side):
    """Closes a document, unless it is of a kind with which LibreOffice is known to crash now and then."""
    if not side.fragile(document):
        document.setModified(False)
        document.close(True)


def parted(texts):
    """For each text of a paragraph, its pieces of one kind of writing, with the end of the names of their properties.

    What is no letter goes with the letter before it, as the readers have it.
    """
    kinds, current = [], None
    for letter in "".join(texts):
        current = writing(letter) if letter.isalpha() else current
        kinds.append(current)
    first = next((kind for kind in kinds if kind is not None), "")
    place = 0
    for text in texts:
        pieces = []
        for letter in text:
            kind = first if kinds[place] is None else kinds[place]
            place += 1
            if pieces and pieces[-1][1] == kind:
                pieces[-1][0] += letter
            else:
                pieces.append([letter, kind])
        yield pieces


def writing(letter):
    """Which kind of writing a letter is, says the program."""
    if letter not in KNOWN:
        KNOWN[letter] = "" if letter.isascii() else WRITINGS.get(BREAKS[0].getScriptType(letter, 0), "")
    return KNOWN[letter]


def value(name, content):
    """A property as UNO wants it."""
    return PropertyValue(Name=name, Value=content)


if __name__ == "__main__":
    sys.modules["office_side"] = sys.modules["__main__"]
    main(sys.argv[1])
