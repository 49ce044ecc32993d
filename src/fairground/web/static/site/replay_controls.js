// Replay controls: buttons, scrubber, keys and playback over a list of moments.
import { iconButton, make } from "./replay_dom.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];
const KEYS = [
  [["←", "→"], "previous step, next step"],
  [["Shift ←", "Shift →"], "ten steps"],
  [["Space"], "play, pause"],
  [["Home", "End"], "first step, last step"],
  [["+", "−"], "faster, slower"],
  [["?"], "show these keys"],
];
const PATHS = {
  back: "M15.5 5 8 12l7.5 7z", next: "M8.5 5 16 12l-7.5 7z", play: "M8 5v14l11-7z", pause: "M7 5h4v14H7zm6 0h4v14h-4z",
};
const mounted = []; // keys go to the replay with the focus, otherwise to the first one

/* Controls over `moments`, each {hold: seconds, label: "3 of 12", words: for screen readers}.
   `show(place)` is called whenever another moment is to be seen. */
export function makeControls({ show, more = [] }) {
  const back = iconButton("Previous step", PATHS.back);
  const play = iconButton("Play", PATHS.play, { class: "replay-icon replay-play" });
  const next = iconButton("Next step", PATHS.next);
  const scrubber = make("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step", class: "replay-scrubber" });
  const where = make("output", { class: "replay-where" });
  const speeds = SPEEDS.map((one) => make("option", { value: one, selected: one === 1 }, `${one}×`));
  const speed = make("select", { "aria-label": "Speed", class: "replay-speed" }, speeds);
  const help = make("button", { type: "button", class: "plain replay-help", "aria-label": "Keys", title: "Keys" }, "?");
  const sheet = helpSheet();
  const element = make("div", { class: "replay-controls", role: "group", "aria-label": "Controls" },
    back, play, next, scrubber, where, speed, ...more, help, sheet);
  let moments = [];
  let place = -1;
  let timer = 0;

  function go(wanted) {
    if (!moments.length) return;
    const found = Math.max(0, Math.min(moments.length - 1, wanted));
    if (found !== place) {
      place = found;
      scrubber.value = String(place);
      scrubber.setAttribute("aria-valuetext", `${moments[place].label}: ${moments[place].words}`);
      where.value = moments[place].label;
      show(place);
    }
    back.disabled = place === 0;
    next.disabled = place === moments.length - 1;
  }

  function stop() {
    clearTimeout(timer);
    timer = 0;
    sign(false);
  }

  function sign(playing) {
    element.classList.toggle("playing", playing);
    where.setAttribute("aria-live", playing ? "off" : "polite"); // do not announce every step during playback
    play.setAttribute("aria-label", playing ? "Pause" : "Play");
    play.title = playing ? "Pause" : "Play";
    play.querySelector("path").setAttribute("d", playing ? PATHS.pause : PATHS.play);
  }

  function tick() {
    if (place >= moments.length - 1) return stop();
    timer = setTimeout(() => { go(place + 1); tick(); }, (1000 * moments[place].hold) / Number(speed.value));
  }

  function toggle() {
    if (timer) return stop();
    if (!moments.length) return;
    if (place === moments.length - 1) go(0);
    sign(true);
    tick();
  }

  function jump(wanted) {
    stop();
    go(wanted);
  }

  function pace(by) {
    speed.selectedIndex = Math.max(0, Math.min(SPEEDS.length - 1, speed.selectedIndex + by));
    repace();
  }

  function repace() {
    if (!timer) return;
    clearTimeout(timer);
    tick();
  }

  back.addEventListener("click", () => jump(place - 1));
  next.addEventListener("click", () => jump(place + 1));
  play.addEventListener("click", toggle);
  scrubber.addEventListener("input", () => jump(Number(scrubber.value)));
  speed.addEventListener("change", repace);
  help.addEventListener("click", () => sheet.showModal());

  const controls = {
    element,
    jump,
    stop,
    toggle,
    get place() { return place; },
    get count() { return moments.length; },
    // Appends moments without interrupting playback or dragging.
    grow(given) {
      moments = given;
      scrubber.max = String(Math.max(0, moments.length - 1));
      next.disabled = place === moments.length - 1;
    },
    // Replaces the moments; `at` is the new position.
    use(given, at = 0) {
      const going = Boolean(timer);
      stop();
      moments = given;
      place = -1;
      scrubber.max = String(Math.max(0, moments.length - 1));
      element.toggleAttribute("data-empty", !moments.length);
      for (const one of [back, play, next, scrubber]) one.disabled = !moments.length;
      go(at);
      if (going) toggle();
    },
    keys: {
      ArrowLeft: (shift) => jump(place - (shift ? 10 : 1)),
      ArrowRight: (shift) => jump(place + (shift ? 10 : 1)),
      Home: () => jump(0),
      End: () => jump(moments.length - 1),
      " ": toggle,
      "+": () => pace(1),
      "=": () => pace(1),
      "-": () => pace(-1),
      "?": () => sheet.showModal(),
    },
    // Handles keys within `root`, and on the whole page for the first replay.
    listen(root) {
      const one = { root, keys: controls.keys };
      mounted.push(one);
      return () => mounted.splice(mounted.indexOf(one), 1);
    },
  };
  return controls;
}

function helpSheet() {
  const rows = KEYS.map(([keys, does]) => [make("dt", {}, keys.map((key) => make("kbd", {}, key))), make("dd", {}, does)]);
  const close = make("button", { type: "submit", class: "plain" }, "Close");
  return make("dialog", { class: "replay-sheet", "aria-label": "Keys of the replay" },
    make("form", { method: "dialog" }, make("strong", {}, "Keys"), make("dl", {}, rows), close));
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  const target = event.target instanceof Element ? event.target : document.body;
  const own = target.closest("input, textarea, select, video, [contenteditable], dialog");
  const range = own?.matches("input[type=range]");
  if (own && !range) return;
  const moves = ["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key);
  if (range && moves && !event.shiftKey) return; // handled by the range input
  if (moves && target.closest("pre, .scrolls")) return; // leave keys to scrollable elements
  if (event.key === " " && target.closest("button, a, summary")) return;
  const one = mounted.find(({ root }) => root.contains(target)) ?? mounted[0];
  const does = one?.keys[event.key];
  if (!does) return;
  event.preventDefault();
  does(event.shiftKey);
});
