// The filmstrip of a replay: a clickable thumbnail per step. Only visible cells exist, and their
// images are fetched a few at a time while nothing else is loading: an episode of thousands of steps opens as fast as one of
// ten, and the strip delays no step.
import { make } from "./replay_dom.js";

const REST = 150; // milliseconds without scrolling
const AT_ONCE = 3; // parallel requests
const GAP = 6;
const HEIGHT = { broad: 52, tall: 84 };
const WIDTHS = [32, 120];
const BESIDE = 3; // extra cells beyond the visible ones

// `stage` sends the event "rest" when its image has loaded and nothing else is requested.
export function makeFilm(jump, stage) {
  const cells = make("div", { class: "film-cells" });
  const element = make("div", { class: "replay-film", role: "group", "aria-label": "Filmstrip", hidden: true }, cells);
  const drawn = new Map(); // index -> button
  let scenes = [];
  let data = null;
  let width = WIDTHS[1];
  let now = 0;
  let timer = 0;
  let rests = false; // whether the stage is idle
  let turn = 0; // fetch generation; every scroll starts a new one

  const pitch = () => width + GAP;

  function cell(place) {
    const scene = scenes[place];
    const label = scene.step ? `Step ${scene.number}: ${scene.words}` : scene.words;
    const number = make("span", { class: "film-n", "aria-hidden": "true" }, scene.step ? String(scene.number) : "end");
    const button = make("button", {
      type: "button", class: scene.step?.refused ? "film-cell refused" : "film-cell", "data-place": place, "aria-label": label, title: label,
    }, number, dot(scene));
    button.style.left = `${place * pitch()}px`;
    button.style.width = `${width}px`;
    mark(button, place === now);
    return button;
  }

  // Target of the action.
  function dot(scene) {
    const picture = data.pictures[scene.frame];
    const aim = scene.shapes.find((shape) => shape.kind !== "box")?.points[0];
    if (!picture || !aim) return null;
    const found = make("span", { class: "film-dot", "aria-hidden": "true" });
    found.style.left = `${(100 * aim[0]) / picture.width}%`;
    found.style.top = `${(100 * aim[1]) / picture.height}%`;
    return found;
  }

  const same = (one, other) => one && other && one.frame === other.frame && one.words === other.words;

  function mark(button, current) {
    button.tabIndex = current ? 0 : -1;
    if (current) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }

  function draw() {
    const first = Math.max(0, Math.floor(element.scrollLeft / pitch()) - BESIDE);
    const last = Math.min(scenes.length - 1, Math.ceil((element.scrollLeft + element.clientWidth) / pitch()) + BESIDE);
    for (const [place, button] of drawn) {
      if ((place < first || place > last) && place !== now) {
        button.remove();
        drawn.delete(place);
      }
    }
    for (let place = first; place <= last; place += 1) if (!drawn.has(place)) add(place);
    if (scenes.length && !drawn.has(now)) add(now); // keep the focused cell
    turn += 1;
    clearTimeout(timer);
    timer = setTimeout(load, REST);
  }

  function add(place) {
    const after = [...drawn.keys()].filter((other) => other > place);
    drawn.set(place, cell(place));
    cells.insertBefore(drawn.get(place), after.length ? drawn.get(Math.min(...after)) : null);
  }

  // Nearest to the current step first.
  function load() {
    if (!rests) return;
    const mine = turn;
    const waiting = [...drawn].filter(([place, button]) => data.pictures[scenes[place].frame] && !button.querySelector("img"));
    waiting.sort(([a], [b]) => Math.abs(a - now) - Math.abs(b - now));
    const worker = async () => { while (waiting.length && mine === turn) await fetchOne(...waiting.shift()); };
    for (let count = 0; count < AT_ONCE; count += 1) worker();
  }

  function fetchOne(place, button) {
    const image = make("img", { alt: button.title, draggable: "false", fetchpriority: "low" });
    return new Promise((done) => {
      image.addEventListener("load", done);
      image.addEventListener("error", () => done(image.remove())); // the stage shows errors of frames
      image.src = `${data.thumbnails}${scenes[place].frame}.webp`;
      button.prepend(image);
    });
  }

  cells.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) jump(Number(button.dataset.place));
  });
  element.addEventListener("scroll", draw, { passive: true });
  stage.element.addEventListener("rest", () => { rests = true; load(); });
  new ResizeObserver(draw).observe(element);

  return {
    element,
    open(given, found) {
      const before = scenes;
      const broad = width;
      data = given;
      scenes = data.thumbnails ? found : [];
      element.hidden = scenes.length < 2;
      const size = Object.values(data.pictures)[0] ?? { width: 16, height: 9 };
      const height = size.height > size.width ? HEIGHT.tall : HEIGHT.broad;
      width = Math.round(Math.min(WIDTHS[1], Math.max(WIDTHS[0], (height * size.width) / size.height)));
      element.style.setProperty("--film", `${height}px`);
      cells.style.width = `${scenes.length * pitch() - GAP}px`;
      for (const [place, button] of drawn) { // unchanged cells are kept: one may be pressed
        if (width === broad && same(before[place], scenes[place])) continue;
        button.remove();
        drawn.delete(place);
      }
      draw();
    },
    show(place) {
      if (!scenes.length) return;
      const held = cells.contains(document.activeElement);
      if (drawn.has(now)) mark(drawn.get(now), false);
      if (now !== place) rests = false;
      now = place;
      const left = place * pitch();
      const room = element.clientWidth - width;
      if (left < element.scrollLeft + pitch() || left > element.scrollLeft + room - pitch()) element.scrollLeft = left - room / 2;
      draw();
      mark(drawn.get(now), true);
      if (held) drawn.get(now).focus({ preventScroll: true });
    },
  };
}
