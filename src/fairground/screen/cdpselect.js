// Lets a mouse choose from a <select>. A headless browser draws its list in a window that no input reaches; a list
// that is part of the page (`appearance: base-select`) can be reached. So while a select is open, and only then, it
// is one of that kind, made to look as it did.
(() => {
  "use strict";
  const sheets = Object.getOwnPropertyDescriptor(Document.prototype, "adoptedStyleSheets");
  const find = Document.prototype.querySelector;
  const kept = [
    "background-color", "background-image", "background-position", "background-repeat", "background-size",
    "border-bottom", "border-left", "border-radius", "border-right", "border-top", "color", "font", "letter-spacing",
    "padding-bottom", "padding-left", "padding-right", "padding-top", "text-align",
  ];
  let sheet = null;

  const rules = (element) => {
    const style = getComputedStyle(element);
    const look = kept.map((name) => `${name}: ${style.getPropertyValue(name)} !important`).join("; ");
    const drawn = style.appearance !== "none"; // by the browser, which leaves room for its arrow
    return `
      select:is(:active, :open) { ${look}; appearance: base-select !important; box-sizing: border-box !important;
        width: ${element.offsetWidth}px !important; height: ${element.offsetHeight}px !important;
        min-width: 0 !important; min-height: 0 !important; align-items: center !important; gap: 0 !important;
        white-space: nowrap !important; ${drawn ? "padding: 0 4px !important" : ""} }
      select:is(:active, :open)::picker(select) { appearance: base-select !important; border: 1px solid #767676;
        background: Field; color: FieldText; max-height: 60vh; box-shadow: 0 2px 8px #0004 }
      select:is(:active, :open)::picker-icon { ${drawn ? "font-size: 9px" : "display: none"} }
      select:is(:active, :open) option { padding: 3px 6px; min-block-size: 0; min-inline-size: 0 }
      select:is(:active, :open) option:checked { background: SelectedItem; color: SelectedItemText }
      select:is(:active, :open) option::checkmark { display: none }`;
  };

  addEventListener("pointerdown", (event) => {
    const element = event.target instanceof Element ? event.target.closest("select") : null;
    if (!element || element.multiple || element.size > 1 || element.disabled || element.matches(":open")) return;
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheets.get.call(document).push(sheet);
    }
    sheet.replaceSync(""); // to see how this one looks, not how the last one did
    sheet.replaceSync(rules(element));
  }, { capture: true });

  // A list that is opened with a key is chosen from with keys, and is left as it is.
  addEventListener("keydown", () => {
    if (sheet && !find.call(document, "select:open")) sheet.replaceSync("");
  }, { capture: true });
})();
