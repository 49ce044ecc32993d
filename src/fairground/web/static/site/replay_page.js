// The pages of the replay: shows the episode, or the two, that the page is about.
import { mountReplay, mountSideBySide } from "./replay.js";

const place = document.getElementById("replay");
const { source, first, sources, mode } = JSON.parse(place.dataset.options);
if (sources) mountSideBySide(place, sources, { mode });
else mountReplay(place, { source, first, hash: true });
