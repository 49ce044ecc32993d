// The pages of the replay: shows the episode, or the two, that the page is about.
import { mountReplay, mountSideBySide } from "./replay.js";

const place = document.getElementById("replay");
const { source, first, sources, mode } = JSON.parse(place.dataset.options);
if (sources) mountSideBySide(place, sources, { mode });
else mountReplay(place, { source, first, hash: true });

// An instruction that fits on its line has nothing to unfold.
for (const told of document.querySelectorAll(".told")) {
  const text = told.querySelector("h1");
  const fit = () => { if (!told.open) told.toggleAttribute("data-fits", text.scrollWidth <= text.clientWidth); };
  new ResizeObserver(fit).observe(text);
}

// What changed takes the server a moment: it is asked for once it comes near.
const changes = document.querySelector("[data-changes]");
if (changes) {
  const seen = new IntersectionObserver(async (entries) => {
    if (!entries.some((one) => one.isIntersecting)) return;
    seen.disconnect();
    const answer = await fetch(changes.dataset.changes).catch(() => null);
    const text = answer?.ok ? await answer.text() : "<p class='note bad'>What changed cannot be shown. Load the page again.</p>";
    changes.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.children);
  }, { rootMargin: "200px" });
  seen.observe(changes);
}
