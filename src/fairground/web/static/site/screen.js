// A seat on a page: its live screen and, if allowed, input from the person.

import { listen } from "./input.js";
import { Link } from "./link.js";

const MOST_PASTED = 20000;
const STATES = {
  connecting: "Connecting to the seat",
  live: "",
  trouble: "The seat's screen is not available",
  lost: "Disconnected. Reconnecting…",
  over: "This seat is closed.",
  stale: "The seat can no longer be reached. Reload this page.",
  full: "Too many pages show this seat. Close one and reload this page.",
};

// Shows a seat's stream in an element, as large as fits. The element's dataset holds the current `state`
// (connecting, live, trouble, lost, over, stale, full), `control` and `keys` (on, off), `frames` (how many).
//
// Options: `control`, whether to take control as soon as the server allows it; `fill`, whether the element has a height
// of its own (otherwise it gets the screen's aspect ratio); `label`, the accessible name; `probe`, see Link. Callbacks:
// onHello(news), onTrouble(trouble or null), onEnd(state), onState(state), onControl(on), onKeys(on),
// onCursor([x, y] or null), onScale(factor), onRefused(news), onTooLong(characters), onClipboard({ text, cut }).
//
// Returns { canvas, sink, close(), setControl(on), act(action), type(text), copy(), focus(), fit(), controls(), watching() }.
export function watch(element, streamUrl, { control = false, fill = false, label = "Live screen of the seat", probe = "", ...on } = {}) {
  const data = element.dataset;
  const [frame, canvas, sink, veil] = build(element, label);
  const context = canvas.getContext("2d", { alpha: false });
  const ending = new AbortController();
  let wanted = control;
  let allowed = false; // whether the server allows control
  let backend = "";
  let fitted = 1; // scale at which the whole screen fits
  let zoom = { by: 1, x: 0, y: 0 }; // additional zoom factor and offset

  const link = new Link(streamUrl, {
    hello(news) {
      // Setting the size clears the canvas, even if it is the same.
      if (String([canvas.width, canvas.height]) !== String(news.size)) [canvas.width, canvas.height] = news.size;
      [allowed, backend] = [news.control, news.backend];
      if (!fill) element.style.aspectRatio = news.size.join(" / ");
      setTrouble(null);
      on.onHello?.(news);
      setControl(wanted);
      fit();
    },
    async frame(bytes) {
      const type = bytes[0] === 0x89 ? "image/png" : "image/jpeg";
      const picture = await createImageBitmap(new Blob([bytes], { type }));
      context.drawImage(picture, 0, 0);
      picture.close();
      canvas.dataset.frames = data.frames = Number(data.frames ?? 0) + 1;
      canvas.dataset.type = type;
    },
    cursor: (news) => on.onCursor?.(news.at),
    trouble: (news) => setTrouble(news.trouble),
    refused: (news) => on.onRefused?.(news),
    clipboard: (news) => on.onClipboard?.(news),
    state(name) {
      setState(name);
      if (name !== "live") on.onTrouble?.(null);
      if (["over", "stale", "full"].includes(name)) on.onEnd?.(name);
    },
  }, probe);

  listen(canvas, sink, {
    act: (action) => link.act(action),
    type: (text) => link.type(text),
    paste: type,
    copy,
    allowed: controls,
    smooth: () => backend === "cdp",
    leave: () => on.onLeave?.(),
    pinch,
  }, ending.signal);
  for (const kind of ["focus", "blur"]) sink.addEventListener(kind, update);
  const sizes = new ResizeObserver(fit);
  sizes.observe(element);
  setState("connecting");
  data.blind = data.keys = "off";
  link.open();

  function close() {
    ending.abort();
    sizes.disconnect();
    link.close();
  }

  function watching() {
    return data.state === "live" || (data.state === "trouble" && data.blind !== "on");
  }

  function controls() {
    return allowed && wanted && watching();
  }

  function setControl(want) {
    wanted = want;
    const has = allowed && wanted;
    if (allowed) link.control(has);
    if (!has) sink.blur();
    sink.disabled = !has;
    update();
  }

  function setState(name) {
    data.state = name;
    veil.textContent = STATES[name];
    on.onState?.(name);
    update();
  }

  function setTrouble(found) {
    data.blind = found?.blind ? "on" : "off";
    setState(found ? "trouble" : "live");
    on.onTrouble?.(found);
  }

  function update() {
    const [has, keys] = [allowed && wanted ? "on" : "off", document.activeElement === sink && controls() ? "on" : "off"];
    [data.control, data.keys] = [has, keys];
    on.onControl?.(has === "on");
    on.onKeys?.(keys === "on");
  }

  function type(text) {
    const clean = text.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f]|\p{Surrogate}/gu, "");
    const length = Array.from(clean).length;
    if (length > MOST_PASTED) on.onTooLong?.(length, MOST_PASTED);
    else if (controls()) link.type(clean);
  }

  function copy() {
    if (controls()) link.copy();
  }

  // As large as fits, but not slightly enlarged, because that only blurs the image.
  function fit() {
    const whole = Boolean(document.fullscreenElement);
    const room = whole || !fill ? 0 : 8;
    const fits = Math.min((element.clientWidth - room) / canvas.width, (element.clientHeight - room) / canvas.height);
    const scale = fits > 1 && fits < 1.25 && !whole ? 1 : Math.max(fits, 0.05);
    const [width, height] = [canvas.width * scale, canvas.height * scale];
    // Aligned to device pixels, so that an unscaled image stays sharp.
    const { left, top } = element.getBoundingClientRect();
    const centred = (start, space, size) => Math.round(start + (space - size) / 2) - start;
    frame.style.width = `${width}px`;
    frame.style.height = `${height}px`;
    frame.style.left = `${centred(left + element.clientLeft, element.clientWidth, width)}px`;
    frame.style.top = `${centred(top + element.clientTop, element.clientHeight, height)}px`;
    // A zoomed view keeps its size when an on-screen keyboard opens.
    const again = zoom.by === 1 ? 0 : fitted / scale;
    fitted = scale;
    pinch(again, left + element.clientWidth / 2, top + element.clientHeight / 2, 0, 0);
  }

  // Zooms around a point of the window and pans; a factor of 0 resets the zoom.
  // Returns whether the view is zoomed and can be panned.
  function pinch(factor, x, y, dx, dy) {
    const before = zoom.by;
    const by = Math.min(Math.max(before * factor, 1), Math.max(1, 3 / fitted));
    const [width, height] = [frame.offsetWidth * by, frame.offsetHeight * by];
    const box = element.getBoundingClientRect();
    const [left, top] = [x - box.left - frame.offsetLeft, y - box.top - frame.offsetTop];
    // The point under the fingers stays there, within the edges of the image.
    const keep = (at, offset, moved) => at - ((at - offset) * by) / before + moved;
    const within = (offset, size, room, start) => size <= room ? (room - size) / 2 - start : Math.min(-start, Math.max(room - size - start, offset));
    zoom = {
      by,
      x: by === 1 ? 0 : within(keep(left, zoom.x, dx), width, element.clientWidth, frame.offsetLeft),
      y: by === 1 ? 0 : within(keep(top, zoom.y, dy), height, element.clientHeight, frame.offsetTop),
    };
    frame.style.transform = by === 1 ? "" : `translate(${zoom.x}px, ${zoom.y}px) scale(${by})`;
    on.onScale?.(fitted * by);
    return by > 1;
  }

  return {
    canvas, sink, close, setControl, type, copy, fit, controls, watching,
    act: (action) => link.act(action),
    focus: () => sink.focus({ preventScroll: true }),
  };
}

function build(element, label) {
  element.classList.add("screen");
  const make = (name, className, parent, attributes = {}) => {
    const made = document.createElement(name);
    made.className = className;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    parent.append(made);
    return made;
  };
  const frame = make("div", "screen-frame", element);
  const canvas = make("canvas", "screen-picture", frame, { role: "img", "aria-label": label, width: 1280, height: 720 });
  const sink = make("textarea", "screen-keys", frame, {
    "aria-label": "Keyboard of the seat: what you type goes to the app. Press Control+Alt+Escape to leave.",
    autocapitalize: "off", autocomplete: "off", autocorrect: "off", spellcheck: "false", rows: 1,
  });
  sink.disabled = true;
  const veil = make("span", "", make("div", "screen-veil", frame));
  return [frame, canvas, sink, veil];
}
