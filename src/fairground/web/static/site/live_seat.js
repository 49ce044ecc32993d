// The page of a seat: its screen and controls.
import { ask, toast } from "./site.js";
import { copyOut } from "./copy_out.js";
import { watch } from "./screen.js";

const byId = (id) => document.getElementById(id);
const [place, tools, said] = ["live-screen", "live-tools", "live-said"].map(byId);
const api = tools.dataset.api;
const NAMES = { connecting: "Connecting", live: "Live", trouble: "Problem", lost: "Disconnected", over: "Closed", stale: "Closed", full: "Full" };
const KINDS = { live: "good", trouble: "bad", lost: "bad" };
let ended = false;

const seat = watch(place, place.dataset.stream, {
  control: place.dataset.drives === "yes",
  onState(name) {
    byId("live-state").textContent = NAMES[name];
    byId("live-state").className = `pill ${KINDS[name] ?? ""}`;
  },
  onControl(on) {
    if (byId("live-copy")) byId("live-copy").disabled = !on || ended;
  },
  onTrouble(trouble) {
    if (!ended) tell(trouble && [trouble.message, trouble.fix].filter(Boolean).join("\n"), "bad");
  },
  onRefused: (news) => toast([news.message, news.fix].filter(Boolean).join(". "), "bad"),
  onTooLong: (length, most) => toast(`The text has ${length} characters; the maximum is ${most} at once.`, "bad"),
  onClipboard: (news) => copyOut(news, toast),
  onLeave: () => byId("live-control")?.focus(),
  onEnd: () => { if (api) setTimeout(look, 100); },
});

byId("live-control")?.addEventListener("change", (event) => seat.setControl(event.target.checked));
byId("live-keys")?.addEventListener("click", seat.focus);
byId("live-copy")?.addEventListener("click", seat.copy);
byId("live-done")?.addEventListener("click", () => end({ kind: "done" }));
byId("live-fail")?.addEventListener("click", () => end({ kind: "fail", reason: "gave up" }));
byId("live-answers")?.addEventListener("submit", (event) => {
  event.preventDefault();
  end({ kind: "answer", text: byId("live-answer").value });
});
if (api) look();

function end(action) {
  ended = true;
  for (const one of tools.querySelectorAll("button, input")) one.disabled = true;
  tell("Checking your result.");
  seat.act(action);
}

function tell(text, kind = "") {
  said.hidden = !text;
  said.textContent = text ?? "";
  said.className = `note ${kind}`;
}

async function look() {
  try {
    const { status, steps, seconds } = await ask("GET", api);
    if (status === "over") return location.reload();
    byId("live-steps").textContent = steps;
    byId("live-time").textContent = `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
    if (status === "judging") tell("Checking the result.");
  } catch {
    // The server may be busy; try again at the next poll.
  }
  setTimeout(look, ended ? 300 : 1000);
}
