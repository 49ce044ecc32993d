"use strict";
// Progressive enhancement: all content of the report is in the page.
(() => {
  const root = document.documentElement;
  const light = JSON.parse(document.body.dataset.light);
  root.classList.add("js");

  // ---- light and dark ----
  const remember = (value) => { try { localStorage.setItem("theme", value); } catch { /* a page opened as a file may have no storage */ } };
  const recall = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const toggle = document.getElementById("theme");
  const label = () => { toggle.textContent = isDark() ? "Light" : "Dark"; };
  if (["light", "dark"].includes(recall())) root.dataset.theme = recall();
  toggle.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; remember(root.dataset.theme); label(); });
  label();

  // ---- export of figures ----
  const SCALE = 3; // resolution of the PNG relative to the drawing
  function standalone(name) {
    const drawing = document.querySelector(`svg.wide[data-name="${name}"]`).cloneNode(true);
    for (const attribute of ["class", "data-name", "tabindex", "style"]) drawing.removeAttribute(attribute);
    drawing.querySelectorAll(".m").forEach((one) => { one.removeAttribute("class"); });
    const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [key, value] of Object.entries({ width: "100%", height: "100%", fill: light.card })) ground.setAttribute(key, value);
    drawing.querySelector("desc").after(ground);
    drawing.querySelectorAll("*").forEach(fix);
    fix(drawing);
    return `<?xml version="1.0" encoding="UTF-8"?>\n<!-- Generator: Fairground -->\n${new XMLSerializer().serializeToString(drawing)}\n`;
  }
  function fix(element) {
    for (const { name, value } of [...element.attributes]) {
      const found = /^var\(--([a-z0-9]+)\)$/.exec(value);
      if (found) element.setAttribute(name, light[found[1]]);
    }
  }
  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  async function png(text) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth * SCALE;
    canvas.height = image.naturalHeight * SCALE;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => { canvas.toBlob(done, "image/png"); });
  }
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-export]");
    if (!button) return;
    const name = button.dataset.figure;
    const text = standalone(name);
    if (button.dataset.export === "svg") save(new Blob([text], { type: "image/svg+xml" }), `${name}.svg`);
    else save(await png(text), `${name}.png`);
    said(button, "Saved");
  });

  // ---- tables ----
  const plain = (cell) => (cell.dataset.text ?? cell.textContent).trim();
  function lines(table) {
    const columns = [...table.tHead.rows[0].cells].map((cell, place) => (cell.dataset.skip ? -1 : place)).filter((place) => place >= 0);
    return [table.tHead.rows[0], ...table.tBodies[0].rows].map((row) => columns.map((place) => plain(row.cells[place])));
  }
  const asCsv = (rows) => rows.map((row) => row.map((cell) => {
    const text = /^\u2212[\d.]/.test(cell) ? `-${cell.slice(1)}` : cell;
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }).join(",")).join("\n") + "\n";
  const TEX = { "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "%": "\\%", "&": "\\&", "#": "\\#", _: "\\_", $: "\\$", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\u2212": "$-$", "\u221e": "$\\infty$", "\u2026": "\\ldots{}", "\u2013": "--" };
  const tex = (text) => text.replace(/[\\{}%&#_$~^\u2212\u221e\u2026\u2013]/g, (char) => TEX[char]);
  function asLatex(rows, table) {
    const kinds = [...table.tHead.rows[0].cells].filter((cell) => !cell.dataset.skip).map((cell) => (cell.classList.contains("n") ? "r" : "l")).join("");
    const [head, ...body] = rows.map((row) => `${row.map(tex).join(" & ")} \\\\`);
    return ["% needs \\usepackage{booktabs}", `\\begin{tabular}{${kinds}}`, "\\toprule", head, "\\midrule", ...body, "\\bottomrule", "\\end{tabular}", ""].join("\n");
  }
  async function copy(text) {
    try { await navigator.clipboard.writeText(text); return; } catch { /* not permitted for a file: use the fallback below */ }
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  function said(button, word) {
    button.dataset.label ??= button.textContent;
    button.textContent = word;
    clearTimeout(button.timer);
    button.timer = setTimeout(() => { button.textContent = button.dataset.label; }, 1500);
  }
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copy]");
    if (!button) return;
    const table = document.getElementById(button.dataset.table);
    await copy(button.dataset.copy === "csv" ? asCsv(lines(table)) : asLatex(lines(table), table));
    said(button, "Copied");
  });
  document.querySelectorAll("table.sortable thead th:not([data-skip])").forEach((head) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const table = head.closest("table");
      const body = table.tBodies[0];
      const first = head.classList.contains("n") ? "descending" : "ascending";
      const other = first === "ascending" ? "descending" : "ascending";
      const way = head.getAttribute("aria-sort") === first ? other : first;
      table.querySelectorAll("th[aria-sort]").forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", way);
      const value = (row) => row.cells[head.cellIndex].dataset.v ?? plain(row.cells[head.cellIndex]);
      const sign = way === "ascending" ? 1 : -1;
      const order = (one, two) => {
        const [a, b] = [value(one), value(two)];
        if (a === "" || b === "") return (a === "") - (b === ""); // missing values come last in both directions
        const gap = Number(a) - Number(b);
        return sign * (Number.isNaN(gap) ? a.localeCompare(b, undefined, { numeric: true }) : gap);
      };
      body.append(...[...body.rows].sort(order));
    });
  });

  // ---- tooltips of marks, for pointer and keyboard ----
  const tip = document.getElementById("tip");
  let now = null;
  document.querySelectorAll("figure svg").forEach((drawing) => {
    const marks = [...drawing.querySelectorAll(".m")];
    if (!marks.length) return;
    marks.forEach((one, place) => {
      const title = one.querySelector(":scope > title");
      // A narrow drawing has the same marks as the wide one before it, which has the tooltips.
      one.said = title ? title.textContent : drawing.previousElementSibling.marks[place].said;
      if (title) title.remove(); // prevents the browser's own tooltip
    });
    drawing.marks = marks;
    drawing.setAttribute("tabindex", "0");
    drawing.addEventListener("pointermove", (event) => show(nearest(marks, event.clientX, event.clientY), drawing));
    drawing.addEventListener("pointerdown", (event) => show(nearest(marks, event.clientX, event.clientY), drawing));
    drawing.addEventListener("pointerleave", hide);
    drawing.addEventListener("blur", hide);
    drawing.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") return hide();
      if (!step) return undefined;
      event.preventDefault();
      const at = marks.indexOf(now);
      return show(marks[(at < 0 ? (step > 0 ? 0 : marks.length - 1) : at + step + marks.length) % marks.length], drawing);
    });
  });
  function nearest(marks, x, y) {
    let best = null;
    let least = 14; // maximum distance in pixels
    for (const one of marks) {
      const box = one.getBoundingClientRect();
      const away = Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
      // Of several boxes under the pointer, choose the smallest.
      const score = away + Math.min(box.width * box.height, 1e6) * 1e-6;
      if (away <= 14 && score < least) { best = one; least = score; }
    }
    return best;
  }
  function show(one, drawing) {
    if (one === now) return;
    hide();
    if (!one) return;
    now = one;
    one.classList.add("on");
    drawing.classList.add("asked");
    tip.textContent = one.said;
    tip.hidden = false;
    place();
  }
  function place() {
    if (!now) return;
    const box = now.getBoundingClientRect();
    const size = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left + box.width / 2 - size.width / 2), root.clientWidth - size.width - 8);
    const above = box.top - size.height - 10;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 4 ? above : Math.min(box.bottom + 10, innerHeight - size.height - 4)}px`;
  }
  function hide() {
    if (!now) return;
    now.classList.remove("on");
    now.closest("svg").classList.remove("asked");
    now = null;
    tip.hidden = true;
  }
  addEventListener("scroll", place, { passive: true });
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
})();
