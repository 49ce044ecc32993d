// Replay pages: mounts the replay of one episode or of two.
import { mountReplay, mountSideBySide } from "./replay.js";

const place = document.getElementById("replay");
const { source, first, sources, mode } = JSON.parse(place.dataset.options);
if (sources) mountSideBySide(place, sources, { mode });
else mountReplay(place, { source, first, hash: true });

// An instruction that fits on one line needs no fold-out.
for (const told of document.querySelectorAll(".told")) {
  const text = told.querySelector("h1");
  const fit = () => { if (!told.open) told.toggleAttribute("data-fits", text.scrollWidth <= text.clientWidth); };
  new ResizeObserver(fit).observe(text);
}

// State changes take the server some time, so they are loaded when they come into view.
const changes = document.querySelector("[data-changes]");
if (changes) {
  const seen = new IntersectionObserver(async (entries) => {
    if (!entries.some((one) => one.isIntersecting)) return;
    seen.disconnect();
    const answer = await fetch(changes.dataset.changes).catch(() => null);
    const text = answer?.ok ? await answer.text() : "<p class='note bad'>The state changes cannot be shown. Reload the page.</p>";
    changes.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.children);
  }, { rootMargin: "200px" });
  seen.observe(changes);
}
