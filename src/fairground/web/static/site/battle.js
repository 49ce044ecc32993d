// One battle, from preparation to the vote. The page renders the state that the server sends.
import { ask, toast } from "./site.js";
import { watch } from "./screen.js";
import { mountSideBySide } from "./replay.js";

const battle = JSON.parse(document.getElementById("battle").dataset.now);
const here = `/api/battles/${battle.id}`;
const sides = Object.fromEntries([...document.querySelectorAll("[data-side]")].map((one) => [one.dataset.side, one]));
const ballot = document.getElementById("ballot");
const WORDS = {
  preparing: "preparing", running: "running", judging: "ready to judge", closed: "closed",
  interrupted: "interrupted", failed: "failed",
};
const KINDS = { running: "odd", judging: "good", interrupted: "bad", failed: "bad" };
const ENDS = { done: "reported done", answer: "answered", fail: "gave up" };
const STATES = { waiting: "waiting", acting: "at work", asking: "asks you", ended: "ended" };

// --- current state ----------------------------------------------------------------------------------------------------

let watching = {}; // side -> {seat, view}
let replays = null;
let marks = []; // marked steps of the vote

function show(now) {
  const state = document.querySelector(".headline .pill");
  const word = now.status === "judging" && !now.may_vote ? "being judged" : WORDS[now.status];
  state.textContent = now.position ? `${word}, ${now.position} ahead in the queue` : word;
  state.className = `pill ${KINDS[now.status] ?? ""}`;
  const why = document.getElementById("why");
  why.textContent = now.why;
  why.hidden = !now.why;
  const broken = now.status === "failed" || now.status === "interrupted";
  why.classList.toggle("bad", broken);
  const notes = document.getElementById("notes");
  notes.hidden = !now.notes.length;
  notes.replaceChildren(...now.notes.map((text) => Object.assign(document.createElement("p"), { className: "note", textContent: text })));
  const over = now.status === "judging" || now.status === "closed";
  for (const id of ["sides", "pace"]) document.getElementById(id).hidden = over || broken;
  for (const side of ["a", "b"]) showSide(side, now, over);
  const stop = document.getElementById("stop");
  stop.hidden = !(now.mine && (now.status === "running" || now.status === "preparing"));
  if (stop.hidden) stop.disabled = false;
  document.getElementById("rerun").hidden = !(now.mine && broken);
  document.getElementById("follow-up").hidden = !(now.mine && now.can_follow);
  if (over && !replays) showReplays(now);
  ballot.hidden = !(over && now.may_vote);
  if (now.vote && !ballot.dataset.filled) fill(now.vote);
  tellWhatCounts(now);
  if (now.names) reveal(now);
}

function showSide(side, now, over) {
  const place = sides[side];
  const how = now.sides[side];
  const pill = place.querySelector("[data-state]");
  const steps = how.steps === null ? "" : ` · ${how.steps} ${how.steps === 1 ? "step" : "steps"}`;
  pill.textContent = (STATES[how.state] ?? how.state) + steps;
  pill.className = `pill ${how.state === "asking" ? "odd" : ""}`;
  place.dataset.how = how.state;
  if (watching[side]?.seat !== how.seat) {
    watching[side]?.view?.close();
    watching[side] = { seat: how.seat, view: how.seat && !over ? look(side, how.seat) : null };
  }
  showTalk(side, now);
}

function look(side, seat) {
  const screen = sides[side].querySelector("[data-screen]");
  screen.replaceChildren(); // removes the view of an earlier seat
  return watch(screen, `/seats/${seat}/stream`, {
    label: `Screen of agent ${side.toUpperCase()}`,
    // Portrait screens stay side by side in narrow windows, too.
    onHello: ({ size }) => document.getElementById("sides").classList.toggle("tall", size[1] > size[0]),
  });
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
      tellMarks();
    },
  });
  // Show the final screens first: they are what the vote is about.
  replays.ready.catch(() => {}).then(() => {
    replays.show(Infinity);
    place.querySelectorAll(".replay-stage").forEach((stage, one) => stage.querySelector(".replay-title").append(howItEnded(replays.scenes[one])));
  });
}

// How an agent ended, without saying whether it succeeded.
function howItEnded(scenes) {
  const steps = scenes.filter((one) => one.step);
  const { kind, text, reason } = steps.at(-1)?.step.action ?? {};
  const said = [`${steps.length} ${steps.length === 1 ? "step" : "steps"}`, ENDS[kind] ?? "did not report done"];
  const line = Object.assign(document.createElement("span"), { className: "ended", dir: "auto", textContent: said.join(" · ") });
  if (text || reason) line.append(": ", Object.assign(document.createElement("q"), { textContent: text || reason }));
  return line;
}

function tellMarks() {
  const number = marks.length === 1 ? "1 marked step" : `${marks.length} marked steps`;
  document.getElementById("vote-marks").textContent = marks.length ? `${number} will be sent with your vote.` : "";
}

// --- actions of the person ---------------------------------------------------------------------------------------------

async function tell(method, path, body) {
  try {
    return await ask(method, path, body);
  } catch (error) {
    toast(error.message, "bad");
    return undefined;
  }
}

document.getElementById("stop").addEventListener("click", async ({ currentTarget: button }) => {
  button.disabled = true;
  if (!(await tell("POST", `${here}/stop`))) button.disabled = false;
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
  if (vote.comment || Object.entries(vote).some(([name, value]) => /_[ab]$/.test(name) && value)) {
    ballot.querySelector("details").open = true;
  }
  voted();
}

function voted() {
  ballot.querySelector("[type=submit]").textContent = "Change your vote";
  document.getElementById("vote-marks").textContent = "";
}

// The person's last vote before the names were shown counts.
function tellWhatCounts(now) {
  const hint = document.getElementById("vote-hint");
  const said = ballot.querySelector(`[name=winner][value=${now.counted ?? "none"}]`)?.parentElement.textContent;
  if (now.revealed && !now.vote) {
    hint.textContent = "You already know the names, so your vote is stored but does not count for ratings.";
  } else if (now.after_reveal) {
    hint.textContent = said
      ? `You changed your vote after the names were shown. For ratings, your earlier vote counts: ${said}.`
      : "You knew the names before you voted, so your vote is stored but does not count for ratings.";
  } else if (now.revealed) {
    hint.textContent = `The names are shown. You can still change your vote: the change is stored and marked, but for ratings your earlier vote counts: ${said}.`;
  } else if (now.vote) {
    hint.textContent = "You can change your vote. Your last vote before the names are shown counts.";
  }
}

ballot.addEventListener("change", () => { document.getElementById("vote-trouble").hidden = true; });
ballot.addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = new FormData(ballot);
  const trouble = document.getElementById("vote-trouble");
  trouble.hidden = Boolean(given.get("winner"));
  if (!given.get("winner")) return;
  const vote = Object.fromEntries([...given].filter(([, value]) => value !== ""));
  const counted = await tell("PUT", `${here}/vote`, { ...vote, marks });
  if (!counted) return;
  if (counted.after_reveal) toast("Your vote is stored. It does not count, because you knew the names.");
  else toast(counted.version === 1 ? "Your vote has been counted." : "Your vote has been changed.");
  voted();
  const now = await tell("GET", here);
  if (now) show(now);
  document.getElementById("revealed").scrollIntoView({ block: "center" });
});

function reveal(now) {
  const place = document.getElementById("revealed");
  if (!place.hidden) return; // shown (and announced by screen readers) only once
  const title = document.createElement("h2");
  title.textContent = "The agents were";
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
  const next = document.createElement("p");
  next.className = "row";
  for (const [path, text, kind] of [["/arena/new", "New battle", "button"], ["/leaderboard", "Leaderboard", "button plain"]]) {
    next.append(Object.assign(document.createElement("a"), { href: path, textContent: text, className: kind }));
  }
  place.replaceChildren(title, list, next);
  place.hidden = false;
}

// --- updates ----------------------------------------------------------------------------------------------------------

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
