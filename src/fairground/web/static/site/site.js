// What every page has: the theme's switch, requests with this person's token, and short messages.

export const token = document.querySelector('meta[name="token"]').content;

// Asks the server, and gives what it said; says in words what went wrong.
export async function ask(method, path, body) {
  const headers = { "X-Fairground-Token": token, Accept: "application/json" };
  if (body !== undefined && !(body instanceof FormData)) headers["Content-Type"] = "application/json";
  const sent = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: sent });
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  const said = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (!answer.ok) throw new Error([said?.error ?? `The server said ${answer.status}`, said?.fix].filter(Boolean).join(". "));
  return said;
}

// A message that goes away by itself; what went wrong stays until it is closed.
export function toast(text, kind = "") {
  const box = document.createElement("div");
  box.className = `toast ${kind}`;
  box.append(text);
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "×";
  close.setAttribute("aria-label", "Close");
  close.addEventListener("click", () => box.remove());
  box.append(close);
  document.getElementById("toasts").append(box);
  if (kind !== "bad") setTimeout(() => box.remove(), 5000);
}

document.getElementById("theme")?.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("theme", root.dataset.theme);
  } catch {
    // It then lasts as long as the page.
  }
});

// Times are the reader's own: <time datetime> becomes words.
export function tellTimes(root) {
  for (const one of root.querySelectorAll("time[datetime]")) {
    const at = new Date(one.dateTime);
    if (!Number.isNaN(at.valueOf())) one.textContent = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }
}
tellTimes(document);
