"use strict";
// Shows one step at a time. All content is in the page; without this script the steps are listed below each other.
(() => {
  const root = document.documentElement;
  const steps = [...document.querySelectorAll(".step")];
  const links = [...document.querySelectorAll(".list a")];
  const scrubber = document.getElementById("scrubber");
  const output = document.getElementById("where");
  const play = document.getElementById("play");
  if (!steps.length) return;
  root.classList.add("js");
  let now = -1;
  let timer = 0;

  function show(wanted, remember = true) {
    const next = Math.max(0, Math.min(steps.length - 1, wanted));
    if (next === now) return;
    if (now >= 0) {
      steps[now].classList.remove("now");
      links[now].removeAttribute("aria-current");
    }
    now = next;
    steps[now].classList.add("now");
    links[now].setAttribute("aria-current", "step");
    scrubber.value = String(now);
    scrubber.setAttribute("aria-valuetext", links[now].textContent);
    output.value = now === steps.length - 1 && steps[now].dataset.end ? "end" : `${now + 1} of ${steps.length - 1}`;
    const list = links[now].closest("ol");
    const row = links[now].getBoundingClientRect();
    const box = list.getBoundingClientRect();
    if (row.top < box.top + 8 || row.bottom > box.bottom - 8) list.scrollTop += row.top - box.top - box.height / 2;
    for (const near of [now, now + 1, now + 2]) {
      const image = steps[near] && steps[near].querySelector("img");
      if (image) image.loading = "eager"; // prefetch the next frame
    }
    if (remember) history.replaceState(null, "", `#${steps[now].id}`);
  }

  function stop() {
    clearTimeout(timer);
    timer = 0;
    root.classList.remove("playing");
    play.setAttribute("aria-label", "Play");
  }

  function tick() {
    if (now === steps.length - 1) return stop();
    timer = setTimeout(() => { show(now + 1); tick(); }, Number(steps[now].dataset.hold));
  }

  function toggle() {
    if (timer) return stop();
    if (now === steps.length - 1) show(0);
    root.classList.add("playing");
    play.setAttribute("aria-label", "Pause");
    tick();
  }

  function go(wanted) { stop(); show(wanted); }

  document.getElementById("back").addEventListener("click", () => go(now - 1));
  document.getElementById("next").addEventListener("click", () => go(now + 1));
  play.addEventListener("click", toggle);
  scrubber.addEventListener("input", () => go(Number(scrubber.value)));
  links.forEach((link, place) => link.addEventListener("click", (event) => { event.preventDefault(); go(place); }));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, video, pre, summary")) return;
    const button = event.target.closest("button, a");
    const keys = { ArrowLeft: () => go(now - 1), ArrowRight: () => go(now + 1), Home: () => go(0), End: () => go(steps.length - 1) };
    if (event.key === " " && !button) keys[" "] = toggle;
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  const told = document.querySelector(".told"); // an instruction that fits on one line needs no fold-out
  const heading = told.querySelector("h1");
  new ResizeObserver(() => { if (!told.open) told.toggleAttribute("data-fits", heading.scrollWidth <= heading.clientWidth); }).observe(heading);
  const linked = () => steps.findIndex((step) => `#${step.id}` === location.hash);
  window.addEventListener("hashchange", () => { if (linked() >= 0) go(linked()); });
  show(Math.max(0, linked()), false);
})();
