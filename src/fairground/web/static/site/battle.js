// One battle from its beginning to the vote. The server says what is; this page shows it.
import { ask, toast } from "./site.js";
import { watch } from "./screen.js";
import { mountSideBySide } from "./replay.js";

const battle = JSON.parse(document.getElementById("battle").dataset.now);
const here = `/api/battles/${battle.id}`;
const sides = Object.fromEntries([...document.querySelectorAll("[data-side]")].map((one) => [one.dataset.side, one]));
const ballot = document.getElementById("ballot");
const WORDS = {
  preparing: "getting ready", running: "running", judging: "yours to judge", closed: "closed",
  interrupted: "interrupted", failed: "failed",
};
const KINDS = { running: "odd", judging: "good", interrupted: "bad", failed: "bad" };
const STATES = { waiting: "waiting", acting: "at work", asking: "asks you", ended: "has ended" };

// --- what is going on -------------------------------------------------------------------------------------------------

let watching = {}; // side -> {seat, view}
let replays = null;
let marks = []; // of steps, as the vote carries them

function show(now) {
  const state = document.querySelector(".headline .pill");
  state.textContent = now.position ? `${WORDS[now.status]}, ${now.position} before it` : WORDS[now.status];
  state.className = `pill ${KINDS[now.status] ?? ""}`;
  const why = document.getElementById("why");
  why.textContent = now.why;
  why.hidden = !now.why;
  why.classList.toggle("bad", now.status === "failed" || now.status === "interrupted");
  const over = now.status === "judging" || now.status === "closed";
  document.getElementById("sides").hidden = over;
  for (const side of ["a", "b"]) showSide(side, now, over);
  document.getElementById("stop").hidden = !(now.mine && (now.status === "running" || now.status === "preparing"));
  document.getElementById("rerun").hidden = !(now.mine && (now.status === "failed" || now.status === "interrupted"));
  document.getElementById("follow-up").hidden = !(now.mine && now.can_follow);
  if (over && !replays) showReplays(now);
  ballot.hidden = !(over && now.may_vote);
  if (now.vote && !ballot.dataset.filled) fill(now.vote);
  if (now.names) reveal(now);
}

function showSide(side, now, over) {
  const place = sides[side];
  const how = now.sides[side];
  const pill = place.querySelector("[data-state]");
  const steps = how.steps === null ? "" : ` · ${how.steps} ${how.steps === 1 ? "step" : "steps"}`;
  pill.textContent = (STATES[how.state] ?? how.state) + steps;
  pill.className = `pill ${how.state === "asking" ? "odd" : ""}`;
  if (watching[side]?.seat !== how.seat) {
    watching[side]?.view?.close();
    const view = how.seat && !over ? watch(place.querySelector("[data-screen]"), `/seats/${how.seat}/stream`, {}) : null;
    watching[side] = { seat: how.seat, view };
  }
  showTalk(side, now);
}

function showTalk(side, now) {
  const list = sides[side].querySelector("[data-talk]");
  const said = now.messages.filter((one) => one.side === side);
  for (const one of said) {
    let item = list.querySelector(`[data-number="${one.number}"]`);
    if (!item) {
      item = document.createElement("li");
      item.dataset.number = one.number;
      item.append(line("asks", one.question));
      if (now.mine && one.answer === null) item.append(answering(side, one.number));
      list.append(item);
    }
    if (one.answer !== null && !item.dataset.answered) {
      item.dataset.answered = "yes";
      item.querySelector("form")?.remove();
      item.append(line("answers", one.answer));
    }
  }
}

function line(kind, text) {
  const made = document.createElement("p");
  made.className = kind;
  made.dir = "auto";
  made.textContent = text;
  return made;
}

function answering(side, number) {
  const form = document.createElement("form");
  form.className = "inline";
  const input = Object.assign(document.createElement("input"), { name: "answer", required: true, maxLength: 4000 });
  input.setAttribute("aria-label", `Answer agent ${side.toUpperCase()}`);
  const button = Object.assign(document.createElement("button"), { type: "submit", textContent: "Answer" });
  form.append(input, button);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    tell("POST", `${here}/answers`, { side, number, text: input.value });
  });
  return form;
}

function showReplays(now) {
  for (const one of Object.values(watching)) one.view?.close();
  watching = {};
  const place = document.getElementById("replays");
  place.hidden = false;
  const sources = ["a", "b"].map((side) => ({ url: `${here}/${side}/replay`, title: `Agent ${side.toUpperCase()}` }));
  replays = mountSideBySide(place, sources, {
    mode: "step",
    marks: now.may_vote ? ballot.dataset.marks.split(",") : null,
    marked: marks.map(({ side, step, mark }) => ({ source: side === "a" ? 0 : 1, step, mark })),
    onMark: (source, step, mark) => {
      const side = source === 0 ? "a" : "b";
      marks = marks.filter((one) => one.side !== side || one.step !== step);
      if (mark) marks.push({ side, step, mark, note: "" });
    },
  });
}

// --- what a person does -----------------------------------------------------------------------------------------------

async function tell(method, path, body) {
  try {
    return await ask(method, path, body);
  } catch (error) {
    toast(error.message, "bad");
    return undefined;
  }
}

document.getElementById("stop").addEventListener("click", (event) => {
  event.currentTarget.disabled = true;
  tell("POST", `${here}/stop`);
});
for (const [id, path] of [["rerun", "rerun"], ["follow-up", "follow-up"]]) {
  const control = document.getElementById(id);
  control.addEventListener(id === "rerun" ? "click" : "submit", async (event) => {
    event.preventDefault();
    const body = id === "rerun" ? undefined : { text: new FormData(control).get("text") };
    const next = await tell("POST", `${here}/${path}`, body);
    if (next) location.href = `/arena/battles/${next.id}`;
  });
}

function fill(vote) {
  ballot.dataset.filled = "yes";
  for (const [name, value] of Object.entries(vote)) {
    const found = ballot.elements.namedItem(name);
    if (found && value !== null && name !== "marks") found.value = value;
  }
  marks = [...vote.marks];
  ballot.querySelector("[type=submit]").textContent = "Change your vote";
}

ballot.addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = new FormData(ballot);
  const trouble = document.getElementById("vote-trouble");
  trouble.hidden = Boolean(given.get("winner"));
  trouble.textContent = "Say who did better.";
  if (!given.get("winner")) return;
  const vote = Object.fromEntries([...given].filter(([, value]) => value !== ""));
  const counted = await tell("PUT", `${here}/vote`, { ...vote, marks });
  if (!counted) return;
  toast(counted.version === 1 ? "Your vote is counted." : "Your vote is changed.");
  ballot.querySelector("[type=submit]").textContent = "Change your vote";
  show(await ask("GET", here));
  document.getElementById("revealed").scrollIntoView({ block: "center" });
});

function reveal(now) {
  const place = document.getElementById("revealed");
  const title = document.createElement("h2");
  title.textContent = "They were";
  const list = document.createElement("div");
  list.className = "columns";
  for (const side of ["a", "b"]) {
    const one = document.createElement("div");
    const name = document.createElement("p");
    name.className = "name";
    const letter = document.createElement("span");
    letter.className = "letter";
    letter.textContent = side.toUpperCase();
    const who = document.createElement("bdi");
    who.textContent = now.names[side];
    name.append(letter, who);
    one.append(name);
    const verdict = now.verdicts?.[side];
    if (verdict) {
      const said = document.createElement("p");
      said.className = "muted";
      said.textContent = verdict;
      one.append(said);
    }
    list.append(one);
  }
  place.replaceChildren(title, list);
  place.hidden = false;
}

// --- news -------------------------------------------------------------------------------------------------------------

let wait = 500;
function listen() {
  const address = new URL(`/battles/${battle.id}/news`, location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address);
  socket.addEventListener("message", (event) => {
    wait = 500;
    show(JSON.parse(event.data));
  });
  socket.addEventListener("close", (event) => {
    if (event.code >= 4400 && event.code < 4500) return;
    setTimeout(listen, wait);
    wait = Math.min(wait * 2, 10_000);
  });
}

if (battle.vote) fill(battle.vote);
show(battle);
listen();
