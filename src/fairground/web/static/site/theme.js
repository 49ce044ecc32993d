// Before anything is drawn: light or dark, as was chosen here before.
try {
  const chosen = localStorage.getItem("theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage it is the system's.
}
