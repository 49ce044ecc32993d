// Admin pages: forms that are sent as JSON, the invitation link, and the import of votes.
import { ask, toast, token } from "./site.js";

const after = {
  reload: () => location.reload(),
  link: (said) => {
    const box = document.getElementById("made");
    const field = document.getElementById("link");
    field.value = new URL(said.path, location.href).href;
    box.hidden = false;
    field.focus();
    field.select();
  },
};

for (const form of document.querySelectorAll("form[data-send]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.dataset.ask && !confirm(form.dataset.ask)) return;
    await busy(form, async () => after[form.dataset.then](await ask("POST", form.dataset.send, fields(form))));
  });
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copy);
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      toast("Copied.");
    } catch {
      toast("The browser does not allow this page to copy. The link is selected: copy it with the keyboard.");
    }
  });
}

// The fields of a form as JSON values.
function fields(form) {
  const said = {};
  for (const one of form.elements) {
    if (one.name) said[one.name] = value(one);
  }
  return said;
}

function value(field) {
  if (field.type === "number" || "number" in field.dataset) return Number(field.value);
  if (field.type === "checkbox") return field.checked;
  if ("lines" in field.dataset) return field.value.split("\n").map((one) => one.trim()).filter(Boolean);
  return field.value;
}

async function busy(form, work) {
  const buttons = [...form.querySelectorAll("button")];
  for (const one of buttons) one.disabled = true;
  try {
    await work();
  } catch (error) {
    toast(error.message, "bad");
  } finally {
    for (const one of buttons) one.disabled = false;
  }
}

// Import of another arena's table: upload, preview, adjust, import.
const upload = document.getElementById("upload");
const preview = document.getElementById("preview");

upload?.addEventListener("submit", (event) => {
  event.preventDefault();
  const [file] = document.getElementById("file").files;
  busy(upload, async () => {
    const answer = await fetch("/api/admin/imports/uploads", {
      method: "POST",
      headers: { "X-Fairground-Token": token, "Content-Type": "text/csv", Accept: "application/json" },
      body: file,
    });
    const said = await answer.json().catch(() => null);
    if (!answer.ok) throw new Error([said?.error ?? `The server returned status ${answer.status}`, said?.fix].filter(Boolean).join(". "));
    show(said, file.name.replace(/\.[^.]*$/, ""), {});
  });
});

function show(found, name, renamed) {
  const maps = make("form", { className: "maps" });
  for (const ours of preview.dataset.columns.split(" ")) {
    const choice = make("select", { name: ours }, make("option", { value: "", textContent: "none" }));
    for (const theirs of found.columns) {
      choice.append(make("option", { value: theirs, textContent: theirs, selected: found.rename[theirs] === ours }));
    }
    choice.addEventListener("change", again);
    maps.append(make("label", {}, ours, choice));
  }
  const names = make("details", {}, make("summary", { textContent: `${Object.keys(found.agents).length} agents: rename` }));
  const list = make("form", { className: "maps" });
  for (const [agent, votes] of Object.entries(found.agents)) {
    const theirs = Object.keys(renamed).find((one) => renamed[one] === agent) ?? agent;
    const field = make("input", { name: theirs, value: agent, maxLength: 200 });
    list.append(make("label", {}, make("bdi", { textContent: `${theirs} (${votes})` }), field));
    field.addEventListener("change", again);
  }
  names.append(list);
  const source = make("input", { value: name.slice(0, 100), maxLength: 100, required: true });
  const take = make("button", { type: "button", textContent: `Import ${found.rows.toLocaleString()} votes`, disabled: !found.good });
  take.addEventListener("click", () =>
    busy(preview, async () => {
      const said = await ask("POST", `/api/admin/imports/${found.id}`, { ...reading(), name: source.value });
      toast(said.added ? `${said.added.toLocaleString()} votes imported.` : "This file was imported before. Nothing was added.");
      preview.hidden = true;
    }),
  );
  function reading() {
    const rename = Object.fromEntries([...maps.elements].filter((one) => one.value).map((one) => [one.value, one.name]));
    const agents = Object.fromEntries([...list.elements].filter((one) => one.value && one.value !== one.name).map((one) => [one.name, one.value]));
    return { rename, agents };
  }
  function again() {
    busy(preview, async () => {
      const how = reading();
      show(await ask("POST", `/api/admin/imports/${found.id}/preview`, how), source.value, how.agents);
    });
  }
  const parts = [make("h3", { textContent: "Columns" }), maps, sample(found)];
  if (found.missing.length) parts.push(make("p", { className: "note bad", textContent: `Choose a column for ${found.missing.join(", ")}.` }));
  if (found.wrong) parts.push(faults(found));
  parts.push(...found.notes.map((note) => make("p", { className: "note", textContent: note })));
  parts.push(names, make("div", { className: "row" }, make("label", {}, "Name of the other arena", source), take));
  preview.replaceChildren(...parts);
  preview.hidden = false;
}

function sample(found) {
  const heads = preview.dataset.columns.split(" ").filter((one) => one in (found.first[0] ?? {}));
  const head = make("tr", {}, ...heads.map((one) => make("th", { scope: "col", textContent: one })));
  const rows = found.first.map((row) => make("tr", {}, ...heads.map((one) => make("td", {}, make("bdi", { textContent: row[one] ?? "" })))));
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
  const box = make("div", { className: "scrolls", tabIndex: 0 }, table);
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "Preview of the first rows");
  return box;
}

function faults(found) {
  const said = `${found.wrong.toLocaleString()} of ${found.rows.toLocaleString()} rows are not votes, so nothing can be imported:`;
  const lines = found.faults.map((one) => make("li", { textContent: `row ${one.row}, ${one.column}: ${one.problem}` }));
  if (found.wrong > found.faults.length) lines.push(make("li", { textContent: "and more" }));
  return make("div", { className: "note bad" }, make("p", { textContent: said }), make("ul", {}, ...lines));
}

// Creates an element. Strings are added as text, never as markup.
function make(name, values, ...children) {
  const one = Object.assign(document.createElement(name), values);
  one.append(...children);
  return one;
}
