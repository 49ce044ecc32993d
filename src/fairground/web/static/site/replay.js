// Replays of episodes for any page.
//
//   mountReplay(element, { source, first?, title?, marks?, marked?, onMark?, hash?, anonymous? })
//     Plays one episode. `source` is the address of its data (`replay_data` on the server); `first` is the data of its
//     first steps, shown until the rest has arrived. `marks`: names of marks that a
//     person may give a step, or true for all; `marked`: existing marks, [{step, mark}]; `onMark(step, mark)`: called for
//     each change, with null when a mark is removed. Steps are counted from 0, as in the recording. `hash`: the page's URL
//     follows the step (#step-12); never if `anonymous`.
//   mountSideBySide(element, sources, { mode: "step" | "time", marks?, marked?, onMark? })
//     Plays two (or more) together, synchronised by step or by time. Each source is a URL or {url, title}. `marked`
//     has [{source, step, mark}] and `onMark` gets (source, step, mark), where `source` is the place in `sources`.
//
// Both return {ready, show(place), play(), stop(), reload(), destroy()}; `ready` is a promise that rejects with a readable message.
import { makeControls } from "./replay_controls.js";
import { make } from "./replay_dom.js";
import { makeFilm } from "./replay_film.js";
import { load, makeStage } from "./replay_stage.js";

const BLOCK = 500; // maximum number of steps in the list, because thousands of rows would be slow

export function mountReplay(element, options) {
  const { source, first = null, title = "", marks, marked, onMark, hash = false, anonymous = false } = options;
  const linked = hash && !anonymous;
  const stage = makeStage({ title, marks, marked, onMark });
  const list = makeList((place) => controls.jump(place), stage);
  const film = makeFilm((place) => controls.jump(place), stage);
  const share = linked ? make("button", { type: "button", class: "plain replay-share" }, "Copy link") : null;
  const controls = makeControls({ show: (place) => { stage.show(place); list.show(place); film.show(place); remember(place); }, more: share ? [share] : [] });
  const trouble = make("p", { class: "note bad", role: "alert", hidden: true });
  const root = make("section", { class: "replay", "aria-label": title || "Replay" },
    trouble, stage.element, controls.element, film.element, list.element);
  let later = 0;

  function remember(place) {
    if (!linked) return;
    clearTimeout(later); // debounced: browsers reject hundreds of URL changes in a row
    later = setTimeout(() => history.replaceState(null, "", `#step-${place + 1}`), 150);
  }

  function wanted() {
    const found = linked && /^#step-(\d{1,6})$/.exec(location.hash);
    return found ? Number(found[1]) - 1 : 0;
  }

  function momentsOf(data) {
    stage.open(data);
    list.open(stage.scenes);
    film.open(data, stage.scenes);
    root.dataset.ready = "yes";
    return stage.scenes.map((scene) => ({
      hold: scene.hold, words: scene.words, label: scene.step ? `${scene.number} of ${data.total}` : "end",
    }));
  }

  async function open(at) {
    try {
      const moments = momentsOf(await load(source));
      if (at) controls.use(moments, at());
      else {
        controls.grow(moments); // keeps a running playback or drag of the scrubber
        list.show(controls.place);
        film.show(controls.place);
      }
    } catch (error) {
      trouble.textContent = error.message;
      trouble.hidden = false;
      throw error;
    }
  }

  async function copy() {
    const address = `${location.origin}${location.pathname}${location.search}#step-${controls.place + 1}`;
    try {
      await navigator.clipboard.writeText(address);
      share.textContent = "Copied";
      setTimeout(() => { share.textContent = "Copy link"; }, 2000);
    } catch { // not permitted: show it for manual copying
      const box = make("input", { readonly: true, value: address, "aria-label": "Link to this step", class: "replay-link" });
      share.replaceWith(box);
      box.select();
    }
  }

  const follow = () => { if (location.hash.startsWith("#step-")) controls.jump(wanted()); };
  if (linked) {
    addEventListener("hashchange", follow);
    share.addEventListener("click", copy);
  }
  const unlisten = controls.listen(root);
  element.replaceChildren(root);
  const early = Boolean(first?.steps.length > wanted());
  if (early) controls.use(momentsOf(first), wanted());
  const ready = open(early ? null : wanted);
  ready.catch(() => {}); // the page shows the error
  return {
    ready,
    show: controls.jump,
    play: controls.toggle,
    stop: controls.stop,
    reload: () => open(() => Math.max(0, controls.place)),
    destroy() {
      controls.stop();
      clearTimeout(later);
      removeEventListener("hashchange", follow);
      unlisten();
      root.remove();
    },
  };
}

export function mountSideBySide(element, sources, { mode = "step", marks, marked = [], onMark, title = "Side by side" } = {}) {
  const named = sources.map((one) => (typeof one === "string" ? { url: one } : one));
  const stages = named.map((one, place) => makeStage({
    title: one.title ?? `Episode ${String.fromCharCode(65 + place)}`,
    marks,
    marked: marked.filter((given) => given.source === place),
    onMark: onMark && ((step, mark) => onMark(place, step, mark)),
  }));
  const choice = make("select", { "aria-label": "Synchronise", class: "replay-mode" },
    make("option", { value: "step", selected: mode === "step" }, "by step"),
    make("option", { value: "time", selected: mode === "time" }, "by time"));
  let moments = [];
  const controls = makeControls({
    show: (place) => stages.forEach((stage, one) => { if (moments[place].places[one] !== stage.place) stage.show(moments[place].places[one]); }),
    more: [choice],
  });
  const trouble = make("p", { class: "note bad", role: "alert", hidden: true });
  const root = make("section", { class: "replay side-by-side", "aria-label": title },
    trouble, controls.element, make("div", { class: "replay-pair" }, stages.map((stage) => stage.element)));

  function arrange() {
    const shown = moments[controls.place]?.places;
    moments = choice.value === "time" ? inTime(stages) : inStep(stages);
    // Keeps the current position when the mode changes.
    const near = shown ? moments.findIndex(({ places }) => places.every((one, side) => one >= shown[side])) : 0;
    controls.use(moments, near < 0 ? moments.length - 1 : near);
  }

  async function open() {
    const found = await Promise.allSettled(named.map((one) => load(one.url)));
    const bad = found.filter((one) => one.status === "rejected").map((one) => one.reason.message);
    trouble.textContent = bad.join(" ");
    trouble.hidden = !bad.length;
    found.forEach((one, place) => { if (one.status === "fulfilled") stages[place].open(one.value); });
    choice.hidden = found.some((one) => one.value && !one.value.about); // an anonymous replay has no times
    arrange();
    root.dataset.ready = "yes";
    if (bad.length) throw new Error(bad.join(" "));
  }

  choice.addEventListener("change", arrange);
  const unlisten = controls.listen(root);
  element.replaceChildren(root);
  const ready = open();
  ready.catch(() => {}); // the page shows the error
  return {
    ready,
    get scenes() { return stages.map((stage) => stage.scenes); },
    show: controls.jump,
    play: controls.toggle,
    stop: controls.stop,
    reload: open,
    destroy() {
      controls.stop();
      unlisten();
      root.remove();
    },
  };
}

// One moment per step; an episode that has ended stays at its end.
function inStep(stages) {
  const length = Math.max(0, ...stages.map((stage) => stage.scenes.length));
  return Array.from({ length }, (_, place) => {
    const places = stages.map((stage) => Math.min(place, stage.scenes.length - 1));
    const scenes = places.map((one, side) => stages[side].scenes[one]).filter(Boolean);
    const words = scenes.map((scene) => scene.words).join("; ");
    return { places, hold: Math.max(...scenes.map((scene) => scene.hold)), label: `${place + 1} of ${length}`, words };
  });
}

// One moment per change on either side.
function inTime(stages) {
  const times = [...new Set(stages.flatMap((stage) => stage.scenes.map((scene) => scene.begins)))].sort((a, b) => a - b);
  const last = times.at(-1) ?? 0;
  const places = stages.map(() => 0);
  return times.map((time, index) => {
    stages.forEach((stage, side) => {
      while (stage.scenes[places[side] + 1]?.begins <= time) places[side] += 1;
    });
    const words = places.map((one, side) => stages[side].scenes[one]?.words).filter(Boolean).join("; ");
    const hold = index + 1 < times.length ? times[index + 1] - time : 1;
    return { places: [...places], hold, label: `${time.toFixed(1)} of ${last.toFixed(1)} s`, words };
  });
}

// The list of steps, one block at a time. One row is in the tab order; the up and down keys move from there.
function makeList(jump, stage) {
  const rows = make("ol", {});
  const element = make("nav", { class: "replay-list", "aria-label": "Steps" }, rows);
  let scenes = [];
  let first = -1;
  let now = null;

  function row(scene, place) {
    const mark = scene.step ? stage.markOf(place) : null;
    const button = make("button", { type: "button", tabindex: "-1", "data-place": place },
      make("span", { class: "replay-n" }, scene.step ? String(scene.number) : "end"),
      make("span", { class: scene.step?.refused ? "replay-words refused" : "replay-words", dir: "auto" }, scene.words),
      make("span", { class: "pill", "data-mark": true, hidden: !mark }, mark ?? ""),
      make("span", { class: "replay-at" }, `${scene.begins.toFixed(1)} s`));
    return make("li", {}, button);
  }

  function around(place, label) {
    const button = make("button", { type: "button", class: "replay-around", "data-place": place }, label);
    return make("li", {}, button);
  }

  function fill(block) {
    first = block;
    const end = Math.min(scenes.length, block + BLOCK);
    rows.replaceChildren(...scenes.slice(block, end).map((scene, at) => row(scene, block + at)));
    if (block > 0) rows.prepend(around(block - 1, `The ${BLOCK} before`));
    if (end < scenes.length) rows.append(around(end, `The next ${Math.min(BLOCK, scenes.length - end)}`));
    now = null;
  }

  rows.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) jump(Number(button.dataset.place));
  });
  rows.addEventListener("keydown", (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || !now) return;
    event.preventDefault();
    jump(Number(now.dataset.place) + by);
    now.focus({ preventScroll: true });
  });
  stage.element.addEventListener("marked", ({ detail }) => {
    const pill = rows.querySelector(`button[data-place="${detail.step}"] [data-mark]`);
    if (!pill) return;
    pill.textContent = detail.mark ?? "";
    pill.hidden = !detail.mark;
  });

  return {
    element,
    open(given) {
      scenes = given;
      first = -1;
      element.hidden = !scenes.length;
      rows.classList.toggle("long", scenes.length > 60);
    },
    show(place) {
      const block = Math.floor(place / BLOCK) * BLOCK;
      const held = rows.contains(document.activeElement);
      if (block !== first) fill(block);
      now?.removeAttribute("aria-current");
      now?.setAttribute("tabindex", "-1");
      now = rows.querySelector(`button[data-place="${place}"]:not(.replay-around)`);
      now.setAttribute("aria-current", "step");
      now.setAttribute("tabindex", "0");
      const box = rows.getBoundingClientRect();
      const own = now.getBoundingClientRect();
      if (own.top < box.top + 8 || own.bottom > box.bottom - 8) rows.scrollTop += own.top - box.top - box.height / 2;
      if (held) now.focus({ preventScroll: true });
    },
  };
}
