// The page: what is shown, and what the buttons do.

import { listen } from "./input.js";
import { Link } from "./link.js";

const MOST_PASTED = 20000;
const STATES = {
  connecting: ["Connecting", "Connecting to the seat"],
  live: ["Live", ""],
  trouble: ["Trouble", "The seat shows no picture any more"],
  lost: ["Disconnected", "The connection is lost. Trying again…"],
  over: ["Closed", "This seat has been closed. You can close the page."],
  stale: ["Refused", "This address is no longer valid. Open the one that was printed last."],
  full: ["Full", "Too many pages show this seat already. Close one, and load this page again."],
};
const byId = (id) => document.getElementById(id);
const page = document.body.dataset;
const [canvas, sink, stage, frame, notice] = ["picture", "sink", "stage", "frame", "notice"].map(byId);
const context = canvas.getContext("2d", { alpha: false });
let allowed = false; // what the server allows at all
let backend = "";
let trouble = null;
let noticeTimer = 0;
let fitted = 1; // how large the whole picture is shown
let zoom = { by: 1, x: 0, y: 0 }; // and how much larger than that, moved by how much

const link = new Link({
  hello(news) {
    // Even the same size, set again, would empty the picture.
    if (String([canvas.width, canvas.height]) !== String(news.size)) [canvas.width, canvas.height] = news.size;
    [allowed, backend] = [news.control, news.backend];
    byId("size").textContent = news.size.join(" × ");
    byId("configuration").textContent = byId("configuration").title = news.configuration;
    byId("instruction").textContent = news.instruction;
    byId("instruction").hidden = !news.instruction;
    byId("view-only").disabled = !allowed;
    byId("view-only").checked ||= !allowed;
    document.title = `${news.configuration} · Fairground`;
    canvas.setAttribute("aria-label", `Live picture of the seat ${news.configuration}`);
    setTrouble(null);
    setControl();
    fit();
  },
  async frame(bytes) {
    const type = bytes[0] === 0x89 ? "image/png" : "image/jpeg";
    const picture = await createImageBitmap(new Blob([bytes], { type }));
    context.drawImage(picture, 0, 0);
    picture.close();
    canvas.dataset.frames = Number(canvas.dataset.frames ?? 0) + 1;
    canvas.dataset.type = type;
  },
  cursor(news) {
    byId("pointer").textContent = news.at ? news.at.join(", ") : "–";
  },
  trouble: (news) => setTrouble(news.trouble),
  refused: (news) => say(news.message + (news.fix ? `\n${news.fix}` : "")),
  state(name) {
    page.state = name;
    [byId("state").textContent, byId("veil-text").textContent] = STATES[name];
    if (name !== "live") setTrouble(null, name);
    updateButtons();
  },
});

listen(canvas, sink, {
  act: (action) => link.act(action),
  type: (text) => link.type(text),
  paste: typeText,
  allowed: inControl,
  smooth: () => backend === "cdp",
  leave: () => byId("view-only").focus(),
  pinch,
});
sink.addEventListener("focus", updateButtons);
sink.addEventListener("blur", updateButtons);
byId("view-only").addEventListener("change", setControl);
byId("screenshot").addEventListener("click", saveScreenshot);
byId("help").addEventListener("click", () => byId("help-dialog").showModal());
byId("keys").addEventListener("click", () => sink.focus({ preventScroll: true }));
byId("paste").addEventListener("click", () => byId("paste-dialog").showModal());
byId("paste-dialog").addEventListener("close", () => {
  const text = byId("paste-text").value;
  byId("paste-text").value = "";
  if (byId("paste-dialog").returnValue === "type") typeText(text);
  byId("paste-dialog").returnValue = "";
  if (inControl() && !matchMedia("(pointer: coarse)").matches) sink.focus({ preventScroll: true });
});
byId("paste-text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("paste-dialog").close("type");
});
byId("full").hidden = !stage.requestFullscreen;
byId("full").addEventListener("click", async () => {
  await stage.requestFullscreen();
  navigator.keyboard?.lock?.().catch(() => {}); // without it, only some shortcuts stay with the browser
  if (inControl()) sink.focus({ preventScroll: true });
});
document.addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) navigator.keyboard?.unlock?.(); });
new ResizeObserver(fit).observe(stage);
link.open();

function inControl() {
  return allowed && !byId("view-only").checked && watching();
}

function watching() {
  return page.state === "live" || (page.state === "trouble" && page.blind !== "on");
}

function setControl() {
  const on = allowed && !byId("view-only").checked;
  page.control = on ? "on" : "off";
  if (allowed) link.control(on);
  if (!on) sink.blur();
  sink.disabled = !on;
  updateButtons();
}

function setTrouble(found, otherwise = "live") {
  page.state = found ? "trouble" : otherwise;
  trouble = found;
  page.blind = found?.blind ? "on" : "off";
  if (found) {
    byId("state").textContent = found.blind ? "Seat lost" : "App ended";
    byId("veil-text").textContent = STATES.trouble[1];
    say(`${found.message}${found.fix ? `\n${found.fix}` : ""}`, found.error);
  } else {
    byId("state").textContent = STATES[otherwise][0];
    notice.hidden = true;
  }
  updateButtons();
}

function updateButtons() {
  const keys = document.activeElement === sink && inControl();
  page.keys = keys ? "on" : "off";
  byId("paste").disabled = byId("keys").disabled = !inControl();
  byId("screenshot").disabled = !watching();
  byId("focus").textContent = !watching() ? "No connection to the seat"
    : !allowed || page.control === "off" ? "Viewing only"
    : keys ? "Your keyboard goes to the app"
    : matchMedia("(pointer: coarse)").matches ? "Touch Keyboard to type" : "Click the picture to type";
}

// With a title it stays; without, it goes after a while.
function say(text, title = "") {
  clearTimeout(noticeTimer);
  const head = document.createElement("b");
  head.textContent = title;
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "×";
  close.setAttribute("aria-label", "Close this message");
  close.onclick = () => { notice.hidden = true; };
  notice.replaceChildren(close, ...(title ? [head] : []), text);
  notice.classList.toggle("bad", Boolean(title));
  notice.hidden = false;
  if (!title) noticeTimer = setTimeout(() => (trouble ? setTrouble(trouble) : (notice.hidden = true)), 5000);
}

function typeText(text) {
  const clean = text.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f]|\p{Surrogate}/gu, "");
  const length = Array.from(clean).length;
  if (length > MOST_PASTED) say(`The text has ${length} characters; at most ${MOST_PASTED} can be typed at once.`);
  else if (inControl()) link.type(clean);
}

async function saveScreenshot() {
  const answer = await fetch("screenshot.png").catch(() => null);
  if (!answer?.ok) {
    const told = await answer?.json().catch(() => null);
    say(`No screenshot could be taken: ${told?.message ?? "the server does not answer"}`);
    return;
  }
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(await answer.blob());
  anchor.download = /filename="(.+)"/.exec(answer.headers.get("Content-Disposition"))?.[1] ?? "seat.png";
  anchor.click();
  URL.revokeObjectURL(anchor.href);
}

// As large as fits; a little more room than needed is left empty, because a slightly enlarged picture is only blurred.
function fit() {
  const room = document.fullscreenElement ? 0 : 8;
  const fits = Math.min((stage.clientWidth - room) / canvas.width, (stage.clientHeight - room) / canvas.height);
  const scale = fits > 1 && fits < 1.25 && !document.fullscreenElement ? 1 : Math.max(fits, 0.05);
  const [width, height] = [canvas.width * scale, canvas.height * scale];
  // On whole pixels of the window, so that a picture shown as it is stays sharp.
  const { left, top } = stage.getBoundingClientRect();
  const centred = (start, space, size) => Math.round(start + (space - size) / 2) - start;
  frame.style.width = `${width}px`;
  frame.style.height = `${height}px`;
  frame.style.left = `${centred(left + stage.clientLeft, stage.clientWidth, width)}px`;
  frame.style.top = `${centred(top + stage.clientTop, stage.clientHeight, height)}px`;
  // What a person has enlarged stays as large when an on-screen keyboard takes some of the room.
  const again = zoom.by === 1 ? 0 : fitted / scale;
  fitted = scale;
  pinch(again, left + stage.clientWidth / 2, top + stage.clientHeight / 2, 0, 0);
}

// Enlarges what lies under a place of the window, and moves it; a factor of 0 shows all again.
// Returns whether the picture is enlarged, and so could be moved.
function pinch(factor, x, y, dx, dy) {
  const before = zoom.by;
  const by = Math.min(Math.max(before * factor, 1), Math.max(1, 3 / fitted));
  const [width, height] = [frame.offsetWidth * by, frame.offsetHeight * by];
  const [left, top] = [x - stage.getBoundingClientRect().left - frame.offsetLeft, y - stage.getBoundingClientRect().top - frame.offsetTop];
  // The place under the fingers stays under them, as far as the picture reaches.
  const keep = (at, offset, moved) => at - ((at - offset) * by) / before + moved;
  const within = (offset, size, room, start) => size <= room ? (room - size) / 2 - start : Math.min(-start, Math.max(room - size - start, offset));
  zoom = {
    by,
    x: by === 1 ? 0 : within(keep(left, zoom.x, dx), width, stage.clientWidth, frame.offsetLeft),
    y: by === 1 ? 0 : within(keep(top, zoom.y, dy), height, stage.clientHeight, frame.offsetTop),
  };
  frame.style.transform = by === 1 ? "" : `translate(${zoom.x}px, ${zoom.y}px) scale(${by})`;
  byId("scale").textContent = `${Math.round(fitted * by * 100)} %`;
  return by > 1;
}
