// The form for a new battle: a scenario of a suite, or a custom task on a prepared desktop.
import { ask } from "./site.js";

const form = document.getElementById("new-battle");
const trouble = document.getElementById("trouble");
const field = (name) => form.elements.namedItem(name);
const own = () => field("kind").value === "own";

function arrange() {
  document.getElementById("own-words").hidden = !own();
  document.getElementById("from-suite").hidden = own();
}
form.addEventListener("change", arrange);
form.addEventListener("input", () => { trouble.hidden = true; });
arrange();

document.getElementById("draw").addEventListener("click", () => {
  const known = document.querySelectorAll("#worlds option");
  if (known.length) field("world").value = known[Math.floor(Math.random() * known.length)].value;
});

async function uploaded() {
  const files = [...field("files").files];
  if (!files.length) return [];
  const body = new FormData();
  for (const file of files) body.append("files", file);
  return (await ask("POST", "/api/uploads", body)).files.map((one) => one.id);
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("[type=submit]");
  const missing = own() ? !field("text").value.trim() && ["text", "Describe the task."] : !field("world").value.trim() && ["world", "Enter a scenario, or press Choose for me."];
  trouble.hidden = !missing;
  if (missing) {
    trouble.textContent = missing[1];
    field(missing[0]).focus();
    return;
  }
  button.disabled = true;
  button.textContent = "Starting …";
  try {
    const wanted = own()
      ? {
          own: true,
          text: field("text").value.trim(),
          preparation: {
            preset: field("preset").value,
            files: await uploaded(),
            pages: field("pages").value.split("\n").map((one) => one.trim()).filter(Boolean),
            repository: field("repository").value.trim(),
          },
        }
      : { own: false, world: field("world").value.trim() };
    location.href = `/arena/battles/${(await ask("POST", "/api/battles", wanted)).id}`;
  } catch (error) {
    trouble.textContent = error.message;
    trouble.hidden = false;
    button.disabled = false;
    button.textContent = "Start";
  }
});
