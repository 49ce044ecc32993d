// Updates of running runs: polls for changes, and then replaces the live part of the page.
import { ask, tellTimes } from "./site.js";

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const seen = () => new Promise((done) => {
  if (!document.hidden) return done();
  document.addEventListener("visibilitychange", () => done(), { once: true });
});

for (const form of document.querySelectorAll("form[data-filter]")) {
  form.addEventListener("change", () => form.requestSubmit());
  form.addEventListener("submit", () => {
    // Leave empty fields out of the URL.
    for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
  });
}
// Enable the fields again when the browser restores the page from its cache.
window.addEventListener("pageshow", () => {
  for (const field of document.querySelectorAll("form[data-filter] :disabled")) field.disabled = false;
});

follow();

async function follow() {
  let last = null;
  for (;;) {
    const live = document.getElementById("live");
    if (!live?.dataset.poll) return;
    try {
      const found = JSON.stringify(await ask("GET", live.dataset.poll));
      if (last !== null && found !== last) await renew(live);
      last = found;
    } catch (error) {
      live.title = error.message;
    }
    await pause(1000 * Number(live.dataset.every || 5));
    await seen();
  }
}

// Replaces the live part of the page with the current version. Focus and scroll positions are kept.
async function renew(live) {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
  if (!fresh) return;
  const held = live.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const places = [...live.querySelectorAll(".scrolls")].map((one) => one.scrollLeft);
  live.replaceWith(fresh);
  fresh.querySelectorAll(".scrolls").forEach((one, at) => (one.scrollLeft = places[at] ?? 0));
  if (held) fresh.querySelector(`[href="${CSS.escape(held)}"]`)?.focus();
  tellTimes(fresh);
}
