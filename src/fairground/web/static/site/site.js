// Shared by all pages: the theme switch, requests with the CSRF token, and toasts.

export const token = document.querySelector('meta[name="token"]').content;

// Sends a request and returns the response's JSON. Throws an Error with a readable message.
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
  if (!answer.ok) throw new Error([said?.error ?? `The server returned status ${answer.status}`, said?.fix].filter(Boolean).join(". "));
  return said;
}

// Shows a toast. It disappears by itself; errors stay until they are closed.
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
    // Without storage, the choice lasts until the page is left.
  }
});

// Shows <time datetime> in the reader's time zone.
export function tellTimes(root) {
  for (const one of root.querySelectorAll("time[datetime]")) {
    const at = new Date(one.dateTime);
    if (!Number.isNaN(at.valueOf())) one.textContent = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }
}
tellTimes(document);
