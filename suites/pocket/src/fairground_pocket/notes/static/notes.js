// A little on top of pages that work without it: search while typing, a sheet that holds the focus, a clean address.
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

const results = document.getElementById("results");
const search = document.querySelector(".search");
let latest; // the search that was asked for last; an earlier one that answers later is dropped

async function show(address) {
  latest?.abort();
  latest = new AbortController();
  try {
    const answer = await fetch(address, { signal: latest.signal });
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const id of ["chips", "results"]) {
      const [old, fresh] = [document.getElementById(id), found.getElementById(id)];
      if (!old || !fresh) continue;
      const scrolled = old.scrollLeft;
      old.replaceChildren(...fresh.childNodes);
      old.scrollLeft = scrolled;
    }
    history.replaceState(null, "", address);
  } catch (error) {
    if (error.name !== "AbortError") search.submit(); // the plain way shows what is wrong
  }
}

function address() {
  const wanted = new URLSearchParams(new FormData(search));
  for (const [name, value] of [...wanted]) if (!value.trim()) wanted.delete(name);
  return search.action + (wanted.size ? `?${wanted}` : "");
}

if (results) {
  search.addEventListener("input", () => show(address()));
  search.addEventListener("submit", (event) => {
    event.preventDefault();
    show(address());
  });
}

// A chip that was chosen may stand outside of its row.
document.querySelector(".chip[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });

const sheet = document.getElementById("sheet");

function modal() {
  const open = location.hash === "#sheet";
  for (const element of document.body.children) if (element !== sheet) element.inert = open;
  if (open) sheet.querySelector(".quiet").focus({ focusVisible: false });
}

if (sheet) {
  addEventListener("hashchange", modal);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && location.hash === "#sheet") location.hash = "";
  });
  modal();
}

// What was just done was said; looking at this address again later must not say it again.
const here = new URL(location);
if (here.searchParams.has("toast")) {
  here.searchParams.delete("toast");
  here.searchParams.delete("note");
  history.replaceState(null, "", here);
}
