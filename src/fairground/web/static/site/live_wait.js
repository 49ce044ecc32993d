// Polls a seat that is being opened or judged, and reloads the page when it is ready.
import { ask } from "./site.js";

const place = document.getElementById("live-wait");

async function look() {
  try {
    const { status, seconds } = await ask("GET", place.dataset.api);
    if (status !== "opening") return location.reload();
    document.getElementById("seconds").textContent = Math.floor(seconds);
  } catch {
    // The server may be busy; try again at the next poll.
  }
  setTimeout(look, 700);
}
look();
