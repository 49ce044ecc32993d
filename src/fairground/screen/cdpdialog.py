"""Dialogs of a page (`alert`, `confirm`, `prompt`), drawn as a page of ours because a headless browser draws none."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import Any, Final

BINDING: Final = "answerDialog"
_MAX_MESSAGE: Final = 5_000
_MAX_ANSWER: Final = 20_000

_PAGE: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Dialog</title>
<meta name="viewport" content="width=device-width">
<style>
  body {{ margin: 0; height: 100vh; display: grid; place-items: center; font: 15px/1.45 system-ui, sans-serif;
    color: #1f1f1f; background: #8b8f94 url("{backdrop}") 0 0 / 100vw 100vh no-repeat; }}
  form {{ box-sizing: border-box; width: min(88vw, 440px); max-height: 88vh; overflow: auto; padding: 20px;
    background: #fff; border-radius: 12px; box-shadow: 0 8px 32px #0006; }}
  h1 {{ margin: 0 0 8px; font-size: 15px; font-weight: 600; }}
  p {{ margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }}
  input {{ box-sizing: border-box; width: 100%; margin-top: 12px; padding: 8px; font: inherit;
    border: 1px solid #80868b; border-radius: 6px; }}
  div {{ display: flex; justify-content: flex-end; gap: 10px; margin-top: 20px; }}
  button {{ min-width: 76px; padding: 9px 16px; font: inherit; color: #0b57d0; background: #fff;
    border: 1px solid #c4c7c5; border-radius: 18px; }}
  button.first {{ color: #fff; background: #0b57d0; border-color: #0b57d0; }}
</style>
<form role="dialog" aria-label="This page says"><h1>This page says</h1><p>{message}</p>{field}
<div>{cancel}<button class="first"{focus}>OK</button></div></form>
<script>
  const form = document.querySelector("form");
  const answer = (accept) => {binding}(JSON.stringify({{ accept, text: form.elements.text?.value ?? "" }}));
  form.addEventListener("submit", (event) => {{ event.preventDefault(); answer(true); }});
  document.getElementById("cancel")?.addEventListener("click", () => answer(false));
  addEventListener("keydown", (event) => {{ if (event.key === "Escape") answer(!document.getElementById("cancel")); }});
  form.elements.text?.select();
</script></html>"""


@dataclass(frozen=True, eq=False)
class Dialog:
    """A dialog that a page opened.

    Attributes:
        session: The page that opened it, which is blocked until it is answered.
        kind: `alert`, `confirm`, `prompt` or `beforeunload`.
        message: The text of the dialog.
        default: The initial text of the input field.
    """

    session: str
    kind: str
    message: str
    default: str


def dialog_page(dialog: Dialog, backdrop: str) -> str:
    """Return a document that shows a dialog over a picture (a `data:` URL) of the page that opened it."""
    prompt = dialog.kind == "prompt"
    value = html.escape(dialog.default[:_MAX_MESSAGE])
    return _PAGE.format(
        backdrop=backdrop,
        message=html.escape(dialog.message[:_MAX_MESSAGE]),
        field=f'<input name="text" aria-label="Answer" autofocus value="{value}">' if prompt else "",
        cancel="" if dialog.kind == "alert" else '<button type="button" id="cancel">Cancel</button>',
        focus="" if prompt else " autofocus",
        binding=BINDING,
    )


def read_answer(payload: str) -> dict[str, Any]:
    """Return the answer as parameters for the browser."""
    answer = json.loads(payload)
    return {"accept": bool(answer["accept"]), "promptText": str(answer["text"])[:_MAX_ANSWER]}
