// The catalogue: search over scenarios, and screenshots of apps that appear as they are made.
import { ask } from "./site.js";

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

for (const form of document.querySelectorAll("form[data-filter]")) search(form);
for (const section of document.querySelectorAll("[data-looks]")) watch(section);
watchFaces();

// Shows the rows that match all words and the chosen app, kind and proof. The filter is kept in the URL.
function search(form) {
  const rows = [...form.parentElement.querySelectorAll("tbody tr")].map((row) => {
    const said = row.querySelector("[data-kind]").dataset;
    return { row, text: `${row.textContent} ${said.app}`.toLowerCase(), said };
  });
  const output = form.querySelector("output");
  const fields = [...form.elements].filter((one) => one.name);
  const address = new URL(location);
  for (const one of fields) one.value = address.searchParams.get(one.name) ?? "";
  const apply = () => {
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = fields.filter((one) => one.name !== "q" && one.value);
    const groups = [...form.parentElement.querySelectorAll("details.group")];
    let shown = 0;
    for (const { row, text, said } of rows) {
      const fits = words.every((word) => text.includes(word)) && chosen.every((one) => said[one.name] === one.value);
      row.hidden = !fits;
      shown += fits;
    }
    // Groups with matches open; without a filter, all groups close.
    for (const one of groups) {
      one.hidden = !one.querySelector("tbody tr:not([hidden])");
      one.open = !one.hidden && (words.length > 0 || chosen.length > 0);
    }
    output.textContent = shown === rows.length ? `${rows.length} scenarios` : `${shown} of ${rows.length} scenarios`;
    for (const one of fields) {
      if (one.value) address.searchParams.set(one.name, one.value);
      else address.searchParams.delete(one.name);
    }
    history.replaceState(null, "", address);
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  if (fields.some((one) => one.value)) apply();
}

// Requests an app's screenshots when the section becomes visible, and shows each when it is ready.
function watch(section) {
  const again = section.querySelector("[data-again]");
  const said = section.querySelector("[data-said]");
  const missing = () => section.querySelector("[data-look]:empty");
  const tell = (text, failed = false) => {
    said.textContent = text;
    said.hidden = !text;
    said.classList.toggle("odd", failed);
    again.hidden = !failed;
  };
  const make = async () => {
    tell("Screenshots are being made in a separate seat. They appear here one by one.");
    section.classList.add("making");
    try {
      let found = await ask("POST", section.dataset.looks);
      for (;;) {
        found.pictures.forEach((one) => show(section, one));
        if (!found.making) break;
        await pause(700);
        found = await ask("GET", section.dataset.looks);
      }
      if (found.fault && missing()) tell(`Some screenshots could not be made. ${found.fault}`, true);
      else tell("");
    } catch (error) {
      tell(error.message, true);
    }
    section.classList.remove("making");
  };
  again.addEventListener("click", make);
  if (!missing() || !said.hidden) return;
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((one) => one.isIntersecting)) return;
    seen.disconnect();
    make();
  });
  seen.observe(section);
}

function show(section, picture) {
  const frame = section.querySelector(`[data-look="${CSS.escape(picture.axis)}/${CSS.escape(picture.value)}"]`);
  if (!frame || frame.firstElementChild) return;
  const link = document.createElement("a");
  const image = document.createElement("img");
  link.href = image.src = picture.path;
  image.alt = frame.dataset.alt;
  link.append(image);
  frame.append(link);
}

// Requests the screenshot of each visible app, one at a time, to replace its letter.
function watchFaces() {
  const waiting = [];
  let busy = false;
  const next = async () => {
    if (busy) return;
    busy = true;
    await pause(500); // not for apps that are only scrolled past
    while (waiting.length) await makeFace(waiting.shift());
    busy = false;
  };
  const seen = new IntersectionObserver((entries) => {
    for (const { target } of entries.filter((one) => one.isIntersecting)) {
      seen.unobserve(target);
      waiting.push(target);
    }
    next();
  });
  for (const face of document.querySelectorAll("[data-face]")) seen.observe(face);
}

async function makeFace(face) {
  face.classList.add("making");
  try {
    let found = await ask("POST", `${face.dataset.face}?face=true`);
    const ready = () => found.pictures.some((one) => one.path === face.dataset.picture);
    while (!ready() && found.making) {
      await pause(1000);
      found = await ask("GET", face.dataset.face);
    }
    if (ready()) face.replaceChildren(Object.assign(new Image(), { src: face.dataset.picture, alt: "" }));
  } catch {
    // The letter stays; the app's own page shows the error.
  }
  face.classList.remove("making");
}
