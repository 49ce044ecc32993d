// Converts mouse, touch and keyboard input to actions of the seat.

const BUTTONS = ["left", "middle", "right", "back", "forward"];
const HELD = { Control: "ctrl", Alt: "alt", Shift: "shift", Meta: "super" };
// The typed text already contains their effect, so they are not sent to the seat.
const LEFT_TO_THE_BROWSER = new Set(["CapsLock", "NumLock", "Fn", "FnLock", "Dead", "Process", "Unidentified", "Compose", "AltGraph"]);
const NOTCH = 100; // pixels that browsers report per wheel click
const LINES = 3; // lines per wheel click
const HOLD = 550; // milliseconds of a long press, which is a right click
const SLACK = 10; // maximum movement of a tap in pixels
const SENTINEL = "\u200b"; // kept in the sink, so that on-screen keyboards have something to delete
const MAC = /Mac|iPhone|iPad/.test(navigator.platform);

// The seat's pixel at a point of the window, rounded down because a pixel is an area; clamped to the screen.
export function pixel(canvas, clientX, clientY) {
  const box = canvas.getBoundingClientRect();
  const along = (at, start, length, count) => Math.min(count - 1, Math.max(0, Math.floor(((at - start) / length) * count)));
  return [along(clientX, box.left, box.width, canvas.width), along(clientY, box.top, box.height, canvas.height)];
}

// `seat` has act(action), type(text), paste(text), copy(), allowed(), smooth() (whether it scrolls by pixels), leave(),
// and pinch(factor, x, y, dx, dy), which zooms and pans and returns whether the view is zoomed. `signal` removes listeners.
export function listen(canvas, sink, seat, signal) {
  const lone = { key: null };
  mouse(canvas, sink, seat, lone, signal);
  touch(canvas, seat);
  keyboard(sink, seat, lone);
}

function modifiers(event) {
  return [event.ctrlKey && "ctrl", event.altKey && "alt", event.shiftKey && "shift", event.metaKey && "super"].filter(Boolean);
}

function mouse(canvas, sink, seat, lone, signal) {
  const down = new Set();
  const wheel = { x: 0, y: 0 };
  // Mouse events have integer coordinates; the pointer event before each of them is more precise.
  let spot = { clientX: 0, clientY: 0 };
  for (const kind of ["pointerdown", "pointermove", "pointerup"]) addEventListener(kind, (event) => { spot = event; }, { capture: true, signal });
  const at = (event) => {
    const near = Math.abs(event.clientX - spot.clientX) < 1 && Math.abs(event.clientY - spot.clientY) < 1;
    const { clientX, clientY } = near ? spot : event;
    return { point: pixel(canvas, clientX, clientY), modifiers: modifiers(event) };
  };

  canvas.addEventListener("mousedown", (event) => {
    event.preventDefault();
    if (!seat.allowed()) return;
    place(sink, canvas, event);
    sink.focus({ preventScroll: true });
    lone.key = null;
    const button = BUTTONS[event.button];
    if (!button) return;
    move();
    down.add(button);
    seat.act({ kind: "mouse_down", button, ...at(event) });
  });
  // On the window, so that a button pressed on the screen can be released anywhere.
  addEventListener("mouseup", (event) => {
    const button = BUTTONS[event.button];
    if (!down.has(button)) return;
    event.preventDefault();
    move();
    down.delete(button);
    seat.act({ kind: "mouse_up", button, ...at(event) });
  }, { signal });
  let pending = null;
  addEventListener("mousemove", (event) => {
    if (!seat.allowed() || (event.target !== canvas && !down.size)) return;
    // At most one move per animation frame.
    if (!pending) requestAnimationFrame(move);
    pending = at(event);
  }, { signal });
  const move = () => {
    if (!pending) return;
    // Modifiers matter for a drag, but not for plain pointer movement.
    seat.act(down.size ? { kind: "move", ...pending } : { kind: "move", point: pending.point });
    pending = null;
  };
  addEventListener("blur", () => {
    for (const button of down) seat.act({ kind: "mouse_up", button });
    down.clear();
  }, { signal });
  for (const kind of ["contextmenu", "auxclick", "dragstart"]) canvas.addEventListener(kind, (event) => event.preventDefault());

  canvas.addEventListener("wheel", (event) => {
    if (!seat.allowed()) return; // in view-only mode the page scrolls
    event.preventDefault();
    lone.key = null;
    const per = [NOTCH, LINES, 1][event.deltaMode];
    if (seat.smooth()) {
      const scale = event.deltaMode === 0 ? 1 : 120 / per;
      seat.act({ kind: "scroll", unit: "pixels", dx: event.deltaX * scale, dy: event.deltaY * scale, ...at(event) });
      return;
    }
    const dx = clicks(wheel, "x", event.deltaX / per);
    const dy = clicks(wheel, "y", event.deltaY / per);
    if (dx || dy) seat.act({ kind: "scroll", unit: "clicks", dx, dy, ...at(event) });
  }, { passive: false });
}

// Converts partial wheel movements to whole clicks; the remainder counts towards the next one.
function clicks(wheel, axis, amount) {
  if (!amount) return 0;
  if (Math.sign(amount) !== Math.sign(wheel[axis])) wheel[axis] = 0;
  wheel[axis] += amount;
  const whole = Math.trunc(Math.round(wheel[axis] * 100) / 100);
  wheel[axis] -= whole;
  return whole;
}

function touch(canvas, seat) {
  let first = null; // start of a touch, until its gesture is known
  let dragging = false;
  let timer = 0;
  let two = null; // midpoint and distance of two fingers
  let began = 1;
  let pinching = false;
  const wheel = { x: 0, y: 0 };
  const point = (finger) => pixel(canvas, finger.clientX, finger.clientY);
  const forget = () => { clearTimeout(timer); first = null; };

  canvas.addEventListener("touchstart", (event) => {
    if (!seat.allowed()) return;
    event.preventDefault();
    if (event.touches.length === 1) {
      const finger = first = event.touches[0];
      timer = setTimeout(() => { forget(); seat.act({ kind: "click", button: "right", point: point(finger) }); }, HOLD);
    } else {
      forget();
      if (dragging) seat.act({ kind: "mouse_up", button: "left" });
      dragging = false;
      two = event.touches.length === 2 ? middle(event.touches) : null;
      [began, pinching] = [two?.apart, false];
    }
  }, { passive: false });

  canvas.addEventListener("touchmove", (event) => {
    if (!seat.allowed()) return;
    event.preventDefault();
    if (two && event.touches.length === 2) {
      const now = middle(event.touches);
      // Two fingers scroll until their distance has clearly changed.
      pinching ||= Math.abs(Math.log(now.apart / began)) > 0.2;
      const moved = [now.clientX - two.clientX, now.clientY - two.clientY];
      if (seat.pinch(pinching ? now.apart / two.apart : 1, now.clientX, now.clientY, ...moved) || pinching) {
        two = now;
        return;
      }
      const dx = clicks(wheel, "x", (two.clientX - now.clientX) / 40);
      const dy = clicks(wheel, "y", (two.clientY - now.clientY) / 40);
      two = now;
      if (dx || dy) seat.act({ kind: "scroll", unit: "clicks", dx, dy, point: point(now) });
      return;
    }
    const finger = event.touches[0];
    if (first && Math.hypot(finger.clientX - first.clientX, finger.clientY - first.clientY) > SLACK) {
      seat.act({ kind: "mouse_down", button: "left", point: point(first) });
      dragging = true;
      forget();
    }
    if (dragging) seat.act({ kind: "move", point: point(finger) });
  }, { passive: false });

  const end = (event) => {
    if (!dragging && !seat.allowed()) return;
    event.preventDefault();
    const finger = event.changedTouches[0];
    if (dragging) seat.act({ kind: "mouse_up", button: "left", point: point(finger) });
    else if (first && event.type === "touchend" && seat.allowed()) tap(point(first));
    dragging = false;
    forget();
    if (!event.touches.length) two = null;
  };
  // Pressed and released immediately, so that two quick taps are a double click.
  const tap = (at) => {
    seat.act({ kind: "mouse_down", button: "left", point: at });
    seat.act({ kind: "mouse_up", button: "left", point: at });
  };
  canvas.addEventListener("touchend", end, { passive: false });
  canvas.addEventListener("touchcancel", end, { passive: false });
}

function middle([one, other]) {
  return {
    clientX: (one.clientX + other.clientX) / 2,
    clientY: (one.clientY + other.clientY) / 2,
    apart: Math.max(1, Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY)),
  };
}

function keyboard(sink, seat, lone) {
  const reset = () => { sink.value = SENTINEL; sink.setSelectionRange(1, 1); };
  const send = (text) => { if (text) seat.type(text); };
  reset();

  sink.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape" && event.ctrlKey && event.altKey) { event.preventDefault(); sink.blur(); seat.leave(); return; }
    if (commands(event, "v")) return; // the browser sends a paste event
    if (commands(event, "c")) {
      event.preventDefault();
      lone.key = null;
      if (!event.repeat) seat.copy();
      return;
    }
    if (LEFT_TO_THE_BROWSER.has(event.key)) { lone.key = null; return; }
    if (HELD[event.key]) {
      event.preventDefault();
      if (!event.repeat) lone.key = modifiers(event).length === 1 ? event.key : null;
      return;
    }
    lone.key = null;
    if (isText(event)) return; // arrives as an input event, composed and in any script
    event.preventDefault();
    if (event.code === "NumpadEnter") seat.act({ kind: "key", keys: [...modifiers(event), "kp_enter"] });
    else seat.act({ kind: "key", keys: [...modifiers(event), keyName(event)] });
  });
  // A modifier that is pressed and released alone is sent as a key: Alt opens menus.
  sink.addEventListener("keyup", (event) => {
    if (lone.key !== event.key) return;
    event.preventDefault();
    lone.key = null;
    seat.act({ kind: "key", keys: [HELD[event.key]] });
  });
  sink.addEventListener("beforeinput", (event) => {
    if (event.isComposing) return;
    const key = { deleteContentBackward: "backspace", deleteContentForward: "delete", insertLineBreak: "enter", insertParagraph: "enter" }[event.inputType];
    if (!key) return;
    event.preventDefault();
    seat.act({ kind: "key", keys: [key] });
  });
  sink.addEventListener("input", (event) => {
    if (event.isComposing) return;
    send(sink.value.replaceAll(SENTINEL, ""));
    reset();
  });
  sink.addEventListener("compositionstart", () => sink.classList.add("composing"));
  sink.addEventListener("compositionend", () => {
    sink.classList.remove("composing");
    // Browsers send an input event before or after this one; the first handler that finds the text sends it.
    send(sink.value.replaceAll(SENTINEL, ""));
    reset();
  });
  sink.addEventListener("paste", (event) => {
    event.preventDefault();
    seat.paste(event.clipboardData.getData("text/plain"));
  });
  sink.addEventListener("focus", reset);
  sink.addEventListener("blur", () => { lone.key = null; });
}

// Whether a key is a command of this page: Control+Shift and a letter, or Command and a letter on a Mac.
function commands(event, letter) {
  const pressed = event.code === `Key${letter.toUpperCase()}` || event.key.toLowerCase() === letter;
  return pressed && !event.altKey && (MAC ? event.metaKey && !event.ctrlKey : event.ctrlKey && event.shiftKey && !event.metaKey);
}

// Whether a key types a character, rather than being a command.
function isText(event) {
  if (Array.from(event.key).length !== 1) return false;
  if (event.getModifierState("AltGraph")) return true;
  if (MAC && event.altKey && !event.ctrlKey && !event.metaKey) return true; // Option types characters on a Mac
  return !event.ctrlKey && !event.altKey && !event.metaKey;
}

// Shortcuts use Latin letters on every layout: Ctrl and the physical key of C, whatever it types.
function keyName(event) {
  if (event.key.length > 1) return event.key;
  if (event.key.charCodeAt(0) > 126 && /^(Key|Digit)/.test(event.code)) return event.code.at(-1).toLowerCase();
  return event.key.toLowerCase();
}

// Moves the sink to the click, so that an input method shows its candidates there.
function place(sink, canvas, event) {
  const box = canvas.getBoundingClientRect();
  sink.style.left = `${Math.max(0, Math.min(event.clientX - box.left, box.width * 0.4))}px`;
  sink.style.top = `${Math.max(0, Math.min(event.clientY - box.top, box.height - 30))}px`;
}
