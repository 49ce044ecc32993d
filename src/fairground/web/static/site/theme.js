// Applies the stored theme before the first paint.
try {
  const chosen = localStorage.getItem("theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage, the system's theme is used.
}
