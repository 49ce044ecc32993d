// Text from the seat's clipboard, for the person's own; where the browser forbids that, to be copied by hand.

// `tell` says something to the person. The text is of an app in the seat: it is shown as text and as nothing else.
export async function copyOut({ text, cut }, tell) {
  if (!text) return tell("There is no text on the seat's clipboard. Copy something in the app first.");
  const count = Array.from(text).length.toLocaleString();
  const copied = () => tell(cut ? `The first ${count} characters are on your clipboard; the rest was too long.`
    : `On your clipboard: ${count} ${count === "1" ? "character" : "characters"}.`);
  try {
    await navigator.clipboard.writeText(text);
    copied();
  } catch { // not allowed, or not on a page that is served without encryption
    byHand(text, copied);
  }
}

function byHand(text, copied) {
  const dialog = make("dialog", { class: "copy-out", "aria-labelledby": "copy-out-title" });
  const field = make("textarea", { readonly: "", rows: 8, "aria-labelledby": "copy-out-title", dir: "auto", spellcheck: "false" });
  const close = make("button", { type: "button", class: "plain" }, "Close");
  const copy = make("button", { type: "button", class: "main" }, "Copy");
  dialog.append(
    make("h2", { id: "copy-out-title" }, "Text from the seat"),
    make("p", {}, "Your browser does not let this page put it on your clipboard by itself."),
    field, make("div", { class: "copy-out-buttons" }, close, copy),
  );
  field.value = text;
  document.querySelector("dialog.copy-out")?.close();
  dialog.addEventListener("close", () => dialog.remove());
  close.addEventListener("click", () => dialog.close());
  copy.addEventListener("click", () => {
    select(field);
    if (!document.execCommand("copy")) return; // the text stays selected, for the person's own keys
    dialog.close();
    copied();
  });
  document.body.append(dialog);
  dialog.showModal();
  select(field);
}

function select(field) {
  field.focus();
  field.select();
}

function make(name, attributes, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}
