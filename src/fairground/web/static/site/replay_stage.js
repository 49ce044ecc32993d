// The stage of a replay: one scene of an episode, with the action drawn on the frame, and its texts.
import { make, svg } from "./replay_dom.js";

const AHEAD = 4; // frames to prefetch
const REST = 100; // milliseconds without another request
const MARKS = ["good", "grounding", "planning", "irrelevant", "misaligned", "hallucination", "harmful", "other"];

// Scenes: every step with the frame that the agent saw before it, and the final screen.
export function scenesOf(data) {
  const scenes = data.steps.map((step) => ({ ...step, step }));
  if (data.end) {
    scenes.push({ ...data.end, number: scenes.length + 1, words: "Final screen", caption: "", shapes: [], step: null });
  }
  return scenes;
}

// Fetches an episode's data. Throws an Error with a readable message.
export async function load(url) {
  let answer;
  try {
    answer = await fetch(url, { headers: { Accept: "application/json" } });
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  const said = await answer.json().catch(() => null);
  if (!answer.ok) throw new Error([said?.error ?? `The server returned status ${answer.status}`, said?.fix].filter(Boolean).join(". "));
  return said;
}

/* A stage. Options: `marks` (names of the marks a person may give a step, true for all, or nothing), `marked` (what was
   given before: [{step, mark}], steps counted from 0), `onMark(step, mark)` (mark is null when it is taken back). */
export function makeStage({ title = "", marks = null, marked = [], onMark = null } = {}) {
  const names = marks === true ? MARKS : (marks ?? []);
  const given = new Map(marked.map((one) => [one.step, one.mark]));
  const image = make("img", { alt: "", draggable: "false" });
  const drawing = svg("svg", { "aria-hidden": "true" });
  const typed = make("div", { class: "replay-typed", dir: "auto", hidden: true });
  const lost = make("div", { class: "replay-lost", hidden: true });
  const frame = make("div", { class: "replay-frame" }, image, drawing, typed, lost);
  const about = make("div", { class: "replay-about", "data-title": title || null });
  const heading = title ? make("p", { class: "replay-title", dir: "auto" }, title) : null;
  const shot = make("div", { class: "replay-shot" }, frame);
  let scenes = [];
  let pictures = {};
  let place = -1;

  const loader = makeLoader(
    (scene, url) => draw(scene, url),
    (scene, why) => draw(scene, null, why),
    () => scenes.slice(place + 1, place + 1 + AHEAD).map((one) => pictures[one.frame]?.url).filter(Boolean),
    () => element.dispatchEvent(new Event("rest")),
  );

  function draw(scene, url, why = "") {
    const picture = pictures[scene.frame];
    const { width, height, unit } = picture ?? { width: 1280, height: 720, unit: 1 };
    frame.style.setProperty("--w", width);
    frame.style.setProperty("--h", height);
    if (url) image.src = url;
    image.hidden = !url;
    image.alt = scene.step ? `What the agent saw before step ${scene.number}: ${scene.words}` : "The screen at the end";
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.replaceChildren(...scene.shapes.flatMap((shape) => drawn(shape, unit)));
    typed.textContent = scene.caption;
    typed.hidden = !scene.caption;
    lost.textContent = why;
    lost.hidden = !why;
    shot.dataset.shown = scene.number; // the scene of the loaded image, which appears slightly after its text
  }

  function markButtons(scene) {
    if (!names.length || !scene.step) return null;
    const index = scene.number - 1;
    const buttons = names.map((name) => {
      const button = make("button", { type: "button", class: "replay-mark", "aria-pressed": String(given.get(index) === name) }, name);
      button.addEventListener("click", () => {
        const mark = given.get(index) === name ? null : name;
        if (mark) given.set(index, mark);
        else given.delete(index);
        for (const one of buttons) one.setAttribute("aria-pressed", String(one.textContent === mark));
        element.dispatchEvent(new CustomEvent("marked", { detail: { step: index, mark } }));
        onMark?.(index, mark);
      });
      return button;
    });
    return make("div", { class: "replay-marks", role: "group", "aria-label": `Marks of step ${scene.number}` }, buttons);
  }

  function show(wanted) {
    place = Math.max(0, Math.min(scenes.length - 1, wanted));
    const scene = scenes[place];
    if (!scene) return;
    about.replaceChildren(...said(scene), ...[markButtons(scene)].filter(Boolean));
    const picture = pictures[scene.frame];
    if (picture) loader.want(scene, picture.url);
    else loader.none(scene, "This frame is missing: it was not recorded, or was lost.");
  }

  const element = make("div", { class: "replay-stage", role: "group", "aria-label": title || "Episode" }, heading, shot, about);
  return {
    element,
    show,
    get place() { return place; },
    get scenes() { return scenes; },
    markOf: (index) => given.get(index) ?? null,
    open(data) {
      scenes = scenesOf(data);
      pictures = data.pictures;
      const first = Object.values(pictures)[0];
      element.classList.toggle("tall", Boolean(first && first.height > first.width));
      if (first) {
        frame.style.setProperty("--w", first.width);
        frame.style.setProperty("--h", first.height);
      }
      if (!scenes.length) about.replaceChildren(make("p", { class: "muted" }, "This episode has no recorded steps yet."));
    },
  };
}

// Loads one image at a time and keeps only the latest request meanwhile, so that scrubbing over 500 frames
// neither floods the server nor lags. The next frames are prefetched when idle, which is announced with an event.
function makeLoader(shown, failed, next, rested) {
  let current = null; // the requested scene
  let wish = null;
  let busy = false;
  let later = 0;
  let ahead = []; // keeps references, so that they stay cached

  async function run() {
    busy = true;
    while (wish) {
      const { scene, url } = wish;
      wish = null;
      const image = new Image();
      image.src = url;
      try {
        await image.decode();
        if (scene === current || wish) shown(scene, url);
      } catch {
        const why = await reason(url, () => wish);
        if (scene !== current) continue;
        if (why) failed(scene, why);
        else wish ??= { scene, url };
      }
    }
    busy = false;
    rest();
  }

  function rest() {
    later = setTimeout(() => {
      ahead = next().map((url) => Object.assign(new Image(), { src: url }));
      rested();
    }, REST);
  }

  return {
    want(scene, url) {
      clearTimeout(later);
      current = scene;
      wish = { scene, url };
      if (!busy) run();
    },
    none(scene, why) {
      clearTimeout(later);
      current = scene;
      wish = null;
      failed(scene, why);
      rest();
    },
  };
}

// Why an image failed to load; null if a retry is worthwhile.
async function reason(url, overtaken) {
  let answer;
  try {
    answer = await fetch(url);
  } catch {
    return "The server does not answer. Is it still running?";
  }
  if (answer.status === 429) {
    const wait = 1000 * Number(answer.headers.get("Retry-After") ?? 1);
    await new Promise((done) => setTimeout(done, overtaken() ? 0 : wait));
    return "";
  }
  if (answer.ok) return "This frame is damaged and cannot be shown.";
  return answer.status === 404 ? "This frame is missing." : `This frame cannot be shown: the server returned status ${answer.status}.`;
}

// --- texts ------------------------------------------------------------------------------------------------------------

function said(scene) {
  const step = scene.step;
  const number = step ? make("span", { class: "replay-number" }, `Step ${scene.number}`) : null;
  const parts = [make("p", { class: "replay-does" }, number, make("bdi", {}, scene.words))];
  if (!step) return parts;
  if (step.refused) parts.push(why(`Refused: ${step.refused}`));
  if (step.text) parts.push(make("pre", { class: "replay-text", dir: "auto", tabindex: "0", "aria-label": "Full text" }, step.text));
  if (step.thought) {
    parts.push(make("blockquote", { class: "replay-thought", dir: "auto", tabindex: "0", "aria-label": "The agent's thought" }, step.thought));
  }
  for (const message of step.messages) parts.push(why(`Message from the environment: ${message}`));
  parts.push(make("ul", { class: "replay-chips", "aria-label": "Times" }, times(step)));
  if (step.tree) parts.push(treeOf(step));
  return parts;
}

function why(text) {
  return make("p", { class: "replay-why", dir: "auto", tabindex: text.length > 200 ? "0" : null }, text); // long texts scroll
}

function times(step) {
  if (step.act_ms === null) return []; // anonymous replays have no times
  const chips = [[`at ${step.begins.toFixed(1)} s`]];
  if (step.agent_ms) chips.push([`agent ${ms(step.agent_ms)}`]);
  if (step.act_ms !== null) chips.push([`act ${ms(step.act_ms)}`]);
  if (step.settle_ms !== null) {
    chips.push(step.settled ? [`settled in ${ms(step.settle_ms)}`] : [`not settled after ${ms(step.settle_ms)}`, "late"]);
  }
  return chips.map(([text, kind]) => make("li", { class: kind }, text));
}

function treeOf(step) {
  const shown = make("pre", { dir: "auto", tabindex: "0", "aria-label": "Accessibility tree" });
  const box = make("details", { class: "replay-tree" }, make("summary", {}, "Accessibility tree"), shown);
  box.addEventListener("toggle", async () => {
    if (!box.open || shown.textContent) return;
    const answer = await fetch(step.tree).catch(() => null);
    shown.textContent = answer?.ok ? (await answer.text()).slice(0, 400_000) : "The accessibility tree cannot be read.";
  });
  return box;
}

function ms(amount) {
  return amount < 1000 ? `${Math.round(amount)} ms` : `${(amount / 1000).toFixed(1)} s`;
}

// --- drawing of actions -----------------------------------------------------------------------------------------------

function drawn(shape, unit) {
  const line = (points) => points.map(([x, y]) => `${x},${y}`).join(" ");
  const both = (name, width, attributes) => [
    svg(name, { class: "replay-halo", "stroke-width": (width + 4) * unit, ...attributes }),
    svg(name, { class: "replay-ink", "stroke-width": width * unit, ...attributes }),
  ];
  const [[x, y]] = shape.points;
  if (shape.kind === "ring") {
    const rings = Array.from({ length: shape.count }, (_, turn) => both("circle", 4, { cx: x, cy: y, r: (17 + 9 * turn) * unit }));
    const dot = svg("circle", { class: "replay-ink solid", "stroke-width": 0, cx: x, cy: y, r: 3.5 * unit });
    const pulse = svg("circle", { class: "replay-ink replay-pulse", "stroke-width": 3 * unit, cx: x, cy: y, r: 17 * unit });
    return [...rings.flat(), dot, pulse];
  }
  if (shape.kind === "box") {
    const [right, bottom] = shape.points[1];
    return both("rect", 4, { x, y, width: right - x, height: bottom - y });
  }
  const [halo, ink] = both("polyline", 4.5, { points: line(shape.points) });
  if (!shape.head.length) return [halo, ink];
  const head = { points: line(shape.head) };
  const back = svg("polygon", { class: "replay-halo solid", "stroke-width": 6 * unit, ...head });
  return [halo, back, ink, svg("polygon", { class: "replay-ink solid", "stroke-width": 2 * unit, ...head })];
}
