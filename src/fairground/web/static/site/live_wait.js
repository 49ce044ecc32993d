// While a seat is being opened, or judged: asks how it stands, and goes on when it is ready.
import { ask } from "./site.js";

const place = document.getElementById("live-wait");

async function look() {
  try {
    const { status, seconds } = await ask("GET", place.dataset.api);
    if (status !== "opening") return location.reload();
    document.getElementById("seconds").textContent = Math.floor(seconds);
  } catch {
    // The server may be busy; the next look tells.
  }
  setTimeout(look, 700);
}
look();
