// Copies the seat's clipboard text to the person's clipboard, or shows it for manual copying.

// `tell` shows a message. The text comes from an app in the seat, so it is only ever shown as text.
export async function copyOut({ text, cut }, tell) {
  if (!text) return tell("The seat's clipboard has no text. Copy something in the app first.");
  const count = Array.from(text).length.toLocaleString();
  const copied = () => tell(cut ? `Copied the first ${count} characters to your clipboard; the text was too long.`
    : `Copied ${count} ${count === "1" ? "character" : "characters"} to your clipboard.`);
  try {
    await navigator.clipboard.writeText(text);
    copied();
  } catch { // not permitted, or the page is not served over https
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
    make("p", {}, "The browser does not allow this page to write to your clipboard. Copy the text here:"),
    field, make("div", { class: "copy-out-buttons" }, close, copy),
  );
  field.value = text;
  document.querySelector("dialog.copy-out")?.close();
  dialog.addEventListener("close", () => dialog.remove());
  close.addEventListener("click", () => dialog.close());
  copy.addEventListener("click", () => {
    select(field);
    if (!document.execCommand("copy")) return; // the text stays selected, for copying with the keyboard
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
