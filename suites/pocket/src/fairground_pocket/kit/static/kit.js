// A little on top of pages that work without it: sheets that hold the focus, search while typing, rows that swipe.
"use strict";

// A copy of this phone needs to know of each entry of the history: its document, its address, the form that it answers,
// and how far it was scrolled.
const own = navigation.currentEntry.getState()?.document ?? navigation.currentEntry.key;
function mark() {
  const url = location.pathname + location.search + location.hash;
  const sent = document.documentElement.dataset.sent ?? null;
  const state = { document: own, url, sent, scrolled: scrollY };
  if (JSON.stringify(state) === JSON.stringify(navigation.currentEntry.getState())) return;
  navigation.updateCurrentEntry({ state });
}
addEventListener("scrollend", mark);
navigation.addEventListener("currententrychange", mark);
mark();
// The browser would fill unsent fields again when the user goes back, which no copy could know.
for (const form of document.forms) form.autocomplete = "off";

// A sheet is open while the address names it. What is behind it cannot be reached; the phone's home bar always can.
function modal() {
  const open = location.hash.length > 1 ? document.querySelector(`.sheet[id="${CSS.escape(location.hash.slice(1))}"]`) : null;
  document.querySelector(".frame").inert = Boolean(open);
  document.documentElement.classList.toggle("sheet-open", Boolean(open));
  if (!open) return;
  const panel = open.querySelector(".panel");
  panel.querySelector("input:checked")?.closest("label")?.scrollIntoView({ block: "center" });
  panel.focus({ preventScroll: true });
}
function closeSheet() {
  const place = [scrollX, scrollY];
  location.hash = ""; // only going somewhere makes :target let go
  history.replaceState(null, "", location.pathname + location.search);
  scrollTo(...place);
  modal();
}
addEventListener("hashchange", modal);
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && location.hash.length > 1) closeSheet();
});
addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href="#"]');
  if (!link) return;
  event.preventDefault();
  closeSheet();
});
modal();

// Choosing in an option sheet closes it, and the field shows what was chosen; also what was chosen before, which is no
// change but is still a tap on an option.
addEventListener("click", (event) => {
  const sheet = event.target.closest?.(".sheet[data-picks]");
  if (!sheet || event.target.type !== "radio") return;
  const shown = document.querySelector(`[data-shows="${CSS.escape(sheet.id)}"] span`);
  if (shown) shown.textContent = event.target.dataset.text;
  closeSheet();
});

// Search while typing: the parts of the page that follow from it are exchanged, and nothing else.
let latest; // what was asked for last; an earlier answer that comes later is dropped
async function show(form) {
  const wanted = new URLSearchParams(new FormData(form));
  for (const [name, value] of [...wanted]) if (!value.trim()) wanted.delete(name);
  const address = form.getAttribute("action") + (wanted.size ? `?${wanted}` : "");
  latest?.abort();
  latest = new AbortController();
  try {
    const answer = await fetch(address, { signal: latest.signal });
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const old of document.querySelectorAll("[data-live]")) {
      const fresh = found.getElementById(old.id);
      if (fresh) old.replaceChildren(...fresh.childNodes);
    }
    history.replaceState(null, "", address);
  } catch (error) {
    if (error.name !== "AbortError") form.submit(); // the plain way shows what is wrong
  }
}
for (const form of document.querySelectorAll("form.search")) {
  form.addEventListener("input", () => show(form));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show(form);
  });
}

// A row that has something to do at its side does it when it is swiped to the left.
let start = null;
addEventListener("pointerdown", (event) => {
  const row = event.target.closest?.("[data-swipe]");
  start = row && { row, x: event.clientX, y: event.clientY };
});
addEventListener("pointerup", (event) => {
  if (!start) return;
  const { row, x, y } = start;
  start = null;
  if (x - event.clientX < 110 || Math.abs(y - event.clientY) > 50) return;
  addEventListener("click", (click) => (click.preventDefault(), click.stopPropagation()), { capture: true, once: true });
  row.querySelector("button[data-swiped]")?.form.requestSubmit();
});

// A word about what was done goes when the page is scrolled.
const toast = document.querySelector(".toast");
if (toast) addEventListener("scroll", () => toast.remove(), { once: true, passive: true });
