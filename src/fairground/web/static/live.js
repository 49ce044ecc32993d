// The page of a single seat: status and controls around the screen.

import { copyOut } from "./copy_out.js";
import { watch } from "./screen.js";

const NAMES = { connecting: "Connecting", live: "Live", lost: "Disconnected", over: "Closed", stale: "Refused", full: "Full" };
const byId = (id) => document.getElementById(id);
const page = document.body.dataset;
const [stage, notice] = ["stage", "notice"].map(byId);
let allowed = false; // whether the server allows control
let trouble = null;
let noticeTimer = 0;

let seat = null;
seat = watch(stage, "stream", {
  control: true,
  fill: true,
  probe: "state",
  onHello(news) {
    allowed = news.control;
    byId("size").textContent = news.size.join(" × ");
    byId("configuration").textContent = byId("configuration").title = news.configuration;
    byId("instruction").textContent = news.instruction;
    byId("instruction").hidden = !news.instruction;
    byId("view-only").disabled = !allowed;
    byId("view-only").checked ||= !allowed;
    document.title = `${news.configuration} · Fairground`;
    seat.canvas.setAttribute("aria-label", `Live screen of the seat ${news.configuration}`);
  },
  onState(name) {
    page.state = name;
    if (NAMES[name]) byId("state").textContent = NAMES[name];
    update();
  },
  onTrouble: setTrouble,
  onControl: update,
  onKeys: update,
  onCursor: (at) => { byId("pointer").textContent = at ? at.join(", ") : "–"; },
  onScale: (factor) => { byId("scale").textContent = `${Math.round(factor * 100)} %`; },
  onRefused: (news) => say(news.message + (news.fix ? `\n${news.fix}` : "")),
  onTooLong: (length, most) => say(`The text has ${length} characters; the maximum is ${most} at once.`),
  onClipboard: (news) => copyOut(news, say),
  onLeave: () => byId("view-only").focus(),
});
[seat.canvas.id, seat.sink.id] = ["picture", "sink"];

byId("view-only").addEventListener("change", () => seat.setControl(!byId("view-only").checked));
byId("screenshot").addEventListener("click", saveScreenshot);
byId("help").addEventListener("click", () => byId("help-dialog").showModal());
byId("keys").addEventListener("click", seat.focus);
byId("copy").addEventListener("click", seat.copy);
byId("paste").addEventListener("click", () => byId("paste-dialog").showModal());
byId("paste-dialog").addEventListener("close", () => {
  const text = byId("paste-text").value;
  byId("paste-text").value = "";
  if (byId("paste-dialog").returnValue === "type") seat.type(text);
  byId("paste-dialog").returnValue = "";
  if (seat.controls() && !matchMedia("(pointer: coarse)").matches) seat.focus();
});
byId("paste-text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("paste-dialog").close("type");
});
byId("full").hidden = !stage.requestFullscreen;
byId("full").addEventListener("click", async () => {
  await stage.requestFullscreen();
  navigator.keyboard?.lock?.().catch(() => {}); // otherwise the browser keeps some shortcuts
  if (seat.controls()) seat.focus();
});
document.addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) navigator.keyboard?.unlock?.(); });

function setTrouble(found) {
  trouble = found;
  page.blind = found?.blind ? "on" : "off";
  if (found) {
    byId("state").textContent = found.blind ? "Seat lost" : "App ended";
    say(`${found.message}${found.fix ? `\n${found.fix}` : ""}`, found.error);
  } else {
    notice.hidden = true;
  }
  update();
}

function update() {
  if (!seat) return;
  const { control, keys } = stage.dataset;
  [page.control, page.keys] = [control, keys];
  byId("paste").disabled = byId("copy").disabled = byId("keys").disabled = !seat.controls();
  byId("screenshot").disabled = !seat.watching();
  byId("focus").textContent = !seat.watching() ? "Not connected"
    : !allowed || control === "off" ? "View only"
    : keys === "on" ? "Keyboard input goes to the app"
    : matchMedia("(pointer: coarse)").matches ? "Touch Keyboard to type" : "Click the screen to type";
}

// A message with a title stays; others disappear after a while.
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

async function saveScreenshot() {
  const answer = await fetch("screenshot.png").catch(() => null);
  if (!answer?.ok) {
    const told = await answer?.json().catch(() => null);
    say(`The screenshot failed: ${told?.message ?? "the server does not answer"}`);
    return;
  }
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(await answer.blob());
  anchor.download = /filename="(.+)"/.exec(answer.headers.get("Content-Disposition"))?.[1] ?? "seat.png";
  anchor.click();
  URL.revokeObjectURL(anchor.href);
}
